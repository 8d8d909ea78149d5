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
is "$("$keel" model predict --csv pipeline "${pipeline[@]}" block=5 | head -n 3)" 'result,value,unit
time,0.3535,s
blocks,20,' 'results in their order'

# --- where values come from ---
like "$("$keel" model predict pipeline)" '^startup +2e-05 +s +default' 'defaults'
like "$("$keel" model predict pipeline startup=2us)" '^startup +2e-06 +s +stated' 'what is stated comes first'
for text in 3ms 3000us 3e6ns 0.003 0.003s; do
    is "$(result pipeline time elements=100 sequential=1 per-byte=0 block=5 startup=$text)" 0.3535 "startup=$text"
done
done_testing
