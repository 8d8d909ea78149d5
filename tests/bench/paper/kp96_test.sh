#!/bin/bash
# What Keel makes of Kim & Purtilo's experiments, in the short form of bench/papers.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/paper/table.sh
source bench/paper/kp96/kp96.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built=$(keel_path bench/paper/kp96/loops)
built=${built%/bench/paper/kp96/loops}

# figures ROW: paper, model, simulated, best.
figures()
{
    awk -v row="$1" 'index($0, row " ") == 1 {
        sub(/^ */, "", $0); rest = substr($0, length(row) + 1); split(rest, figure, " ")
        print figure[1], figure[2], figure[3], figure[4]; exit
    }' "$folder/tables"
}

# within PERCENT A B
within()
{
    awk -v percent="$1" -v a="$2" -v b="$3" \
        'BEGIN { d = 100 * (a / b - 1); exit !(d >= -percent && d <= percent) }'
}

# agree PERCENT ROW: the model and the simulation.
agree()
{
    local model simulated
    read -r _ model simulated _ < <(figures "$2")
    within "$1" "$model" "$simulated"
}

# below ROW COLUMN LIMIT: figures of the row: 1 paper, 2 model, 3 simulated, 4 best.
below()
{
    awk -v figure="$(figures "$1" | cut -d' ' -f"$2")" -v limit="$3" \
        'BEGIN { exit !(figure != "" && figure + 0 <= limit) }'
}

(
    set -eu -o pipefail
    kp96_run "$folder" 1
) >"$folder/tables" 2>"$folder/complaints"
is $? 0 'all of it runs'
is "$(<"$folder/complaints")" '' 'without complaints'
is "$(grep -l WRONG "$folder"/* | wc -l)" 0 'every task is done once'

is "$(figures migrations)" '2 2 2 0' 'K7: two migrations; none where first blocks go by speed'
is "$(figures 'of 36 tasks')" '1 1 1 0' 'one of 3 N / 5'
is "$(figures 'of 12 tasks')" '1 1 1 0' 'one of 3 N / 15'
is "$(figures 'finish, s')" '24 24.00 24.00 24.00' 'all end after 2 N / 5'

ok 'K8: the model knows what self-scheduling takes' agree 2 'self-scheduling, s'
ok 'also where the master computes and answers late' agree 2 'answers between rows, s'
ok 'the play knows roughly what the tree takes' agree 10 'tree, s'
ok 'the tree needs no more migrations than published' below 'migrations, tree' 3 40
is "$(figures 'migrations by formula K6' | cut -d' ' -f1,2)" '84.7 84.5' 'K6, with r_max of 692/693'
is "$(grep -c ': met$' "$folder/tables")" 2 \
    "Keel's best is within 5 % of the greedy schedule, by at most 40 migrations"
is "$(wc -l <"$folder/machines")" 16 'each machine has its finish times'
is "$(awk '{ n += $2 } END { print n }' "$folder/sizes")" 40 'the published migrations are 40'
is "$(awk '{ n += $4 } END { print n }' "$folder/sizes")" \
    "$(figures 'migrations, tree' | cut -d' ' -f3)" 'sizes of all migrations are shown'

for workers in 4 25; do
    ok "the model of a master is right with $workers workers" agree 5 "$workers workers"
    ok 'a tree is faster' below "$workers workers" 4 "$(figures "$workers workers" | cut -d' ' -f3)"
done
ok 'the master is saturated when the model says' agree 5 'saturation, workers'
ok 'and about when the paper says' within 15 "$(figures 'saturation, workers' | cut -d' ' -f3)" 25

for speed in 0.4 0.8 1; do
    ok "K9: equal shares beside a machine of speed $speed" agree 0.5 "speed $speed"
    ok 'by speed it gets no slower' below "speed $speed" 4 100
done
ok 'with equal shares it does' below 'without it' 3 "$(figures 'speed 0.4' | cut -d' ' -f3)"

is "$(cd "$folder" && echo kp96-*.png)" \
    'kp96-anomaly.png kp96-machines.png kp96-saturation.png kp96-sizes.png' 'and pictures'

done_testing
