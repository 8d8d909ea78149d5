#!/bin/bash
# bench/follow simulates what it draws: the same again, from where it stopped, and decisions that make
# jobs slow are told.
name=follow program=follow_dir/case
source tests/bench/command.sh

# figures OUTPUT: without what it took.
figures()
{
    grep -vE '^(command|machine|[0-9]+ runs)' <<<"$1"
}

# Of 60 cases: what is printed, and the files of their loads. RESULTS names seeds, which are to draw the same.
print_cases()
{
    local number
    for number in {1..60}; do
        rm -f "$TEST_TMPDIR"/load.*
        "$program" 11 "$number" "$TEST_TMPDIR"
        tail -n +1 "$TEST_TMPDIR"/load.* /dev/null 2>/dev/null
    done
}
is "$(print_cases | sed "s,$TEST_TMPDIR,," | md5sum)" 'cd5610e0dc4cf54dc6f9fec8c8f13366  -' 'a seed draws what it has always drawn'

drawn=(--seed 11 --cases 3 --without-named --policies 'default stay')
first=$(run "${drawn[@]}")
like "$first" '^seed: 11$' 'the seed is told'
is "$(grep -c '^case [1-3]: ' <<<"$first")" 3 'each case is described'
is "$(grep -cE '^  (default|stay) +[0-9.]+ s, [0-9]+ movements of [0-9]+ rows, once$' <<<"$first")" 6 'each run has a line'
like "$first" '^3 cases drawn$' 'and is in the distribution'
unlike "$first" 'WRONG|FAILED' 'rows are right'
is "$(figures "$(run "${drawn[@]}" --jobs 2 | sed -n '/cases drawn/,$p')")" \
    "$(figures "$(sed -n '/cases drawn/,$p' <<<"$first")")" 'two at a time come to the same'
like "$(run --cases 1 --without-named --policies default)" '^seed: [0-9]+$' 'without a seed, one is drawn'

again=$(run --seed 11 --case 2 --policies 'default stay')
is "$(grep -A 2 '^case 2: ' <<<"$again")" "$(grep -A 2 '^case 2: ' <<<"$first")" 'one case alone is the same'

kept=$TEST_TMPDIR/kept
run --seed 11 --cases 1 --without-named --policies default --keep "$kept" >/dev/null
rest=$(run "${drawn[@]}" --keep "$kept")
is "$(grep -cE '^  (default|stay) ' <<<"$rest")" 5 'what was kept is not simulated again'
is "$(figures "$(sed -n '/cases drawn/,$p' <<<"$rest")")" \
    "$(figures "$(sed -n '/cases drawn/,$p' <<<"$first")")" 'and counts'
like "$(run --seed 12 --keep "$kept" 2>&1)" 'has the cases of seed 11, not 12' 'but not for another seed'
left=$(run --seed 11 --cases 9 --without-named --policies 'default stay' --keep "$kept" --for 1 2>&1)
like "$left" '^keel: bench/follow: [0-9] of 9 cases are left to be simulated' 'it stops in time, and says so'

worse=$(run --seed 11 --cases 2 --without-named --policies 'default stay' --judge shake)
is $? 1 'rows that are moved by chance fail'
like "$worse" '^over the best of the others, per case: worst +at most 1\.06 .* missed by' 'by how much is told'

named=$(run --case sor1000-60s --policies 'default stay' --trace "$TEST_TMPDIR/traces")
like "$named" '^sor1000-60s: efficiency +at least 0\.96 +0\.[0-9]+ ' 'a named case is judged by efficiency'
like "$named" '^sor1000-60s +[0-9.]+ +140\.57$' 'it is that of bench/papers_dir'
ok 'each rank of a run has a trace' test -s "$TEST_TMPDIR/traces/sor1000-60s-default.3"

csv=$(run "${drawn[@]}" --keep "$kept" --csv)
is "$(head -n 1 <<<"$csv")" 'bench,case,variant,metric,value,unit' 'CSV has its heading first'
is "$(grep -cE '^follow,[1-3],(default|stay),time,[0-9.]+,s$' <<<"$csv")" 6 'and each run'

refuses "--cases 'x' is not a whole number" --cases x
refuses "--seed '0' is not a whole number" --seed 0
refuses '--cases 0: there is no case' --cases 0 --without-named
refuses "--jobs '-1' is not a whole number" --jobs -1
refuses "--case '3' is that of a --seed" --case 3
refuses "--case 'sor' is not a whole number from 1 or one of sor1000-20s" --seed 1 --case sor
refuses "--policies: .*unknown policy 'trree', nearest is 'tree'" --policies 'trree stay'
refuses '--policies: there is none' --policies ' '
printf 'other words\n' >"$TEST_TMPDIR/other"
refuses "--keep: '$TEST_TMPDIR/other' was not written by bench/follow" --keep "$TEST_TMPDIR/other"
done_testing
