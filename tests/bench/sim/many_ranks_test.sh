#!/bin/bash
# Of 1024 simulated ranks of different speed, all end at about the same time, by messages that grow
# no faster than log P; so do those of ranks that ask at random or their neighbours.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scale=$(keel_path bench/sim/scale)

# tree_of RANKS FIELD: of a loop of 200 iterations per rank under the tree, speeds known.
tree_of()
{
    [ -e "$folder/$1" ] || scale_run "$folder" 1 "$1" "$scale" 200 1e7 even tree >"$folder/$1" 2>&1
    awk -v field="$2" '$3 == "tree" { print $field }' "$folder/$1"
}

# holds EXPRESSION of awk
holds()
{
    awk "BEGIN { exit !($1) }"
}

diag "time over ideal: $(tree_of 64 6) on 64 ranks, $(tree_of 1024 6) on 1024"
diag "messages per rank, mean: $(tree_of 64 10) and $(tree_of 1024 10); most: $(tree_of 64 11) and $(tree_of 1024 11)"
is "$(tree_of 1024 12)" once 'every iteration once'
ok 'within 3 % of the ideal' holds "$(tree_of 1024 6) <= 1.03"
ok 'messages grow no faster than log P' holds "$(tree_of 1024 10) / $(tree_of 64 10) <= 10 / 6"

# messages_of RANKS SCHEDULE: of a rank in the mean, nothing known.
messages_of()
{
    local output="$folder/$2.$1"
    [ -e "$output" ] || scale_run "$folder" 0 "$1" "$scale" 100 1e7 even "$2" >"$output" 2>&1
    awk -v schedule="$2" '$3 == schedule && $12 == "once" { print $10 }' "$output"
}

for schedule in steal diffuse; do
    few=$(messages_of 16 "$schedule") more=$(messages_of 64 "$schedule")
    many=$(messages_of 256 "$schedule")
    diag "$schedule: messages per rank, mean: $few of 16 ranks, $more of 64, $many of 256"
    ok "messages of $schedule grow no faster than log P" \
        holds "$more / $few <= 6 / 4 && $many / $more <= 8 / 6"
    ok "and are few, under $schedule" holds "$many <= 60"
done

done_testing
