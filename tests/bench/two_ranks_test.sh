#!/bin/bash
# Commands of bench/ that bind two ranks to two processors: they run what they say, and print what they say.
source tests/bench/bench_command.sh
[ "$(nproc)" -ge 2 ] || plan skip_all 'they bind two ranks to two processors'

# --- pipeline: bench/pipeline compares chosen blocks with fixed ones on real ranks and on simulated ones, and prints
# what it says ---

bench pipeline pipeline_dir/timed_sweeps
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
isolated='^3 workers, 50 us, isolated +[0-9]+ +[0-9.]+'
succeeds --parts simulated --sizes 1000
like "$table" "$isolated +1000 +5[0-9]\.[0-9]+ " 'blocks of a row keep workers waiting for each other'
succeeds --parts simulated --sizes 10
like "$table" "$isolated +10 +1[78]\.[0-9]+ " 'small ones do not'

refuses "--parts 'full' is not one of real simulated; nothing is run" --parts 'real full'
refuses "--sizes 'x' is not a whole number from 1; nothing is run" --sizes '4 x'

# --- rows: bench/rows runs applications with and without balancing and beside competing loads, and prints what it says.
# What comes out depends on what else the machine does; that it comes out does not. ---

bench rows apps/sor
usual=(--quick --scale 0.01)

bar='-?[0-9.]+ (held|missed)'
small='matmul:50 sor:50'
succeeds --parts calls --apps "$small"
like "$table" '^command: bench/rows .*--quick' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: balance calls, sor:50$' 'away from a terminal, progress comes in lines'
for app in $small; do
    like "$(row 'Balance calls' "$app")" "^$app( +$number){6} +$bar$" "$app: balance calls have their row"
done
like "$table" '^[0-9]+ of 2 bars are held\.$' 'bars are counted'

succeeds --parts load --apps 'sor:100'
like "$(row 'A constant competing load' sor:100)" "^sor:100( +$number){5} +$bar$" 'a load that stays has its row'

refuses "--parts 'full' is not one of calls load;" --parts 'calls full'
refuses "--apps 'sor2' is not one of matmul sor;" --apps 'sor sor2'
refuses "--apps 'sor:0' is not one of matmul sor;" --apps 'sor:0'
refuses "--scale '0' is not a number such as 0.5" --scale 0

# --- shared: bench/shared runs every policy through memory and by messages, and prints what it says. Its ranks fail
# where an iteration does not run exactly once. ---

bench shared shared_dir/shared_loops
usual=(--repeat 1 --instances 2 --samples 1 --scale 0.02)

succeeds
like "$table" '^command: bench/shared .*--samples 1' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: unequal ranks, tree$' 'away from a terminal, progress comes in lines'
like "$table" '^policy +first instance +worst +later instances +worst +bar$' 'unequal ranks have their heading'
for what in '400 x 0.02 ms, window' '40 x 0.4 ms, window' '400 x 0.02 ms, messages' '40 x 0.4 ms, messages'; do
    for policy in tree rate af awf-c fac2 gss ss steal static; do
        like "$(row "slower: $what" "$policy")" "^$policy( +$number){4} +-$" "$what: $policy, without a bar at this scale"
    done
done
for ranks in 1 2 3 4 5 6 7 8; do
    like "$(row 'Empty iterations' "$ranks")" "^$ranks( +$number){4} +300 (held|missed)$" "$ranks rank(s): ns per iteration beside MPI_Fetch_and_op"
done
for schedule in fac2 rate; do
    like "$(row 'A loop on one rank' "$schedule")" "^$schedule( +$number){3} +1\.01 (held|missed)$" "$schedule: one rank, shared and not"
done
like "$table" '^loop +MPI_Barrier +af +fac2 +rate +ss +static +steal +tree$' 'empty loops have their heading'
for way in window messages; do
    for iterations in 0 1 2; do
        like "$table" "^N = $iterations, $way( +$number){8}$" "empty loops of $iterations iterations, $way"
    done
done
like "$table" '^[0-9]+ of 10 bars are held\.$' 'bars are counted'
# Iterations that are busy by the clock can't end before the ideal.
like "$(row 'slower: 40 x 0.4 ms, window' static)" '^static +[1-9]' 'nothing is quicker than the ideal'

KEEL_MPI_SCHEDULE=gss succeeds --parts 'unequal alone' --policies 'steal,2 tree'
is "$(grep -cE "^(steal,2|tree)( +$number){4} +-$" <<<"$table")" 8 'policies that are asked for have a row in each case'
unlike "$table" '^(gss|Empty)' 'and no others'

refuses "--policies: .*'trree'.* nearest is 'tree'" --policies trree
refuses "--parts 'full' is not one of unequal counter alone empty" --parts 'empty full'

done_testing
