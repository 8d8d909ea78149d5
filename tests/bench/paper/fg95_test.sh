#!/bin/bash
# What Keel makes of Franklin & Govindan's experiments, in the short form of bench/papers.
source tests/bench/bench_command.sh
paper=fg95
source tests/bench/paper/paper.sh

# near ROW PERCENT: the paper's method is so near to the paper.
near()
{
    local published=$(cell "$1" 1) simulated=$(cell "$1" 2)
    [ -n "$published" ] || read -r published simulated _ < <(figures "$1")
    ok "$1: ${simulated%% *}, as in the paper" within "$2" "${simulated%% *}" "$published"
}

# of the program of the table of speed-ups; the paper has 20 %
for row in '8: none' '8: random .5, 1.1' '8: diffusion 1.2' '8: redistribution 1.3' '16: none' \
    '16: random .5, 1.2' '16: diffusion 1.2' '16: redistribution 1.4'; do
    agree 5 "$row" F10:
done

# what was fitted gives what it was fitted to
for row in '8: none' '8: ideal' '16: none' '16: ideal' 'redistribution 1.0'; do
    near "$row" 8
done

# simulated figures are the same on every machine
is "$(cell '8: random .5, 1.1' 2)" '3.48 (3.46 to 3.49)' 'random on 8 hosts'
is "$(cell '8: diffusion 1.2' 2)" '3.29 (3.28 to 3.30)' 'diffusion'
is "$(cell '8: redistribution 1.3' 2)" '3.38 (3.37 to 3.40)' 'redistribution'
is "$(cell '16: random .5, 1.2' 2)" '3.70 (3.68 to 3.73)' 'on 16 hosts'
like "$(tr -s ' \n' ' ' <<<"$tables")" \
    'reproduced under "neighbours: a line"; "a neighbour: .5 tasks to ask": random is better than diffusion' \
    'diffusion is ahead where asking costs messages alone'
like "$(figures 'neighbours: a line')" '[^a-z]random > diffusion > none' 'neighbours in a line'
like "$(figures 'a neighbour: .5 tasks to ask')" 'random > .*diffusion > none' 'costs of asking'
is "$(grep -c 'FITTED: [a-z]' <<<"$tables")" 8 'rows whose inputs were fitted are marked'

best=$(cell '16: none' 5) default=$(cell '16: none' 3)
ok '16 hosts: within 10 % of the ideal' holds "${best%%[ ,]*} >= 0.9 * $(cell '16: ideal' 2)"
# machines do not change, stars do
ok '16 hosts: the default compares as often as work that comes and goes asks for' holds "${default%%[ ,]*} >= 0.98 * ${best%%[ ,]*}"
like "$tables" 'of [3-9][0-9] runs, those in which a particle was left out: 0, at most 0: met' \
    'every particle is computed in every step, and both programs have one result for the same stars'
compared 'bench/papers_dir/fg95/domains, a program of the bench, '

# cases without sense: a limit or a message, no nonsense
# model STARTUP POWER... -- RULE...: of ten steps
model()
{
    "$built/bench/papers_dir/fg95/fg95_model" 1 10 .1 .025 6600 0 24 "$1" 1e6 "${@:2}"
}
same "$(model .001 1e6 -- random 1.0 .5)" 1.0000 'a host alone is as fast as it is'
same "$(model 0 3e6 2e6 -- random 1000 .5)" "$(model 0 3e6 2e6 -- none 0 0)" \
    'a threshold that no processor exceeds, where messages cost nothing'
ok 'balancing pays' holds "$(model .001 3e6 2e6 1e6 -- diffusion 1.0 0) > $(model .001 3e6 2e6 1e6 -- none 0 0)"
like "$(model .001 1e6 1e6 -- nothing 0 0 2>&1)" "no policy is named 'nothing'" 'no such policy'
like "$(model .001 -- none 0 0 2>&1)" '^usage: model STARS' 'no host'
done_testing
