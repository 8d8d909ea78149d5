#!/bin/bash
# What Keel makes of Kim & Purtilo's experiments, in the short form of bench/papers.
source tests/bench/bench_command.sh
paper=kp96
source tests/bench/paper/paper.sh

unlike "$tables" WRONG 'every task is done once'

agree 3 'ss by a master, s'
agree 5 'tree, s'
read -r _ _ simulated _ < <(figures 'migrations, tree')
ok "the tree needs about as many migrations as published: $simulated" within 15 "$simulated" 40
is "$(figures 'migrations by formula K6' | cut -d' ' -f1,2)" '84.7 84.5' 'K6, with r_max of 692/693'

# column TITLE NUMBER: of the numbers of a table.
column()
{
    awk -v title="$1" -v column="$2" '/^$/ { inside = 0 } inside && $1 + 0 > 0 { print $column }
        index($0, title) { inside = 1 }' <<<"$tables"
}

# sum NUMBER...
sum()
{
    awk '{ for (i = 1; i <= NF; i++) sum += $i; print sum }' <<<"$*"
}
is "$(column 'when each machine ends' 1 | paste -sd ' ')" \
    '250 400 405 410 330 340 900 910 688 692 693 700 1400 1420 1950 2000' 'each machine has its finish times'
is "$(sum $(column 'migrations of so many tasks' 2))" 40 'the published migrations are 40'
is "$(sum $(column 'migrations of so many tasks' 4))" "$simulated" 'sizes of all migrations are shown'

compared "Keel's loops with KEEL_MPI_SCHEDULE=tree:shares=equal,links=paths,order=lowest, told "
for machines in 4 16; do
    for answers in between within; do
        for column in 2 3 4 5; do
            over=$(cell "$machines; $answers rows" $column)
            ok "$machines machines, answers $answers rows: $over of all work by all speed" \
                holds "${over%%[ ,]*} >= 1 && ${over%%[ ,]*} <= 10"
        done
    done
done
like "$(grep '^tree-one-way' <<<"$tables" | head -n 1)" '  [1-9][0-9]* \(' 'one way moves tasks, too'
like "$tables" 'not reproduced: the tree.s finish time is much improved' 'that the tree beats self-scheduling is not found'
like "$tables" ' reproduced: some 40 migrations' 'that it needs some 40 migrations is'

for workers in 4 25; do
    agree 5 "$workers workers"
    read -r _ _ master tree _ < <(figures "$workers workers")
    ok "a tree is faster: $tree" holds "0 < $tree && $tree <= $master"
done
agree 5 'saturation, workers'
ok 'the master is saturated about when the paper says' within 15 "$(figures 'saturation, workers' | cut -d' ' -f3)" 25

read -r _ _ without _ < <(figures 'without it')
for speed in 0.4 0.8 1; do
    agree 0.5 "speed $speed"
    ok 'by speed it gets no slower' holds "$(figures "speed $speed" | cut -d' ' -f4) <= 100"
done
ok 'with equal shares it does' holds "$(figures 'speed 0.4' | cut -d' ' -f3) > $without"

# Section 4.3
like "$tables" 'reproduced: blocks by cost and speed leave less to migrate' 'what is predicted need not migrate'
like "$tables" 'reproduced: the largest first ends sooner' 'and large tasks go first'

done_testing
