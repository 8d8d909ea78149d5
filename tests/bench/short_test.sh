#!/bin/bash
# bench/short runs each case under libgomp and under schedules, compares what they compute, and prints
# what it says.
name=short program=short_dir/program
source tests/bench/command.sh
usual=(--rounds 2 --regions 20)

KEEL_SCHEDULE=ss succeeds --seed 7 --schedules static,gss
like "$table" '^command: bench/short .* --seed 7$' 'the command line is printed, with the seed'
like "$table" '^machine: .*, load average [0-9.]+$' 'and the machine'
like "$messages" '^keel: step: round 2 of 2$' 'away from a terminal, progress comes in lines'
for case in rows34 elements long step; do
    like "$table" "^$case$" "$case has its table"
done
is "$(grep -cE '^schedule +region, us +of clause +of Keel static$' <<<"$table")" 4 'with a heading'
is "$(grep -cE "^clause +$number +1\.000 +$number$" <<<"$table")" 4 'the clause is compared with itself'
is "$(grep -cE "^static +$number +$number +1\.000$" <<<"$table")" 4 "so is Keel's static"
for variant in libgomp gss; do
    is "$(grep -cE "^$variant +$number +$number +$number$" <<<"$table")" 4 "$variant has its rows"
done
unlike "$table" WRONG 'all compute the same'

# One seed, one sum, whoever runs which iteration.
sum_of()
{
    OMP_NUM_THREADS=$1 OMP_SCHEDULE=$2 "$program" "$3" runtime "$4" 20 1.5 | cut -d' ' -f2
}
is "$(sum_of 3 dynamic rows34 7)" "$(sum_of 1 static rows34 7)" 'the sum does not depend on who runs what'
ok 'nor is it that of other iterations' test "$(sum_of 1 static rows34 7)" != "$(sum_of 1 static elements 7)"

messages=$(run --cases rows 2>&1)
ok 'an unknown case ends the benchmark' test $? != 0
like "$messages" "^keel: short_dir/program: 'rows' is not a case" 'and is named'
refuses "--rounds '0' is not a whole number from 1" --rounds 0
done_testing
