#!/bin/bash
# keel model, as a person calls it, and what it is built on.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

models='loop balance objects pipeline'

# result MODEL NAME [ARGUMENT...]: one result.
result()
{
    local model=$1 name=$2
    shift 2
    "$keel" model predict --csv "$model" "$@" | sed -n "s/^$name,\([^,]*\),.*/\1/p"
}

# near GOT WANTED NAME: equal to 6 digits.
near()
{
    awk -v got="$1" -v wanted="$2" 'BEGIN { d = got - wanted; d = d < 0 ? -d : d; w = wanted < 0 ? -wanted : wanted
        exit !(got != "" && d <= 1e-6 * w) }'
    tap_result $? "$3" && return
    diag "got: $1"
    diag "wanted: $2"
    return 1
}

# refused MESSAGE ARGUMENT...: exit code 2, one line, no output.
refused()
{
    local message=$1 status said
    shift
    "$keel" model "$@" >"$TEST_TMPDIR/output" 2>"$TEST_TMPDIR/messages"
    status=$?
    mapfile -t said <"$TEST_TMPDIR/messages"
    is "$status" 2 "$*: exit code"
    [[ ${said[0]:-} =~ ^"keel: "$message ]]
    tap_result $? "$*: message" || diag "got: ${said[*]}" "wanted: keel: $message"
    is "${#said[@]}" 1 "$*: of one line"
    [ ! -s "$TEST_TMPDIR/output" ]
    tap_result $? "$*: no output"
}

# --- predict: values worked out by hand, where values come from, and obvious limits ---

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
    ok 'a prediction ends in a narrow terminal' test "$(COLUMNS=43 "$keel" model predict $model | head -n 1000 | wc -l)" -lt 1000
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

# --- --trace: what the model of a loop takes from recorded runs ---

trace=$TEST_TMPDIR/trace.json

# chunks <LINES: what KEEL_TRACE writes of chunks, a line "LOOP,INSTANCE,THREAD,FIRST,LAST,NS" each.
chunks()
{
    awk -F, '{ printf "{\"name\":\"%s\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%d,\"dur\":%.3f,", $1, $3, 1000 * NR, $6 / 1000
        printf "\"args\":{\"instance\":%d,\"first\":%d,\"last\":%d}},\n", $2, $4, $5 }'
}

# costs NS...: a trace of a loop, each iteration of which is a chunk that takes so long.
costs()
{
    local i=0 cost
    for cost; do
        printf 'l.c:1,0,0,%d,%d,%s\n' $i $((i + 1)) "$cost"
        i=$((i + 1))
    done | chunks >"$trace"
}

# --- costs of iterations ---
costs 1000 1000 1000 5000
traced=(--trace "$trace" threads=2 wobble=0 claim-own=0)
near "$(result loop time "${traced[@]}")" 6e-6 'halves of 2 and 6 us'
near "$(result loop ideal "${traced[@]}")" 4e-6 'and their mean'
like "$("$keel" model predict loop "${traced[@]}")" '^iterations +4 +trace' 'the trace gives N'
near "$(result loop time "${traced[@]}" iterations=8)" 12e-6 'what is stated comes first: a longer loop of that shape'
costs $(seq 1000)
near "$(result loop ideal "${traced[@]}")" 250.25e-6 'a thousand costs'
ok 'that rise' awk -v time="$(result loop time "${traced[@]}")" 'BEGIN { exit !(time > 370e-6 && time < 380e-6) }' # 500 * 750.5 ns

# --- threads ---
# thread 1 is three times slower; both run both halves
printf 'sor.c:7,%d,%d,%d,%d,%d\n' 0 0 0 50 50000 0 1 50 100 150000 1 0 50 100 50000 1 1 0 50 150000 | chunks >"$trace"
like "$(COLUMNS=200 "$keel" model predict loop --trace "$trace")" '^speeds +1\.5,0\.5 +trace' 'speeds of threads'
near "$(result loop ideal --trace "$trace")" 75e-6 'work over speeds'
near "$(result loop time --trace "$trace" wobble=0 claim-own=0)" 150e-6 'static: half of it on the slower one'
printf 'other.c:1,0,0,0,10,1000\n' | chunks >>"$trace"
near "$(result loop ideal --trace "$trace")" 75e-6 'of several loops, that with most work'
near "$(result loop ideal --trace "$trace" --loop sor.c:7)" 75e-6 'one of several loops'
is "$(result loop ideal --trace "$trace" --loop other.c:1)" 1e-06 'and the other one'
"$keel" model predict loop --trace "$trace" --loop nowhere 2>"$TEST_TMPDIR/messages"
is "$?" 2 'no loop of that name: exit code'
like "$(cat "$TEST_TMPDIR/messages")" "no loop of the trace is called 'nowhere'; there are sor.c:7, other.c:1" 'and message'
costs 0 0
is "$(result loop ideal --trace "$trace")" 0 'costs of nothing'
costs 2000
near "$(result loop ideal --trace "$trace" threads=1)" 2e-6 'a single iteration'
ok 'optimise takes a trace' "$keel" model optimise loop --trace "$trace"

# --- nonsense ---
printf 'a,b,c\n' >"$trace"
refused "'$trace' holds no trace of loops" predict loop --trace "$trace"
refused "'$TEST_TMPDIR/none' cannot be read: " predict loop --trace "$TEST_TMPDIR/none"
refused "'$TEST_TMPDIR' cannot be read: " predict loop --trace "$TEST_TMPDIR"
printf 'a,0,0,5,5,10\n' | chunks >"$trace"
refused "--trace '$trace': no chunks of such a loop in it; nothing is predicted$" predict loop --trace "$trace"
printf 'a,0,4096,0,5,10\n' | chunks >"$trace"
refused "--trace '$trace': no chunks of such a loop in it; nothing is predicted$" predict loop --trace "$trace"
for model in balance objects pipeline; do
    refused "$model: --trace '$trace': this model takes no trace; nothing is predicted$" predict $model --trace "$trace"
done

# --- optimise: the best of what predict says, and the runners-up ---

# least NAME MODEL [NAME=VALUE...] <VALUES: "VALUE,TIME" of the first value with the least time.
least()
{
    local name=$1 model=$2 value
    shift 2
    while read -r value; do
        echo "$value,$(result "$model" time "$@" "$name=$value")"
    done | sort -t, -s -gk2 | head -n 1
}

# agrees NAME MODEL [NAME=VALUE...] <VALUES: whether the optimum is the best of these.
agrees()
{
    local name=$1 model=$2
    shift 2
    is "$("$keel" model optimise --csv "$model" "$@" | sed -n 2p | cut -d, -f2,3)" \
        "$(least "$name" "$model" "$@")" "$model $name $*"
}

schedules=$("$keel" list --names | grep -vxE 'auto|binlpt|lpt')
policies=$(printf '%s\n' none random diffusion redistribution rate tree)
agrees block pipeline elements=100 sequential=1 startup=3ms per-byte=0 < <(seq 100)
agrees block pipeline workers=16 elements=100 startup=1ms < <(seq 100)
agrees block pipeline workers=3 elements=97 startup=10us bytes=1000 < <(seq 97)
agrees schedule loop speeds=1,1,1,5 <<<"$schedules"
agrees schedule loop shape=decreasing deviation=3us <<<"$schedules"
agrees schedule loop threads=1 <<<"$schedules"
agrees policy balance leaving=0.05 speeds=1,2,3 threshold=0 alpha=0 gain=0 <<<"$policies"
agrees policy balance begin=even threshold=0 alpha=0 gain=0 <<<"$policies"
agrees tasks objects processors=16 quantum=0.1 neighbourhood=4 < <(printf '%s\n' 1 2 4 8 16 32)

# best MODEL [NAME=VALUE...]: the time of the best row.
best()
{
    "$keel" model optimise --csv "$@" | sed -n 2p | awk -F, '{ print $(NF - 1) }'
}
"$keel" model optimise --csv balance leaving=0.05 speeds=1,2,3 >"$TEST_TMPDIR/joint"
for policy in random diffusion redistribution rate tree; do
    is "$(sed -n "s/^[0-9]*,$policy,.*,\([^,]*\),[^,]*$/\1/p" "$TEST_TMPDIR/joint")" \
        "$(best balance leaving=0.05 speeds=1,2,3 policy=$policy)" "$policy has its best numbers among the policies"
done

# --- what is printed ---
pipeline=(elements=100 sequential=1 startup=3ms per-byte=0)
is "$("$keel" model optimise --csv pipeline "${pipeline[@]}" | head -n 4)" 'rank,block,time,best_saves_percent
1,6,0.352,0
2,8,0.355,0.8450704225
3,4,0.361,2.493074792' 'rows as CSV: candidates by time'
is "$("$keel" model optimise pipeline "${pipeline[@]}" | head -n 3)" \
    '      rank       block     time, s  best saves, %
         1           6       0.352              0
         2           8       0.355        0.84507' 'and as a table'
is "$("$keel" model optimise --csv balance policy=rate | head -n 1)" 'rank,threshold,alpha,gain,time,best_saves_percent' \
    'what is stated is not chosen'
like "$("$keel" model optimise balance)" '^ +[0-9]+ +none +- +- +- ' 'parameters that a policy has not'
is "$("$keel" model optimise loop | grep -c '^ *[0-9]')" 10 'ten rows'
is "$("$keel" model optimise loop --csv | tail -n +2 | wc -l)" "$("$keel" list --names | grep -cvxE 'auto|binlpt|lpt')" 'all as CSV'
for model in $models; do
    is "$(code within_cpu 60 "$keel" model optimise $model)" 0 "$model, all defaults"
    unlike "$(output)" '(^| )-?(nan|inf)( |$)' "$model: only numbers"
    like "$(output)" '^ +1 ' "$model: a best row"
done

# --- what cannot be used is refused in one line ---

refused "'predct' is not an action, nearest is 'predict'; nothing is done \(see keel model --help\)$" predct
for action in predict optimise; do
    refused "unknown model 'lop', nearest is 'loop'; nothing is predicted" $action lop
    refused "loop: unknown parameter 'thraeds', nearest is 'threads'; nothing is predicted$" $action loop thraeds=2
    refused "loop: 'threads' is not NAME=VALUE; nothing is predicted$" $action loop threads
    refused "loop: threads '0' is not a whole number from 1 to 4096; nothing is predicted$" $action loop threads=0
    is "$(code "$keel" model $action)" 2 "$action without a model: exit code"
done
refused "unknown model 'lop', nearest is 'loop'" list lop
is "$(code "$keel" model)" 2 'no action: exit code'
is "$(code "$keel" model --help)" 0 '--help'
for action in list predict optimise; do
    like "$(output)" "^  $action " "names $action"
done

for text in '' x 1e nan inf -1 4097 1.5 ' ' 2x 0x 1:4 1/4; do
    refused "loop: threads '$text' is not a whole number from 1 to 4096; nothing is predicted$" predict loop "threads=$text"
done
for text in '' x nan inf -1 1e99 1min 2ss; do
    refused "loop: mean '$text' is not a number from 0 to 1000000 s; nothing is predicted$" predict loop "mean=$text"
done
refused "loop: skew '2s' is not a number from 1 to 1000000; " predict loop skew=2s
refused "loop: unknown shape 'evn', nearest is 'even'; nothing is predicted$" predict loop shape=evn
refused "balance: unknown policy 'difusion', nearest is 'diffusion'; " predict balance policy=difusion
refused "loop: schedule 'gs': unknown schedule 'gs', nearest is " predict loop schedule=gs
refused "loop: schedule 'gss,0': min '0' is not a whole number from 1 " predict loop schedule=gss,0
refused "loop: schedule 'auto': it runs others, .*see \`keel model optimise loop'" predict loop schedule=auto
for text in '' x 1, 1,,2 0 -1 1:2 nan; do
    refused "loop: speeds '$text': not a list of numbers from 1e-06 to 1e\+06; " predict loop "speeds=$text"
done
refused 'loop: threads is stated twice; nothing is predicted$' predict loop threads=1 threads=2
refused "loop: shape 'trace' needs --trace; " predict loop shape=trace
refused 'balance: 1000000 steps of 4096 workers are too many to play; ' predict balance steps=1e6 workers=4096
refused 'objects: 40960000 tasks in all, more than 1000000; ' predict objects processors=4096 tasks=10000
refused 'loop: all that could be chosen is stated; nothing is predicted$' optimise loop schedule=gss
is "$(code "$keel" model predict loop --nonsense)" 2 'an unknown option: exit code'

done_testing
