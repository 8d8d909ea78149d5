#!/bin/bash
# What bench/follow prints of runs whose statistics are worked out by hand.
source tests/support/tap.sh

report=bench/follow_dir/report.pl

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
is $? 1 'bars that are missed are told by the exit status'
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
like "$(<"$TEST_TMPDIR/output")" '^1 runs computed rows MORE OR LESS OFTEN' 'are told of'
met 's/(run\t2\tdefault\t)95\t3\t4\tonce/\1-\t-\t-\tfailed/' 'a run that failed' 1
like "$(<"$TEST_TMPDIR/output")" '^1 runs FAILED\.$' 'is told of'
like "$(<"$TEST_TMPDIR/output")" '^4 cases drawn$' 'its case does not count'
met 's/(run\tlocked\tdefault\t)205/\1207/' 'a lock-out alone' 1
met 's/(run\t4\tdefault\t)95/\1108/' 'one case in five that is slower' 1
met 's/(run\t4\tdefault\t)95/\1ninety/' 'input that is no number' 2
met 's/case\t1\t.*//' 'a run of no case' 2
perl "$report" tree >/dev/null 2>&1 <<<"$input"
is $? 2 'a policy that was not simulated'

csv=$(perl "$report" default --csv <<<"$input")
is "$(head -n 1 <<<"$csv")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
like "$csv" '^follow,locked,paper,time,200,s$' 'times'
like "$csv" '^follow,drawn,"the best of the others, per case",95 %,1\.086,1$' 'distributions'
like "$csv" '^follow,bar,over paper: mean,at most 0\.97,0\.9,1$' 'and bars'
done_testing
