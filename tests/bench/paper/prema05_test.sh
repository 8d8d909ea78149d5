#!/bin/bash
# What Keel makes of Barker and others' experiments, in the short form of bench/papers.
source tests/bench/bench_command.sh
paper=prema05 paper_program=prema05_tasks
source tests/bench/paper/paper.sh

# median ROW COLUMN: of a comparison
median()
{
    cell "$1" "$2" | sed 's/[ ,].*//'
}

# between FIGURE LEAST MOST NAME
between()
{
    ok "$4: $1 of $2 to $3" holds "\"$1\" != \"\" && \"$1\" != \"-\" && \"$1\" + 0 >= $2 && \"$1\" + 0 <= $3"
}

for tasks in 4 8; do
    for test in 'linear-2 3' 'linear-4 4' 'step 4' 'PCDT 3'; do
        read -r _ _ _ walk simulated _ < <(figures "${test% *}, 32, $tasks")
        ok "${test% *}, $tasks tasks: Keel's walk is within ${test#* } %" within "${test#* }" "$walk" "$simulated"
    done
done

# the published model like for like, and its steps: columns of the table of errors
error()
{
    figures "$1" 'mean absolute error' | cut -d ' ' -f "$2"
}
is "$(error linear-4 1)" 4 'linear-4: 4 % in the paper'
between "$(error linear-4 2)" 9 12 'and here' # by the version of SimGrid
between "$(error linear-4 3)" 5 10 'of which two classes alone make most'
between "$(error linear-2 2)" 6 9 'linear-2'
between "$(error step 2)" 1 4 'step'
is "$(error 'PCDT, 32' 1)" 3.2 'PCDT: 3.2 % in the paper'
between "$(error 'PCDT, 32' 2)" 18 22 'and here'
like "$tables" 'not reproduced: linear-4: the published model is within 4 %' 'and it is said'
like "$tables" ' reproduced: step: the published model is within 10 %' 'what is reproduced is said'
is "$(grep -c "Keel's walk, % off: .*: met$" <<<"$tables")" 4 "Keel's walk is below its bars"

is "$(cell 'none, 10 % heavy' 1)" 38 'PREMA gains 38 % over none in the paper'
between "$(median 'none, 10 % heavy' 2)" 36 38 'and here'
between "$(median 'none, 10 % heavy' 3)" 37 100 "Keel's default, its objects, over none"
between "$(median 'none, 10 % heavy' 4)" 40 42 'self-scheduling of 1986, with the bytes of all objects'
between "$(median 'none, 10 % heavy' 5)" 40 100 "Keel's best over none"
between "$(median 'repartition, 10 % heavy' 2)" 14.5 17 'PREMA over repartitioning, which is not what the paper has'
like "$tables" 'not reproduced: PREMA gains 40 % over repartitioning' 'and it is said'
between "$(median 'seed-based, 10 % heavy' 2)" 14.5 17 'PREMA over seeds'
read -r prema ss _ < <(figures 2600000)
ok 'with objects of 2600000 bytes, PREMA is ahead of self-scheduling' holds "$prema < $ss"
compared "Keel's objects with KEEL_MPI_BALANCE=prema\\."

# time, gain, idle, objects, messages of a policy
policy()
{
    figures "$1" 'R9: policies' | cut -d ' ' -f "$2"
}
is "$(policy none 4,5)" '0 0' 'without balancing nothing moves'
ok 'self-scheduling moves nearly all objects, with their bytes' test "$(policy keel:ss 4)" -gt 450
ok 'objects that Keel moves on demand are a part of all' test "$(policy mobile 4)" -gt 0 -a "$(policy mobile 4)" -lt 200
# 8 light and 1 heavy one, of 512 that are 563 light ones
is "$(awk '/R9: policies/ { inside = 1 } inside && NF == 6 && $2 > 0 && $2 < 9 * 60 * 64 / 563' <<<"$tables")" '' \
    'no policy is faster than whole tasks allow'

done_testing
