#!/bin/bash
# What Keel makes of Franklin & Govindan's experiments, in the short form of bench/papers.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/paper/table.sh
source bench/paper/fg95/fg95.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built=$(keel_path bench/paper/fg95/model)
built=${built%/bench/paper/fg95/model}

# figures ROW: paper, model, simulated, best.
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

# agree ROW: the model is within 10 % of the simulation, and the best of Keel's policies is better.
agree()
{
    local paper model simulated best
    read -r paper model simulated best < <(figures "$1")
    [ -n "$best" ] && holds "$model > 0.9 * $simulated && $model < 1.1 * $simulated" &&
        holds "$best > $paper && $best >= $simulated"
}

# near ROW PERCENT: the simulation is so near to the paper.
near()
{
    local paper simulated
    read -r paper _ simulated _ < <(figures "$1")
    [ -n "$simulated" ] && holds "($simulated / $paper - 1) ^ 2 <= ($2 / 100) ^ 2"
}

(
    set -eu -o pipefail
    fg95_run "$folder" 1
) >"$folder/tables" 2>"$folder/complaints"
is $? 0 'all of it runs'
is "$(<"$folder/complaints")" '' 'without complaints'
diag "$(grep -A5 '^Bars' "$folder/tables")"

for row in '8: none' '8: random .5, 1.1' '8: diffusion 1.2' '8: redistribution 1.3' '16: none' \
    '16: random .5, 1.2' '16: diffusion 1.2' '16: redistribution 1.4' 'diffusion 1.0' \
    'redistribution 1.0'; do
    ok "$row: the model agrees, Keel is better" agree "$row"
done

# what was chosen where the paper says nothing gives what it says of these
for row in '8: none' '8: ideal' '16: none' '16: ideal' 'redistribution 1.0'; do
    ok "$row: as in the paper" near "$row" 3
done

ok '16 hosts: within 5 % of the ideal' \
    holds "$(<"$folder/16/best") >= 0.95 * $(<"$folder/16/ideal")"
is "$(fg95_unbeaten "$folder")" 0 'every figure of the paper is beaten'
is "$(grep -c ' missed$' "$folder/tables")" 0 'all bars are met'

# from `runs` of what is there, not from a table
is "$(wc -l <"$folder/runs")" 15 'all runs are there'
is "$(cut -d' ' -f7,8 "$folder/runs" | sort -u | cut -d' ' -f2)" all \
    'every particle was computed in every step of every run, with the same result'

for picture in speedups surface; do
    ok "picture $picture" test -s "$folder/fg95-$picture.png"
done

# cases without sense: a limit or a message, no nonsense
ask()
{
    fg95_ask "$folder" "$1" <<<"$2"
}
is "$(ask 1 'rate all 0 0')" 1.000 'a host alone is as fast as it is'
free_ask()
{
    FG95_STARTUP=0 FG95_BANDWIDTH=1e30 ask "$@"
}
is "$(free_ask 8 'random ring 1000 .5')" "$(free_ask 8 'none all 0 0')" \
    'a threshold that nobody exceeds, where messages cost nothing'
like "$("$built/bench/paper/fg95/model" /dev/null 1 0 0 1 1 2>&1)" 'is no census' 'an empty census'
like "$(ask 8 'nothing all 0 0' 2>&1)" "no policy is named 'nothing'" 'no such policy'

done_testing
