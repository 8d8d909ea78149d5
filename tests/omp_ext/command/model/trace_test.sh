#!/bin/bash
# keel model --trace: what recorded runs tell the model of a loop.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

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
like "$("$keel" model predict loop "${traced[@]}")" '^iterations +4 +trace' 'the trace tells N'
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
: >"$trace"
refused "'$trace' holds no trace of loops" predict loop --trace "$trace"
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
done_testing
