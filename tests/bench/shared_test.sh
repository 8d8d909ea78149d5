#!/bin/bash
# bench/shared runs every policy through memory and by messages, and prints what it says. Its ranks
# fail where an iteration does not run exactly once.
name=shared program=shared_dir/sampler
source tests/bench/command.sh
[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/shared binds two ranks to two processors'
usual=(--repeat 1 --instances 2 --samples 1 --scale 0.02)

succeeds
like "$table" '^command: bench/shared .*--samples 1' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: unequal ranks, tree$' 'away from a terminal, progress comes in lines'
like "$table" '^policy +first instance +worst +later instances +worst +bar$' 'unequal ranks have their heading'
for what in '400 x 0.02 ms, window' '40 x 0.4 ms, window' '400 x 0.02 ms, letters' '40 x 0.4 ms, letters'; do
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
for way in window letters; do
    for iterations in 0 1 2; do
        like "$table" "^N = $iterations, $way( +$number){8}$" "empty loops of $iterations iterations, $way"
    done
done
like "$table" '^[0-9]+ of 10 bars are held\.$' 'bars are counted'
# Iterations that are busy by the clock can't end before the ideal.
like "$(row 'slower: 40 x 0.4 ms, window' static)" '^static +[1-9]' 'nothing is quicker than the ideal'

KEEL_MPI_SCHEDULE=gss prints_csv --parts 'unequal alone' --policies 'steal,2 tree'
is "$(grep -c . <<<"$table")" 37 'CSV has four metrics for each policy in each case, and one for each loop alone'
like "$table" '^shared,"unequal; 40 x 0.4 ms, letters","steal,2",first instance,[0-9.e+-]+,1$' 'unequal ranks are rows'
like "$table" '^shared,alone; rate,shared,median,[0-9.e+-]+,ms$' 'so are loops on one rank'

refuses "--policies: .*'trree'.* nearest is 'tree'" --policies trree
refuses "--parts 'full' is not one of unequal counter alone empty" --parts 'empty full'
done_testing
