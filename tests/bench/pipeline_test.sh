#!/bin/bash
# bench/pipeline compares chosen blocks with fixed ones on real ranks and on simulated ones, and
# prints what it says.
source tests/support/tap.sh

[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/pipeline binds two ranks to two processors'
pipeline=$(keel_path bench/pipeline)
built=$(keel_path bench/pipeline_dir/sampler)
built=${built%/bench/*}

run_pipeline()
{
    timeout "$((3 * tap_patience_s))" "$pipeline" --built "$built" --repeat 1 --sweeps 4 --sizes '10 200 1000' --workers 3 \
        --latencies 50 "$@"
}

number='[0-9]+\.[0-9]+'
table=$(run_pipeline 2>"$TEST_TMPDIR/messages")
is $? 0 'the benchmark succeeds'
messages=$(<"$TEST_TMPDIR/messages")
like "$table" '^command: bench/pipeline .*--sweeps 4' 'the command line is printed'
like "$messages" '^keel: real ranks, chained$' 'away from a terminal, progress comes in lines'
like "$table" '^sweeps +chosen block +ms +best block +ms +ratio +bar$' 'the table has its heading'
for mode in chained isolated; do
    for what in '2 ranks' '3 workers, 50 us'; do
        like "$table" "^$what, $mode +[0-9]+ +$number +(10|200|1000) +$number +$number +1\.05 (held|missed)$" \
            "$what, $mode: chosen and best"
    done
done
like "$table" '^[0-4] of 4 bars are held\.$' 'bars are counted'

# Points of three workers can't be swept in less time than a third of what one takes; a single block
# takes all of it.
rows=$(run_pipeline --parts simulated --csv 2>/dev/null)
is "$(head -n 1 <<<"$rows")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
is "$(grep -c . <<<"$rows")" 13 'CSV has each size, the chosen block, and how it compares, of both modes'
like "$rows" '^pipeline,"3 workers, 50 us, isolated",1000,median,5[0-9](\.[0-9]+)?,ms$' \
    'blocks of a row keep workers waiting for each other'
like "$rows" '^pipeline,"3 workers, 50 us, isolated",10,median,1[78](\.[0-9]+)?,ms$' \
    'small ones do not'
like "$rows" '^pipeline,"3 workers, 50 us, chained",chosen,over best,[01](\.[0-9]+)?,1$' \
    'the chosen one is compared with the best'

messages=$(run_pipeline --parts 'real full' 2>&1)
is $? 2 'an unknown part ends the benchmark'
like "$messages" "^keel: --parts 'full' is not one of real simulated; nothing is run" 'and is named'
messages=$(run_pipeline --sizes '4 x' 2>&1)
is $? 2 'so does a size that is none'
like "$messages" "^keel: --sizes 'x' is not a whole number from 1; nothing is run" 'which is named'
done_testing
