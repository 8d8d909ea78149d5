#!/bin/bash
# bench/follow: what it simulates, and what it prints of that.
source tests/bench/bench_command.sh
source tests/support/tap.sh

# --- the command: bench/follow simulates what it draws: the same again, from where it stopped, and decisions that make
# jobs slow are printed ---

bench follow follow_dir/case

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
like "$first" '^seed: 11$' 'the seed is printed'
is "$(grep -c '^case [1-3]: ' <<<"$first")" 3 'each case is described'
is "$(grep -cE '^  (default|stay) +[0-9.]+ s, [0-9]+ movements of [0-9]+ rows, once$' <<<"$first")" 6 'each run has a line'
like "$first" '^3 cases drawn$' 'and is in the distribution'
unlike "$first" 'WRONG|FAILED' 'rows are right'
is "$(figures "$(run "${drawn[@]}" --jobs 2 | sed -n '/cases drawn/,$p')")" \
    "$(figures "$(sed -n '/cases drawn/,$p' <<<"$first")")" 'two at a time give the same'
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
like "$worse" '^over the best of the others, per case: worst +at most 1\.06 .* missed by' 'by how much is printed'

named=$(run --case sor1000-60s --policies 'default stay' --trace "$TEST_TMPDIR/traces")
like "$named" '^sor1000-60s: efficiency +at least 0\.96 +0\.[0-9]+ ' 'a named case is judged by efficiency'
like "$named" '^sor1000-60s +[0-9.]+ +140\.57$' 'it is that of bench/papers_dir'
ok 'each rank of a run has a trace' test -s "$TEST_TMPDIR/traces/sor1000-60s-default.3"

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

# --- the report: what bench/follow prints of runs whose statistics are worked out by hand ---

report=bench/follow_dir/follow_report.pl

# runs TEXT: words as fields.
runs()
{
    sed 's/^ *//; /^$/d' <<<"$1" | awk '{
        if ($1 == "case") { name = $2; $1 = $2 = ""; sub(/^ +/, ""); print "case\t" name "\t" $0 }
        else { gsub(/ /, "\t"); print }
    }'
}

# The default takes 1.00, 1.01, 1.02, 1.03 and 1.10 times as long as the best of the others, which is
# the paper's method in case 1 and staying in the others; named cases are not drawn.
input=$(runs '
    case 1 first words
    run 1 default 100 3 4 once 0.1
    run 1 stay 200 0 0 once 0.1
    run 1 paper 100 1 2 once 0.1
    case 2 second
    run 2 default 101 3 4 once 0.1
    run 2 stay 100 0 0 once 0.1
    run 2 paper 101 1 2 once 0.1
    case 3 third
    run 3 default 102 3 4 once 0.1
    run 3 stay 100 0 0 once 0.1
    run 3 paper 204 1 2 once 0.1
    case 4 fourth
    run 4 default 103 3 4 once 0.1
    run 4 stay 100 0 0 once 0.1
    run 4 paper 103 1 2 once 0.1
    case 5 fifth: 7 workers
    run 5 default 110 3 4 once 0.1
    run 5 stay 100 0 0 once 0.1
    run 5 paper 110 1 2 once 0.1
    case locked never drawn
    run locked default 300 3 4 once 0.1
    run locked stay 100 0 0 once 0.1
    run locked paper 200 1 2 once 0.3
    bar locked default 0.9 0.92
    bar locked paper 0.1 0.92')

output=$(perl "$report" default <<<"$input")
is $? 1 'missed bars set the exit status'
like "$output" '^5 cases drawn$' 'drawn cases are counted'
like "$output" '^the best of the others, per case +1\.032 +1\.000 +1\.002 +1\.010 +1\.020 +1\.030 +1\.086 +1\.097 +1\.100 +5$' 'the distribution over the best of the others'
like "$output" '^stay +0\.932 +0\.500 ' 'the one over rows that stay'
like "$output" '^paper +0\.900 +0\.500 .* 1\.000 +[1245]$' 'the one over the paper'
like "$output" '^best of the others: stay 4 paper 1$' 'who was the best'
like "$output" '^1\.100 of stay  --case 5: fifth: 7 workers$' 'the worst case, in words'
is "$(grep -c -e '--case' <<<"$output")" 5 'all others after it'
like "$output" '^over the best of the others, per case: mean +at most 1\.00 +1\.032 +missed by 0\.032$' 'a mean that is missed'
like "$output" '^over the best of the others, per case: 95 % +at most 1\.03 +1\.086 +missed by 0\.056$' 'a quantile that is missed'
like "$output" '^over the best of the others, per case: worst +at most 1\.06 +1\.100 +missed by 0\.040$' 'a worst case that is missed'
like "$output" '^over stay: 99 % +at most 1\.02 +1\.097 +missed by 0\.077$' 'over staying, the 99 % quantile'
like "$output" '^over paper: mean +at most 0\.97 +0\.900 +met$' 'a mean that is met'
like "$output" '^over paper: worst +at most 1\.04 +1\.000 +met$' 'a worst case that is met'
like "$output" '^locked: over paper +at most 1\.03 +1\.500 +missed by 0\.470$' 'a lock-out'
like "$output" '^locked: efficiency +at least 0\.92 +0\.900 +missed by 0\.020$' 'an efficiency of the judged policy'
is "$(grep -c efficiency <<<"$output")" 1 'but of no other one'
like "$output" '^locked +300\.00 +100\.00 +200\.00$' 'times of named cases'
like "$output" '^2 of 9 bars are met\.$' 'bars are counted'
like "$output" '^18 runs, 0\.11 s of processor time each, 2 s in all\.$' 'so is what it took'

output=$(perl "$report" paper <<<"$input")
like "$output" '^over the best of the others, per case: worst +at most 1\.06 +2\.040 ' 'another policy is judged'
like "$output" '^locked: efficiency +at least 0\.92 +0\.100 ' 'by its own efficiency'

# met CHANGE NAME STATUS: the same runs, changed by sed; the default as quick as the best.
quick=$(sed -E 's/^(run\t[0-9]\tdefault\t)[0-9]+/\195/; s/^(run\tlocked\tdefault\t)300/\1205/; s/\t0\.9\t/\t0.93\t/' <<<"$input")
met()
{
    perl "$report" default >"$TEST_TMPDIR/output" < <(sed -E "$1" <<<"$quick")
    is $? "$3" "$2"
}
met '' 'all bars are met' 0
like "$(<"$TEST_TMPDIR/output")" '^9 of 9 bars are met\.$' 'and said to be'
met 's/(run\t2\tdefault\t95\t3\t4\t)once/\1WRONG/' 'rows that were computed wrongly' 1
like "$(<"$TEST_TMPDIR/output")" '^1 runs computed rows MORE OR LESS OFTEN' 'are reported'
met 's/(run\t2\tdefault\t)95\t3\t4\tonce/\1-\t-\t-\tfailed/' 'a run that failed' 1
like "$(<"$TEST_TMPDIR/output")" '^1 runs FAILED\.$' 'is reported'
like "$(<"$TEST_TMPDIR/output")" '^4 cases drawn$' 'its case does not count'
met 's/(run\tlocked\tdefault\t)205/\1207/' 'a lock-out alone' 1
met 's/(run\t4\tdefault\t)95/\1108/' 'one case in five that is slower' 1
met 's/(run\t4\tdefault\t)95/\1ninety/' 'input that is no number' 2
met 's/case\t1\t.*//' 'a run of no case' 2
perl "$report" tree >/dev/null 2>&1 <<<"$input"
is $? 2 'a policy that was not simulated'

done_testing
