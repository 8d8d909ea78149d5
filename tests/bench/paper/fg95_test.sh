#!/bin/bash
# What Keel makes of Franklin & Govindan's experiments, in the short form of bench/papers.
source tests/support/tap.sh
paper=fg95
source tests/bench/paper/paper.sh

# agree ROW: the model is within 10 % of the simulation.
agree()
{
    local model simulated
    read -r _ model simulated _ < <(sed -n '/^F10:/,$p' "$tables" |
        awk -v row="$1 " 'index($0, row) == 1 { print substr($0, length(row)); exit }')
    within 10 "$model" "$simulated"
}

# near ROW PERCENT: the paper's method is so near to the paper.
near()
{
    local paper simulated
    read -r paper simulated _ < <(if [ -n "$(cell "$1" 1)" ]; then
        echo "$(cell "$1" 1) $(cell "$1" 2)"
    else
        figures "$1"
    fi)
    within "$2" "$simulated" "$paper"
}

# median HOSTS METHOD
median()
{
    fg95_median "$folder" "$1" "$2"
}

diag "$(grep -A5 '^Bars' "$tables")"

# by Keel's rows; policies in a line
for row in '8: none' '8: random .5, 1.1' '8: diffusion 1.2' '8: redistribution 1.3' '16: none' \
    '16: random .5, 1.2' '16: diffusion 1.2' '16: redistribution 1.4'; do
    ok "$row: the model agrees with Keel's rows" agree "$row"
done

# what was fitted gives what it was fitted to
for row in '8: none' '8: ideal' '16: none' '16: ideal' 'redistribution 1.0'; do
    ok "$row: as in the paper" near "$row" 8
done

# simulated figures of the paper's program are the same on every machine, and know no Keel
is "$(cell '8: random .5, 1.1' 2)" '3.45 (3.45 to 3.46)' 'random on 8 hosts'
is "$(cell '8: diffusion 1.2' 2)" '3.27 (3.27 to 3.28)' 'diffusion'
is "$(cell '8: redistribution 1.3' 2)" '3.38 (3.37 to 3.40)' 'redistribution'
is "$(cell '16: random .5, 1.2' 2)" '3.70 (3.66 to 3.73)' 'on 16 hosts'
ok '16 hosts: diffusion is ahead where asking costs messages alone' \
    holds "$(median 16 diffusion) > $(median 16 random)"
like "$(<"$tables")" 'did not come out: random is better than diffusion' 'and it is said'
like "$(figures 'neighbours: a line')" '[^a-z]random > diffusion > none' 'neighbours in a line'
like "$(figures 'a neighbour: .5 tasks to ask')" 'random > .*diffusion > none' 'costs of asking'
is "$(grep -c 'FITTED' "$tables")" 7 'rows whose inputs were fitted are marked'

ok '16 hosts: within 10 % of the ideal' \
    holds "$(<"$folder/16/best") >= 0.9 * $(<"$folder/16/ideal")"

# machines do not change, stars do
ok '16 hosts: the default compares as often as work that comes and goes asks for' \
    holds "$(paper_median "$(paper_spread "$folder/16/keel" auto)") >= 0.98 * $(<"$folder/16/best")"

# from `runs` of what is there, not from a table
ok 'runs of both programs are there' test "$(wc -l <"$folder/runs")" -gt 40
is "$(fg95_strays "$folder")" 0 \
    'every particle is computed in every step, and both programs have one result for the same stars'
is "$(cut -d' ' -f1,8 "$folder/runs" | sort -u | wc -l)" 3 'one for each seed, and that of F10'

# what stands below the comparison follows what ran
compared "$FG95_PROGRAM, a program of the bench, "

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
like "$("$built/bench/papers_dir/fg95/model" /dev/null 1 0 24 0 1 1 2>&1)" 'is no census' 'an empty census'
like "$(ask 8 'nothing all 0 0' 2>&1)" "no policy is named 'nothing'" 'no such policy'
like "$(fg95_domains "$folder" 2 0 shape=round 2>&1)" "'shape=round' is no setting" 'no such shape'
like "$(fg95_domains "$folder" 8 0 bytes=1e9 2>&1)" 'bytes= up to 4096' 'more bytes than there may be'
like "$(fg95_domains "$folder" 2 0 power=1e6 2>&1)" 'power= is a number for each host' 'powers are missing'

done_testing
