#!/bin/bash
# What Keel makes of Barker and others' experiments, in the short form of bench/papers.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/paper/table.sh
source bench/paper/prema05/prema05.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built=$(keel_path bench/paper/prema05/objects)
built=${built%/bench/paper/prema05/objects}

# figures ROW: paper, model, simulated, best; of the first such row.
figures()
{
    awk -v row="$1 " 'index($0, row) == 1 { sub(row " *", ""); print $1, $2, $3, $4; exit }' \
        "$folder/tables"
}

# holds EXPRESSION: of awk.
holds()
{
    awk "BEGIN { exit !($1) }"
}

# between FIGURE LEAST MOST
between()
{
    holds "\"$1\" + 0 >= $2 && \"$1\" + 0 <= $3 && \"$1\" != \"-\""
}

# agree ROW PERCENT: the model does with the simulation.
agree()
{
    local model simulated
    read -r _ model simulated _ < <(figures "$1")
    holds "\"$simulated\" + 0 > 0 && ($model / $simulated - 1) ^ 2 <= ($2 / 100) ^ 2"
}

# error_of TEST: of the model, in percent.
error_of()
{
    figures "$1" | cut -d ' ' -f 2
}

(
    set -eu -o pipefail
    prema05_run "$folder" 1
) >"$folder/tables" 2>"$folder/complaints"
is $? 0 'all of it runs'
is "$(<"$folder/complaints")" '' 'without complaints'

for tasks in 4 8; do
    for test in 'linear-2 3' 'linear-4 4' 'step 4' 'PCDT-like 3'; do
        ok "${test% *}, $tasks tasks: the model is within ${test#* } %" \
            agree "${test% *}, 32, $tasks" "${test#* }"
    done
done
errors=$(sed -n '/mean error of the model/,$p' "$folder/tables")
like "$errors" 'linear-2, % off: .*: met$' 'linear-2: the mean error is below the bar'
like "$errors" 'linear-4, % off: .*: met$' 'linear-4: the mean error is below the bar'
like "$errors" 'step, % off: .*: met$' 'step: the mean error is below the bar'
like "$errors" 'PCDT-like, % off: .*: met$' 'PCDT-like: the mean error is below the bar'

read -r paper model simulated best < <(figures 'none, 10 % heavy')
ok 'PREMA gains over none what it did in the paper' \
    between "$simulated" $((paper - 2)) $((paper + 2))
ok 'the model agrees' between "$model" $((paper - 2)) $((paper + 2))
ok "Keel's best gains 40 % over none" between "$best" 40 100
read -r paper _ simulated best < <(figures 'seed-based, 10 % heavy')
ok 'PREMA gains over seeds what it did in the paper, within 5 %' \
    between "$simulated" $((paper - 5)) $((paper + 5))
ok "Keel's best gains 20 % over seeds" between "$best" 20 100

runs=$(cat "$folder"/gains "$folder"/compare*.runs)
is "$(grep -c '^run ' <<<"$runs")" 62 'every run came to its end'
is "$(grep -vc ' once$' <<<"$runs")" 0 'every task was executed once, with its object'
# whole tasks allow no more: 8 light and 1 heavy one, of 512 that are 563 light ones
ok 'no policy is faster than whole tasks allow' \
    test -z "$(awk '$5 == "heavy:10:2" && $7 < 9 * 60 * 64 / 563' <<<"$runs")"
is "$(awk '$2 == "none" { print $11 + $12 }' <<<"$runs")" 0 'without balancing nothing moves'
ok 'the picture of the first figure is there' test -s "$folder/prema05-figure1.png"
done_testing
