#!/bin/bash
# What Keel makes of Kim & Purtilo's experiments, in the short form of bench/papers.
source tests/support/tap.sh
paper=kp96
source tests/bench/paper/paper.sh
KP96_WITHIN=4 # as in the short form

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

is "$(grep -l WRONG "$folder"/* | wc -l)" 0 'every task is done once'

is "$(figures migrations | cut -d' ' -f1-4)" '2 2 2 0' 'K7: two migrations; none where first blocks go by speed'
is "$(figures 'of 36 tasks' | cut -d' ' -f1-4)" '1 1 1 0' 'one of 3 N / 5'
is "$(figures 'of 12 tasks' | cut -d' ' -f1-4)" '1 1 1 0' 'one of 3 N / 15'
is "$(figures 'finish, s' | cut -d' ' -f1-4)" '24 24.00 24.00 24.00' 'all end after 2 N / 5'

ok 'K8: the model knows what self-scheduling takes' agree 3 'ss by a master, s'
ok 'and what the tree takes along the published paths' agree 5 'tree, s'
ok 'which needs about as many migrations as published' within 15 "$(figures 'migrations, tree' | cut -d' ' -f3)" 40
is "$(figures 'migrations by formula K6' | cut -d' ' -f1,2)" '84.7 84.5' 'K6, with r_max of 692/693'
is "$(wc -l <"$folder/machines")" 16 'each machine has its finish times'
is "$(awk '{ n += $2 } END { print n }' "$folder/sizes")" 40 'the published migrations are 40'
is "$(awk '{ n += $4 } END { print n }' "$folder/sizes")" \
    "$(figures 'migrations, tree' | cut -d' ' -f3)" 'sizes of all migrations are shown'

# over FIELD DIGITS: of the published tree on 16 machines, between rows
over()
{
    awk -v field="$1" '$1 == "tree" { print $field }' "$folder/k8-16-1" | sort -g | awk -v digits="$2" '
        NR == 1 { low = $1 } { high = $1 }
        END { printf "%.*f (%.*f to %.*f)", digits, (low + high) / 2, digits, low, digits, high }'
}
is "$(cell '16; between rows' 2)" "$(over 3 2)" "times are medians and ranges of the seeds that are named"
is "$(cell '16; between rows: migrations' 2)" "$(over 5 0)" 'so are migrations'
compared "Keel's loops with KEEL_MPI_SCHEDULE=$KP96_TREE, told "
like "$(<"$results")" "\`$(paper_seeds 15)\`" 'and names the seeds'

# Of methods, seeds and both numbers of machines.
for machines in 4 16; do
    for pieces in 1 "$KP96_WITHIN"; do
        runs=$folder/k8-$machines-$pieces
        is "$(awk '{ print $1 }' "$runs" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2 \
            "$machines machines, $pieces: every method has every seed"
        is "$(awk '$3 < 1 || $3 > 10' "$runs")" '' 'none takes less than all work by all speed'
    done
done
ok 'one way moves tasks, too' test "$(paper_median "$(paper_spread "$folder/k8-16-1" tree-one-way 6)")" != 0
like "$(grep -c 'came out: \|come out: ' "$tables")" '^[3-9]$' "the paper's conclusions are told"
like "$(<"$tables")" 'did not come out: the tree.s finish time is much improved' \
    'that the tree beats self-scheduling is not found'

# The machines that are drawn
is "$(kp96_machines 4 0 | paste -sd ' ')" '250 692 693 2000' 'the stated machines'
is "$(kp96_machines 16 0 | paste -sd ' ')" "$K8_SECONDS" "the 16 machines of seed 0"
for seed in 1 2 3; do
    is "$(kp96_machines 4 $seed | sort -n | paste -sd ' ')" '250 692 693 2000' 'drawn are orders of 4'
    is "$(kp96_machines 16 $seed | grep -cxE '250|692|693|2000')" 4 'and the 12 that are not stated'
    is "$(kp96_machines 16 $seed | awk '$1 < 250 || $1 > 2000')" '' 'within the stated range'
done

# Comparisons of methods
printf 'a 1 3\na 2 1\na 3 2\nb 1 1.5\nb 2 1.75\n' >"$folder/compared"
is "$(paper_spread "$folder/compared" a)" '2:1:3' 'medians and ranges'
is "$(paper_spread "$folder/compared" b)" '1.625:1.5:1.75' 'of an even number'
is "$(paper_spread "$folder/compared" c)" - 'none'
is "$(paper_best "$folder/compared" a b c)" '1.625:1.5:1.75 b' 'the best by its median'

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

done_testing
