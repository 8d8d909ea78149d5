#!/bin/bash
# bench/pipeline compares chosen blocks with fixed ones on real ranks and on simulated ones, and
# prints what it says.
name=pipeline program=pipeline_dir/sweeps
source tests/bench/command.sh
[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/pipeline binds two ranks to two processors'
usual=(--repeat 1 --sweeps 4 --sizes '10 200 1000' --workers 3 --latencies 50)

succeeds
like "$table" '^command: bench/pipeline .*--sweeps 4' 'the command line is printed'
like "$messages" '^keel: real ranks, chained$' 'away from a terminal, progress comes in lines'
like "$table" '^sweeps +chosen block +ms +best block +ms +ratio +bar$' 'the table has its heading'
for mode in chained isolated; do
    for what in '2 ranks' '3 workers, 50 us'; do
        like "$table" "^$what, $mode +[0-9]+ +$number +(10|200|1000)( +$number){2} +1\.05 (held|missed)$" \
            "$what, $mode: chosen and best"
    done
done
like "$table" '^[0-4] of 4 bars are held\.$' 'bars are counted'

# Points of three workers can't be swept in less time than a third of what one takes; a single block
# takes all of it.
prints_csv --parts simulated
is "$(grep -c . <<<"$table")" 13 'CSV has each size, the chosen block, and how it compares, of both modes'
like "$table" '^pipeline,"3 workers, 50 us, isolated",1000,median,5[0-9](\.[0-9]+)?,ms$' \
    'blocks of a row keep workers waiting for each other'
like "$table" '^pipeline,"3 workers, 50 us, isolated",10,median,1[78](\.[0-9]+)?,ms$' \
    'small ones do not'
like "$table" '^pipeline,"3 workers, 50 us, chained",chosen,over best,[01](\.[0-9]+)?,1$' \
    'the chosen one is compared with the best'

refuses "--parts 'full' is not one of real simulated; nothing is run" --parts 'real full'
refuses "--sizes 'x' is not a whole number from 1; nothing is run" --sizes '4 x'
done_testing
