#!/bin/bash
# keel model --trace: what recorded runs tell the models.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

trace=$TEST_TMPDIR/trace.csv

# --- loop: costs of iterations ---
printf 'iteration,cost\n0,1e-6\n1,1e-6\n2,1e-6\n3,5e-6\n' >"$trace"
traced=(--trace "$trace" threads=2 wobble=0 claim-own=0)
near "$(result loop time "${traced[@]}")" 6e-6 'halves of 2 and 6 us'
near "$(result loop ideal "${traced[@]}")" 4e-6 'and their mean'
like "$("$keel" model predict loop "${traced[@]}")" '^iterations +4 +trace' 'the trace tells N'
near "$(result loop time "${traced[@]}" iterations=8)" 12e-6 'what is stated comes first: a longer loop of that shape'
is "$("$keel" model sweep --csv --result time loop "${traced[@]}" shape=every | wc -l)" 6 'its shape among the others'
printf '\n# costs\r\n3e-6\r\n\n3e-6' >"$trace"
near "$(result loop time "${traced[@]}")" 3e-6 'no header, remarks, empty lines, other line ends'
seq 1 1000 | sed 's/$/e-9/' >"$trace"
near "$(result loop ideal "${traced[@]}")" 250.25e-6 'a thousand costs'
ok 'that rise' awk -v time="$(result loop time "${traced[@]}")" 'BEGIN { exit !(time > 370e-6 && time < 380e-6) }' # 500 * 750.5 ns

# --- loop: chunks ---
printf 'loop,instance,thread,first,last,time_ns\n' >"$trace"
# thread 1 is three times slower; both run both halves
printf 'sor.c:7,%d,%d,%d,%d,%d\n' 0 0 0 50 50000 0 1 50 100 150000 1 0 50 100 50000 1 1 0 50 150000 >>"$trace"
like "$(COLUMNS=200 "$keel" model predict loop --trace "$trace")" '^speeds +1\.5,0\.5 +trace' 'speeds of threads'
near "$(result loop ideal --trace "$trace")" 75e-6 'work over speeds'
near "$(result loop time --trace "$trace" wobble=0 claim-own=0)" 150e-6 'static: half of it on the slower one'
printf 'other.c:1,0,0,0,10,1000\n' >>"$trace"
refused "--trace '$trace': there are several loops, 'sor.c:7' and 'other.c:1' among them: choose one by --loop; nothing is predicted$" \
    predict loop --trace "$trace"
near "$(result loop ideal --trace "$trace" --loop sor.c:7)" 75e-6 'one of several loops'
is "$(result loop ideal --trace "$trace" --loop other.c:1)" 1e-06 'and the other one'
refused "--trace '$trace': no loop 'x' in it" predict loop --trace "$trace" --loop x
printf '0\n0\n' >"$trace"
is "$(result loop ideal --trace "$trace")" 0 'costs of nothing'
printf '2e-6\n' >"$trace"
near "$(result loop ideal --trace "$trace" threads=1)" 2e-6 'a single iteration'
ok 'optimise takes a trace' "$keel" model optimise loop --trace "$trace"

# --- balance: 2 tasks a step go from the first worker to the second ---
printf 'step,worker,tasks\n0,0,10\n0,1,0\n1,0,8\n1,1,2\n2,0,6\n2,1,4\n' >"$trace"
traced=(--trace "$trace" task=1 decision=0 startup=0 pack=0 per-byte=0)
is "$(result balance time "${traced[@]}")" 24 '10 + 8 + 6'
is "$(result balance ideal "${traced[@]}")" 15 'and the ideal'
is "$(result balance time "${traced[@]}" policy=rate)" 24 'halves, which the application shifts to 3 and 7: 10 + 7 + 7'
refused 'balance: the trace is of 2 workers, not of 3; nothing is predicted$' predict balance --trace "$trace" workers=3
refused "balance: begin 'trace' needs --trace" predict balance begin=trace
printf '0,0,10\n1,0,8\n1,1,2\n' >"$trace"
refused "--trace '$trace': 3 lines, not one for each of 2 steps and 2 workers; " predict balance --trace "$trace"
printf '0,0,10\n0,0,8\n0,1,2\n1,1,2\n' >"$trace"
refused "--trace '$trace': line 2: step 0 of worker 0 stands there twice; " predict balance --trace "$trace"
printf '0,0,10\n0,8\n' >"$trace"
refused "--trace '$trace': line 2: 2 fields, not step,worker,tasks; " predict balance --trace "$trace"
printf '0,0,1.5\n' >"$trace"
refused "--trace '$trace': line 1: '1.5' in field 3 is not a whole number; " predict balance --trace "$trace"

# --- objects ---
printf 'weight\n1\n1\n1\n1\n3\n3\n3\n3\n' >"$trace"
is "$(result objects unbalanced --trace "$trace" processors=2)" 12 'blocks of light and heavy tasks'
is "$(result objects ideal --trace "$trace" processors=2)" 8 'and the ideal'
ok 'which balancing comes near' awk -v time="$(result objects time --trace "$trace" processors=2 quantum=0.01)" \
    'BEGIN { exit !(time >= 8 && time < 10) }'
refused "objects: weights 'trace' need --trace" predict objects weights=trace

# --- nonsense ---
for model in loop balance objects; do
    : >"$trace"
    refused "--trace '$trace' is empty; nothing is predicted$" predict $model --trace "$trace"
    printf 'a,b,c\n' >"$trace"
    refused "--trace '$trace' is empty; nothing is predicted$" predict $model --trace "$trace"
    refused "--trace '$TEST_TMPDIR/none' cannot be read: " predict $model --trace "$TEST_TMPDIR/none"
    refused "--trace '$TEST_TMPDIR' cannot be read: " predict $model --trace "$TEST_TMPDIR"
    printf '0,0,1\n0,1,x\n' >"$trace"
    refused "--trace '$trace': line 2: 'x' in field 3 is not a number" predict $model --trace "$trace"
    printf '0,0,-1\n' >"$trace"
    refused "--trace '$trace': line 1: '-1' in field 3 is not a number" predict $model --trace "$trace"
    printf '0,0,nan\n' >"$trace"
    refused "--trace '$trace': line 1: 'nan' in field 3 is not a number" predict $model --trace "$trace"
    seq -s, 40 >"$trace"
    refused "--trace '$trace', line 1: more than 16 fields; " predict $model --trace "$trace"
done
printf 'a,0,0,5,5,10\n' >"$trace"
refused "--trace '$trace': line 1: '5' in field 5 is not a number from 6 " predict loop --trace "$trace"
printf 'a,0,0,0,5,10\na,0,0,5,6\n' >"$trace"
refused "--trace '$trace': line 2: 5 fields, not 6; " predict loop --trace "$trace"
for model in pipeline oscillation round-robin migration; do
    refused "$model: --trace '$trace': this model takes no trace; nothing is predicted$" predict $model --trace "$trace"
done
done_testing
