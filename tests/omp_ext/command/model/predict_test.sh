#!/bin/bash
# keel model predict: values worked out by hand, where values come from, and obvious limits.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

# --- pipeline: 4 workers, 100 elements, 1 s, 3 ms a message ---
pipeline=(workers=4 elements=100 sequential=1 startup=3ms per-byte=0)
# 20 blocks: (20 + 3) / 80 + 22 * 0.003
near "$(result pipeline time "${pipeline[@]}" block=5)" 0.3535 'a sweep by S4'
near "$(result pipeline efficiency "${pipeline[@]}" block=5)" "$(awk 'BEGIN { print 1 / (4 * 0.3535) }')" 'its efficiency'
near "$(result pipeline bound "${pipeline[@]}" block=5)" "$(awk 'BEGIN { printf "%.9g", 20 / 23 }')" 'its bound by S3'
near "$(result pipeline best-blocks "${pipeline[@]}")" 15.8113883 'M* = sqrt(0.75 / 0.003) by S5'
# d/dM of (M + 3) / 4M + (M + 2) (0.003 + 0.1 / M) is 0.003 - 0.95 / M^2
near "$(result pipeline best-blocks workers=4 elements=100 sequential=1 startup=3ms per-byte=0.5ms bytes=2)" 17.7951304 \
    'M* where bytes cost something'
is "$(result pipeline best-blocks startup=0)" infinite 'messages that cost nothing'
is "$(result pipeline time workers=1 sequential=2)" 2 'a single worker'
is "$(result pipeline efficiency sequential=0 startup=0 per-byte=0)" 1 'no costs at all: efficiency'

# --- loop ---
# costs rise from 1 to 3, mean 2: the last quarter has 2.75 on average
near "$(result loop time iterations=1000 claim-own=0 wobble=0 shape=increasing skew=3)" 0.00034375 'static over rising costs'
# halves of 0.75 and 1.25 us on average
halves=(iterations=1000 claim-own=0 wobble=0 threads=2 skew=3)
near "$(result loop time "${halves[@]}" shape=increasing speeds=1,3)" 0.000375 'the cheap half on the slower thread'
near "$(result loop time "${halves[@]}" shape=decreasing speeds=1,3)" 0.000625 'the costly half on the slower thread'
near "$(result loop time iterations=1000 claim-own=0 wobble=0 threads=2 speeds=1,3)" 0.0005 'half of the loop on the slower thread'
near "$(result loop ideal iterations=1000 threads=2 speeds=1,3)" 0.00025 'and the ideal'
near "$(result loop speed-up iterations=1000 claim-own=0 wobble=0 threads=2 speeds=1,3)" 2 'against a thread of speed 1'
near "$(result loop time iterations=7 threads=2 schedule=ss claim-step=0.5us wobble=0)" 6e-6 'four of seven claims of 1.5 us'
is "$(result loop chunks iterations=1000 threads=2 schedule=css,100)" 10 'parameters of a schedule'
is "$(result loop chunks iterations=1000 threads=2 schedule=ss:grain=64)" 16 'a grain'
near "$(result loop ideal iterations=1000 threads=2 schedule=gss:grain=64)" "$(result loop ideal iterations=1000 threads=2)" \
    'which leaves the work as it is'
is "$(result loop time iterations=0)" 0 'no iterations'
is "$(result loop efficiency mean=0 claim-own=0)" 1 'iterations that cost nothing'
for schedule in $("$keel" list --names | grep -vx auto) fac:mu=5; do
    near "$(result loop ideal schedule=$schedule)" 0.0025 "schedule=$schedule"
done

# --- balance: 10 tasks of 1 s, all on the first worker ---
balance=(workers=2 tasks=10 begin=first steps=3 task=1 decision=0 startup=0 pack=0 per-byte=0)
is "$(result balance time "${balance[@]}")" 30 'without balancing'
is "$(result balance ideal "${balance[@]}")" 15 'and the ideal'
is "$(result balance time "${balance[@]}" policy=rate)" 20 'halves after the first step: 10 + 5 + 5'
is "$(result balance time "${balance[@]}" policy=rate speeds=1,4)" 14 'shares by speed: 10 + 2 + 2'
is "$(result balance moved "${balance[@]}" policy=rate speeds=1,4)" 8 'and what has moved'
is "$(result balance time workers=2 tasks=10 begin=first steps=3 task=1 decision=0.5 startup=0.25 pack=0.125 per-byte=0 policy=rate)" \
    22.375 'decisions in all steps, a message, and 5 tasks'
begin=(steps=1 task=1 decision=0 tasks=10)
is "$(result balance time "${begin[@]}" workers=4 begin=even)" 3 'whole tasks: 3, 2, 3 and 2'
is "$(result balance time "${begin[@]}" workers=4 begin=linear)" 4 '1, 2, 3 and 4'
is "$(result balance time "${begin[@]}" workers=2 begin=by-speed speeds=1,4)" 2 '2 and 8, in the same time'
for policy in none random diffusion redistribution rate tree; do
    is "$(result balance time workers=1 tasks=10 steps=2 task=1 policy=$policy)" 20 "a single worker, $policy"
    is "$(result balance efficiency tasks=0 decision=0 policy=$policy)" 1 "no tasks, $policy"
done

# --- objects ---
# 8, 8, 8 and 16 s
is "$(result objects unbalanced processors=4 tasks=1 weights=step work=10)" 16 'one of four tasks is heavy'
is "$(result objects ideal processors=4 tasks=1 weights=step work=10)" 10 'and the ideal'
is "$(result objects overloaded processors=4 tasks=1 weights=step work=10)" 1 'and who is overloaded'
for form in refined published; do
    is "$(result objects time processors=4 tasks=2 weights=even work=10 quantum=0 form=$form)" 10 "one class, $form"
    is "$(result objects time processors=1 tasks=1 work=10 quantum=0 form=$form)" 10 "a single task, $form"
    is "$(result objects gain work=0 quantum=0 startup=0 per-byte=0 pack=0 unpack=0 form=$form)" 0 "no work, $form"
done

# --- oscillation: the load takes half of one of two workers all the time ---
oscillation=(workers=2 off=0 sequential=10 period=0 quantum=0 filtered=no pipelined=no startup=0 per-byte=0)
is "$(result oscillation time "${oscillation[@]}")" 10 'equal shares: 5 s of work at half speed'
near "$(result oscillation efficiency "${oscillation[@]}")" 0.666666667 'of 1.5 processors'
near "$(result oscillation time "${oscillation[@]}" policy=follow)" 6.66666667 'shares of 1.5 processors'
is "$(result oscillation delay-on)" infinite 'equal shares never move'
is "$(result oscillation time taken=1 off=0 sequential=1)" infinite 'a processor that is taken altogether'
is "$(result oscillation time loaded=9 workers=1 sequential=1 on=0)" 1 'no load, and one worker'

# --- round-robin: quanta of 0.1 s ---
near "$(result round-robin time workers=1 sequential=1)" 1.9 'ten turns, and nine of the other process'
near "$(result round-robin time workers=2 competing=0 sequential=1 grain=0.05)" 0.55 'a pipeline of ten blocks'
near "$(result round-robin efficiency workers=2 competing=0 sequential=1 grain=0.05)" 0.909090909 'at the bound 10/11'
is "$(result round-robin time sequential=0)" 0 'no work'
is "$(result round-robin blocks grain=0)" 1 'a grain of 0'

# --- migration ---
near "$(result migration average)" 84.6578428 'K6: 15 log2 50, as in the paper'
is "$(result migration self)" 800 'a message per task'
migration=(workers=4 speeds=1,2,3,4 tasks=100 startup=0 per-byte=0)
near "$(result migration time "${migration[@]}" policy=tree)" 40 'K7: 2 N / 5'
is "$(result migration migrations "${migration[@]}")" 2 'by two movements'
near "$(result migration moved "${migration[@]}")" 80 'of 3 N / 5 and 3 N / 15'
is "$(result migration time "${migration[@]}")" 100 'equal shares: the slowest one'
# K8's speeds; the paper has 40 migrations, and 84.5 for the bound.
machines=$(awk 'BEGIN { n = split("250 400 405 410 330 340 900 910 688 692 693 700 1400 1420 1950 2000", s); for (i = 1; i <= n; i++) printf "%s%.6f", (i > 1 ? "," : ""), 1000 / s[i] }')
near "$(result migration average speeds="$machines")" 84.48177845 "K6 for K8's speeds"
for both in yes no; do
    k8=(policy=tree speeds="$machines" both-ways=$both)
    migrations=$(result migration migrations "${k8[@]}")
    ok "K8: $migrations migrations, both ways: $both" test "$migrations" -ge 10 -a "$migrations" -le 84
    is "$(result migration moved "${k8[@]}" | grep -c '\.')" 0 'of whole tasks'
done
is "$(for speeds in 1 1,2 3,1,1,2 1,1.5,7; do
    for gamma in 0 0.3 1; do
        result migration time policy=tree workers=7 tasks=9.5 startup=0 per-byte=0 gamma=$gamma speeds=$speeds 2>&1
    done
done | grep -vcxE '[0-9.]+')" 0 'no task goes to and fro for ever'
near "$(result migration pair-tasks workers=2 speeds=1,3 tasks=60)" 30 'K5: half of N'
near "$(result migration pair-movements workers=2 speeds=1,3 tasks=60)" 3.72683303 'in log3 60 movements'
near "$(result migration pair-tasks workers=3 speeds=2,1,3 tasks=60)" 30 'of the slowest and the fastest'
# pairs 1, 4 and 2, 3: r_max = 2/3, B_max = 3/5
near "$(result migration average "${migration[@]}")" 12.5754197 'K6: 3 / (1 - log2 2/3) log2 100'
near "$(result migration average-time workers=4 speeds=1,2,3,4 tasks=100 startup=0 per-byte=1 task-bytes=1)" 180 'and 3/5 of 3 N tasks'
near "$(result migration added-limit workers=4)" 0.8 'K9: 4/5'
near "$(result migration added-time workers=4 tasks=100 added=0.5)" 160 '80 tasks at half speed'
near "$(result migration added-time workers=4 tasks=100 added=0.5 task=2)" 320 'tasks of 2 s'
is "$(result migration added-time added=0)" infinite 'an added worker that does nothing'
is "$(result migration saturation startup=0 per-byte=0)" infinite 'a master without work'
is "$(result migration time workers=1 tasks=7 policy=tree)" 7 'a single worker'

# --- what is printed ---
for model in $models; do
    is "$(code "$keel" model predict $model)" 0 "$model, all defaults"
    unlike "$(output)" '(^| )-?(nan|inf)( |$)' "$model: only numbers"
    is "$(output | sed -n '/^RESULT/,$p' | tail -n +2 | grep -c '^[a-z]')" \
        "$("$keel" model predict --csv $model | tail -n +2 | wc -l)" "$model: a line per result"
    is "$("$keel" model predict --csv $model | head -n 1)" 'result,value,unit' "$model: CSV"
    like "$(COLUMNS=200 "$keel" model list)" "^$model  +.*\([A-Z].*[0-9]{4}\)$|^$model .*keel list" "$model is listed with its source"
    is "$(code "$keel" model list $model)" 0 "keel model list $model"
    for name in $("$keel" model predict --csv $model | tail -n +2 | cut -d, -f1); do
        like "$(output)" "^$name( |\$)" "and shows $name"
    done
    for width in 40 80; do
        is "$(COLUMNS=$width "$keel" model list $model | awk -v width=$width 'length > width')" '' \
            "keel model list $model fits in $width columns"
    done
done
is "$("$keel" model predict --result blocks --csv --result time pipeline "${pipeline[@]}" block=5)" 'result,value,unit
blocks,20,
time,0.3535,s' 'results that are asked for, in that order'

# --- where values come from ---
like "$("$keel" model predict pipeline)" '^startup +2e-05 +s +default' 'defaults'
like "$("$keel" model predict pipeline startup=2us)" '^startup +2e-06 +s +stated' 'what is stated comes first'
for text in 3ms 3000us 3e6ns 0.003 0.003s; do
    is "$(result pipeline time elements=100 sequential=1 per-byte=0 block=5 startup=$text)" 0.3535 "startup=$text"
done
done_testing
