#!/bin/bash
# The figures of Siegell and Steenkiste, in the short form: models agree with simulations, and what
# the paper found is found again.
source tests/support/tap.sh
paper=ss97
source tests/bench/paper/paper.sh
model=$built/bench/papers_dir/ss97/model

# figure TABLE ROW COLUMN: of the row that begins so, in the first table whose title has that; from
# the right: 6 paper, 5 model, 4 simulated, 3 best.
figure()
{
    awk -v title="$1" -v row="$2" -v column="$3" '
        /^$/ { inside = 0 }
        index($0, title) { inside = 1 }
        inside && index($0, row) == 1 { print $(NF - column + 1); exit }' "$tables"
}

# below FIGURE OTHER NAME
below()
{
    ok "$3" holds "\"$1\" != \"\" && $1 + 0 == $1 && $2 + 0 == $2 && $1 < $2"
}

# bar TEXT: the figure of a line of paper_bar
bar()
{
    sed -n "s/^  $1.*: \([^ ]*\), at most .*/\1/p" "$tables" | sort -g | tail -n 1
}

is "$(grep -c ', at most ' "$tables")" 9 'all bars are there'
is "$(grep 'largest difference' "$tables" | grep -vc ': met$')" 0 'models agree with simulations'
is "$(grep 'beside 77.7 % as stated' "$tables" | grep -c ': missed$')" 2 \
    'the one stated efficiency is missed, and counts as missed'
ok "Keel's default is no more than 2 % slower than rows that stay" \
    holds "0 < $(bar "Keel's default, time over that of rows that stay") &&
        $(bar "Keel's default, time over that of rows that stay") <= 1.02"
ok "nor more than 4 % slower than the paper's method" \
    holds "0 < $(bar "Keel's default, time over that of the paper's method") &&
        $(bar "Keel's default, time over that of the paper's method") <= 1.04"
is "$(grep -c 'nan' "$tables")" 0 'every figure is a number'

# Figures 8 and 9
for cost in 1 5 25; do
    for block in 5 20 80 250; do
        below "$(figure 'Figure 8' "$cost ms, $block" 4)" \
            "1.02 * $(figure 'Figure 8' "$cost ms, chosen" 4)" \
            "$cost ms a message: blocks of $block are no more than 2 % better than the chosen ones"
    done
done
below "$(figure 'Figure 9' '1000, 16, 150 ms' 4)" "$(figure 'Figure 9' '1000, 16, chosen' 4) / 2" \
    'of 16 workers a fixed grain leaves most idle'

# Figures 11 and 13
below "$(figure 'Figure 13' '1,0,0,0; 0.25' 4)" 0.5 'barriers in short of a quantum waste turns'
below 0.99 "$(figure 'Figure 13' '1,0,0,0; 4' 4)" 'and those of many quanta do not'
below 0.95 "$(figure 'Figure 11' '1,0,0,0; 0.25' 4)" 'pipelines do not in either'

# Figures 19 and 24
beside='load for 30 of 60 s'
below "$(figure "$beside" '2 ' 4)" "$(figure "$beside" '10 ' 4)" \
    'a period of 2 quanta is worse than one of 10'
# movements ROW: of the line that follows
movements()
{
    grep -A 1 "^$1 " "$tables" | awk '$1 == "movements" { print $4 }' | head -n 1
}
below "$(movements 0.1)" "$(movements none) / 2" 'the threshold saves most of the movements'

# Figures 25 to 30: every method, both seeds, on 4 and 16 workers. Over ten seeds
# a load of 60 s comes to 0.90 of staying on 16.
ss97_folder=$folder
for limit in '4 0.9' '16 0.95'; do
    read -r workers most <<<"$limit"
    for period in 60 20; do
        runs=$(ss97_runs sor 2000 $workers $period)
        is "$(awk '{ print $1 }' "$runs" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2 \
            "$workers workers, $period s: every method has every seed"
    done
    ok "$workers workers: tracking a load of 60 s pays" \
        holds "$(ss97_over "sor 1000 $workers 60" ss97 stay) < $most"
done
ok 'on 4 workers one of 20 s is not worth following where movements cost much' \
    holds "$(ss97_over 'sor 2000 4 20' ss97 stay) > 1"
ok 'on 16 it is' holds "$(ss97_over 'sor 2000 16 20' ss97 stay) < 0.95"
like "$(<"$tables")" 'did not come out: with loads of 20 s SOR 2000 gets' 'which is told of'
is "$(sed -n '/Whether following a load pays/,/conclusions/p' "$tables" |
    grep -c 'above 1')" 2 'on every number of workers'

# S12
# weighed ROW COLUMN, of the table: from the right: 4 time, 2 movements, 1 rows
weighed()
{
    awk -v row="$1" -v column="$2" 'index($0, row) == 1 {
        sub(/ [0-9.]+ *\([^)]*\)/, " -"); print $(NF - column + 1); exit }' "$tables"
}
below "$(weighed '4; the benefit, published' 2)" "$(weighed '4; never' 2)" \
    'the published test cancels movements'
below "$(weighed '4; the benefit, published' 4)" "$(weighed '4; rows stay' 4)" 'which pays'

# What is drawn
for seed in 1 2 3; do
    read -r at period < <(ss97_draw $seed 20)
    ok "seed $seed: $at of $period s" holds "19 <= $period && $period <= 21 && 0 <= $at && $at < $period"
done
unlike "$(ss97_draw 1 20)" "^$(ss97_draw 2 20)\$" 'seeds differ'

# The paper's SOR as it is: in the comparison of methods, and beside red-black sweeps
is "$(awk '{ print $1, $2 }' "$(ss97_runs gs 1000 4 60)" | xargs)" 'stay 1 ss97 1 default 1' \
    'pipelined sweeps: each method is run'
over=$(ss97_over 'gs 1000 4 60' default stay)
ok "Keel's default follows a load that begins at a drawn time: $over of staying" \
    holds "0 < 0$over && 0$over < 0.95"
is "$(labels "$tables" | grep -c '^pipelined SOR 1000, 4 workers, 60 s ')" 1 'and the comparison has it'
compared "Keel's rows with KEEL_MPI_BALANCE=$SS97_PAPER\\."
sweeps='Pipelined SOR beside'
below "$(figure "$sweeps" "  pipelined, Keel's default" 4)" \
    "0.85 * $(figure "$sweeps" '  pipelined, rows stay' 4)" 'rows that move within sweeps balance a load'
concluded=$(sed -n '/for its pipelined sweeps:/,$p' "$tables")
like "$concluded" 'came out: with loads of 60 s following pays' 'following pays there, too'
like "$concluded" 'came out: with loads of 20 s SOR 2000 gets considerably slower' \
    'but not a load of 20 s where movements cost much, as the paper has it'

# Simulated figures repeat.
mkdir "$folder/again"
ss97_folder=$folder/again
again()
{
    ss97_folder=$1 ss97_rows "$SS97_PAPER" 4 turns 60 30 $SS97_SOR_1000
}
is "$(again "$folder/again")" "$(again "$folder")" 'simulations repeat exactly'

# Rows that are not complete, and no rows at all, end it.
echo '1 2 3 4 WRONG' >"$folder/again/case-3-off_2_half_20_10_mm_500_500_2"
like "$(ss97_rows off 2 half 20 10 $SS97_MM_500 2>&1 || echo "ends with $?")" 'ends with 1' \
    'rows that were left out are told of'

# Arguments
for words in '' 'pipeline 4 1000' 'turns barrier 200' 'nothing 1 2 3'; do
    like "$("$model" $words 2>&1; echo "status $?")" 'status 2' "model $words: usage"
done
unlike "$("$model" turns barrier 0 0,0 1; "$model" turns pipelined 200 0 0;
    "$model" pipeline 1 0 0 0 0 0 5; "$model" oscillation workers=1)" nan 'nothing is not a number'

# Hooks of 31 ms between exchanges of halos: turns of 100 ms disturb some, but what counts is the
# time between exchanges.
read -r stays _ < <(ss97_rows off 16 turns 20 10 $SS97_SOR_1000)
read -r follows _ < <(ss97_rows "$SS97_DEFAULT" 16 turns 20 10 $SS97_SOR_1000)
below "$follows" "0.9 * $stays" 'a load is followed where hooks are closer than turns, and exchanges are not'

done_testing
