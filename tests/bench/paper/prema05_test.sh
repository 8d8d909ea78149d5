#!/bin/bash
# What Keel makes of Barker and others' experiments, in the short form of bench/papers.
source tests/support/tap.sh
paper=prema05 paper_program=objects
source tests/bench/paper/paper.sh

# cells ROW: of a comparison, medians: paper, paper's method, default, best old, best own.
cells()
{
    local column
    for column in 1 2 3 4 5; do
        cell "$1" $column | sed 's/[ ,].*//'
    done | xargs
}

# between FIGURE LEAST MOST
between()
{
    holds "\"$1\" + 0 >= $2 && \"$1\" + 0 <= $3 && \"$1\" != \"-\""
}

# agree ROW PERCENT: Keel's walk does with the simulation.
agree()
{
    local walk simulated
    read -r _ _ _ walk simulated _ < <(figures "$1")
    within "$2" "$walk" "$simulated"
}

for tasks in 4 8; do
    for test in 'linear-2 3' 'linear-4 4' 'step 4' 'PCDT 3'; do
        ok "${test% *}, $tasks tasks: Keel's walk is within ${test#* } %" \
            agree "${test% *}, 32, $tasks" "${test#* }"
    done
done

# the published model like for like, and its steps: columns of the table of errors
errors=$(sed -n '/^R7: mean absolute error/,$p' "$tables")
error()
{
    awk -v row="$1 " -v column="$2" 'index($0, row) == 1 { print $column; exit }' <<<"$errors"
}
is "$(error linear-4 2)" 4 'linear-4: 4 % in the paper'
ok 'and 9 to 12 % here' between "$(error linear-4 3)" 9 12 # by the version of SimGrid
ok 'of which two classes alone make most' between "$(error linear-4 4)" 5 10
ok 'linear-2: 6 to 9 %' between "$(error linear-2 3)" 6 9
ok 'step: 1 to 4 %' between "$(error step 3)" 1 4
ok 'PCDT: 18 to 22 %' between "$(error PCDT 3)" 18 22
like "$errors" 'did not come out: linear-4: the published model is within 4 %' 'and it is said'
like "$errors" ' came out: step: the published model is within 10 %' 'what came out is said'
for test in linear-2 linear-4 step PCDT; do
    like "$errors" "$test, Keel's walk, % off: .*: met$" "$test: Keel's walk is below its bar"
done

read -r paper prema default old own _ < <(cells 'none, 10 % heavy')
is "$paper" 38 'PREMA gains 38 % over none in the paper'
ok 'and 36 to 38 % here' between "$prema" 36 38
ok "Keel's default, its objects, gains 37 % over none" between "$default" 37 100
ok 'self-scheduling of 1986, with the bytes of all objects' between "$old" 40 42
ok "Keel's best gains 40 % over none" between "$own" 40 100
read -r _ prema _ < <(cells 'repartition, 10 % heavy')
ok 'PREMA over repartitioning, which is not what the paper has' between "$prema" 14.5 17
like "$(<"$tables")" 'did not come out: PREMA gains 40 % over repartitioning' 'and it is said'
read -r _ prema _ < <(cells 'seed-based, 10 % heavy')
ok 'PREMA over seeds' between "$prema" 14.5 17
read -r prema ss _ < <(figures 2600000)
ok 'with objects of 2600000 bytes, PREMA is ahead of self-scheduling' holds "$prema < $ss"

compared "Keel's objects with KEEL_MPI_BALANCE=prema\\."

runs=$(cat "$folder"/r9/gains "$folder"/r7/compare*.runs "$folder"/r9/bytes-*)
is "$(grep -c ' run ' <<<"$runs")" 49 'every run came to its end'
is "$(grep -vc ' once$' <<<"$runs")" 0 'every task was executed once, with its object'
# whole tasks allow no more: 8 light and 1 heavy one, of 512 that are 563 light ones
ok 'no policy is faster than whole tasks allow' \
    test -z "$(awk '$6 == "heavy:10:2" && $8 < 9 * 60 * 64 / 563' <<<"$runs")"
is "$(awk '$3 == "none" { print $12 + $13 }' <<<"$runs" | sort -u)" 0 \
    'without balancing nothing moves'
ok 'self-scheduling moves nearly all objects, with their bytes' \
    test "$(awk -v seed="$PREMA05_SEED" '$3 == "keel:ss" && $6 == "heavy:10:2" && $1 == seed { print ($12 > 450) }' \
        "$folder/r9/gains")" = 1
ok 'objects that Keel moves on demand are a part of all' \
    test -z "$(awk '$3 == "mobile" && !($12 > 0 && $12 < 200)' <<<"$runs")"
if prema05_has_scotch; then
    run=$(prema05_simulate "$folder" 16 "$PREMA05_STARTUP" weights=heavy:25:2 none \
        repartition:scotch)
    is $? 0 'partitions by Scotch can be carried out'
    is "$(awk '{ print $NF }' <<<"$run" | sort -u)" once 'every task is executed once'
    ok 'they gain a fifth over none' \
        test "$(awk '{ time[NR] = $7 } END { print (time[2] < 0.8 * time[1]) }' <<<"$run")" = 1
else
    skip 'partitions by Scotch' 'there is no libscotch (apt-get install libscotch-dev)'
fi
done_testing
