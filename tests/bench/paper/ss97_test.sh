#!/bin/bash
# The figures of Siegell and Steenkiste, in the short form: models agree with simulations, and what
# the paper found is found again.
source tests/bench/bench_command.sh
paper=ss97
source tests/bench/paper/paper.sh
model=$built/bench/papers_dir/ss97/ss97_model

# figure TABLE ROW COLUMN: of the row that begins so, in the first table whose title has that; from
# the right: 6 paper, 5 model, 4 simulated, 3 best.
figure()
{
    awk -v title="$1" -v row="$2" -v column="$3" '
        /^$/ { inside = 0 }
        index($0, title) { inside = 1 }
        inside && index($0, row) == 1 { print $(NF - column + 1); exit }' <<<"$tables"
}

# below FIGURE OTHER NAME
below()
{
    ok "$3" holds "\"$1\" != \"\" && $1 + 0 == $1 && $2 + 0 == $2 && $1 < $2"
}

is "$(grep -c ', at most ' <<<"$tables")" 10 'all bars are there'
is "$(grep ', at most ' <<<"$tables" | grep -v ': met$' | grep -vc 'beside 77.7 % as stated')" 0 \
    'models agree with simulations, and the default is no slower than it may be'
is "$(grep 'beside 77.7 % as stated' <<<"$tables" | grep -c ': missed$')" 2 \
    'the one stated efficiency is missed, and counts as missed'
is "$(grep -c 'nan' <<<"$tables")" 0 'every figure is a number'

# Figures 8 and 9
for cost in 1 5 25; do
    for block in 5 20 80 250; do
        below "$(figure 'Figure 8' "$cost ms, $block" 4)" "1.02 * $(figure 'Figure 8' "$cost ms, chosen" 4)" \
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
below "$(figure "$beside" '2 ' 4)" "$(figure "$beside" '10 ' 4)" 'a period of 2 quanta is worse than one of 10'
# movements ROW: of the line that follows
movements()
{
    grep -A 1 "^$1 " <<<"$tables" | awk '$1 == "movements" { print $4; exit }'
}
below "$(movements 0.1)" "$(movements none) / 2" 'the threshold saves most of the movements'

# Figure 23 and section 7
like "$tables" 'reproduced: beside a constant load efficiencies are very similar to those without one' 'a constant load is followed once'
like "$tables" 'reproduced: with a threshold of 0.1 the work stays where it is' 'and small changes of rates are not'

# Figures 18 and 20
like "$tables" 'reproduced: from periods of 10 quanta on filtered rates are as near as the threshold' 'short periods measure turns'
below 30 "$(figure 'Figure 18' '1 ' 2)" 'of one quantum most'
like "$tables" 'reproduced: balancing takes a small part of the master' 'the master has time'
below 0 "$(figure 'Figure 20' '16 ' 1)" 'and needs some'

# S12; weighed ROW COLUMN, from the right: 4 time, 2 movements, 1 rows
weighed()
{
    awk -v row="$1" -v column="$2" 'index($0, row) == 1 {
        sub(/ [0-9.]+ *\([^)]*\)/, " -"); print $(NF - column + 1); exit }' <<<"$tables"
}
below "$(weighed '4; the benefit, published' 2)" "$(weighed '4; never' 2)" 'the published test cancels movements'
below "$(weighed '4; the benefit, published' 4)" "$(weighed '4; rows stay' 4)" 'which pays'

# Figures 25 to 30: the paper's method over rows that stay. Over ten seeds a load of 60 s takes 0.90 of staying on 16.
# over ROW [COLUMN]: from the right: 2 the paper's method, 1 Keel's default
over()
{
    figure 'Whether following' "$1" "${2:-2}"
}
below "$(over 'red-black SOR 1000, 4 workers, 60 s')" 0.9 'tracking a load of 60 s pays on 4 workers'
below "$(over 'red-black SOR 1000, 16 workers, 60 s')" 0.95 'and on 16'
below 1 "$(over 'red-black SOR 2000, 4 workers, 20 s')" \
    'on 4 workers one of 20 s is not worth following where movements cost much'
below "$(over 'red-black SOR 2000, 16 workers, 20 s')" 0.95 'on 16 it is'
below "$(over 'pipelined SOR 1000, 4 workers, 60 s' 1)" 0.95 "Keel's default follows a load in pipelined sweeps"
like "$tables" 'not reproduced: with loads of 20 s SOR 2000 gets' 'which is printed'
is "$(grep -c 'above 1' <<<"$tables")" 2 'on every number of workers'
compared "Keel's rows with KEEL_MPI_BALANCE=rate:period=1,quantum=1,gain=0.1,greatly=2,profit=published\\."

# The paper's SOR as it is, beside red-black sweeps
sweeps='Pipelined SOR beside'
below "$(figure "$sweeps" "  pipelined, Keel's default" 4)" "0.85 * $(figure "$sweeps" '  pipelined, rows stay' 4)" \
    'rows that move within sweeps balance a load'
concluded=$(sed -n '/for its pipelined sweeps:/,$p' <<<"$tables")
like "$concluded" ' reproduced: with loads of 60 s following pays' 'following pays there, too'
like "$concluded" ' reproduced: with loads of 20 s SOR 2000 gets considerably slower' \
    'but not a load of 20 s where movements cost much, as the paper has it'

# Arguments
for words in '' 'turns barrier 200' 'nothing 1 2 3'; do
    like "$("$model" $words 2>&1; echo "status $?")" 'status 2' "model $words: usage"
done
unlike "$("$model" turns barrier 0 0,0 1; "$model" turns pipelined 200 0 0;
    "$model" oscillation workers=1)" nan 'nothing is not a number'

# Simulated figures repeat, as do draws of loads; a program that leaves rows out ends it all.
part "$TEST_TMPDIR/again" turns >"$TEST_TMPDIR/turns"
is "$(comm -23 <(grep '^1,0,0,0; ' "$TEST_TMPDIR/turns" | sort) <(sort <<<"$tables"))" '' 'simulations repeat exactly'

done_testing
