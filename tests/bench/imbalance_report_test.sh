#!/bin/bash
# The report of bench/imbalance works out medians and ratios, from lines that are written down here.
source tests/support/tap.sh

report=bench/imbalance_dir/report.pl

# instances VARIANT IDEAL_US FIRST_US LATER_US LEARNED_US: one process that repeats a loop 12 times.
instances()
{
    local number wall
    for number in {1..12}; do
        wall=$4
        [ "$number" != 1 ] || wall=$3
        [ "$number" -le 10 ] || wall=$5
        printf '%s\t%s\t%s\t2\t1\t%d\t%d\t%d\t%s\n' "$kernel" "$condition" "$1" "$number" \
            $((wall * 1000)) $(($2 * 1000)) 12.5
    done
}

# Sums in ms: under uniform 12.5, 13.2 and 17.54 against ideals of 12; under tail 26 and 14.28 against
# 12, and 28.2 against 24.
all_instances()
{
    kernel=uniform condition=equal
    instances 'libgomp static' 1000 1500 1000 1000
    instances css,16 1000 1100 1100 1100
    instances auto 1000 2000 1500 1020
    kernel=tail
    instances 'libgomp static' 1000 4000 2000 2000
    instances css,16 2000 1800 2400 2400
    instances auto 1000 1200 1200 1140
}

# row TABLE TITLE VARIANT: the row of the table below that title, single blanks between its cells.
row()
{
    awk -v title="$2" -v variant="$3" '$0 == title { inside = 1 } $0 == "" { inside = 0 }
        inside && index($0, variant " ") == 1 { $1 = $1; print }' <<<"$1"
}

table=$(all_instances | perl "$report")
is $? 0 'the report succeeds'
is "$(row "$table" 'uniform, equal' 'libgomp static')" \
    'libgomp static 1.500 1.000 1.000 1.500 1.000 1.000 12.5 1.000' 'the best is compared with itself'
is "$(row "$table" 'uniform, equal' css,16)" \
    'css,16 1.100 1.100 1.100 1.100 1.100 1.100 12.5 1.056' 'others are compared with it'
is "$(row "$table" 'uniform, equal' auto)" \
    'auto 2.000 1.500 1.020 2.000 1.500 1.020 12.5 1.403' 'so is auto'
is "$(row "$table" 'tail, equal' css,16)" \
    'css,16 1.800 2.400 2.400 0.900 1.200 1.000 12.5 1.000' 'time / ideal decides what is best'
is "$(row "$table" 'tail, equal' auto)" \
    'auto 1.200 1.200 1.140 1.200 1.200 0.950 12.5 1.013' 'auto may be better, and is not the best fixed one'
summary='All kernels: geometric mean of time / ideal, from the second instance on'
is "$(row "$table" "$summary" 'libgomp static')" 'libgomp static 1.414' 'kernels are put together by geometric means'
regret='from the third instance on'
# Means of instances 3 to 12: under uniform 1, 1.1 and 1.404 of the ideals; under tail 2, 1.2 and 1.188.
is "$(row "$table" "$regret" 'libgomp static')" 'libgomp static 1.333 1.667 tail' 'regret is the ratio to the best of each loop'
is "$(row "$table" "$regret" css,16)" 'css,16 1.050 1.100 uniform' 'with its mean and worst'
is "$(row "$table" "$regret" auto)" 'auto 1.197 1.404 uniform' 'that of auto as well'
like "$table" '^least worst regret: css,16, 1.100$' 'the schedule of the least worst regret is named'
unlike "$table" '.{101}' 'lines have at most 100 columns'
table=$(all_instances | grep -v auto | perl "$report")
unlike "$table" '^auto' 'nothing is said of auto where it did not run'
table=$(all_instances | awk -F'\t' '$6 < 11' | perl "$report")
is "$(row "$table" 'uniform, equal' css,16)" \
    'css,16 1.100 1.100 - 1.100 1.100 - 12.5 1.048' 'ten instances have none after the tenth'

rows=$(all_instances | perl "$report" --csv)
is "$(head -n 1 <<<"$rows")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
is "$(wc -l <<<"$rows")" 67 'CSV has eleven metrics of each'
like "$rows" '^imbalance,uniform; equal,"css,16",instances 11.. to best fixed,1.1,1$' 'ratios are rows'
like "$rows" '^imbalance,tail; equal,auto,first instance,1.2,ms$' 'times are in ms'
like "$rows" '^imbalance,tail; equal,auto,imbalance,12.5,%$' 'imbalance is in percent'

messages=$(perl "$report" </dev/null 2>&1)
is $? 1 'nothing to report is an error'
like "$messages" '^keel: report: the input is not what imbalance_dir/program writes' 'which is told'
messages=$(echo 'uniform equal' | perl "$report" 2>&1)
is $? 1 'so is another input'
done_testing
