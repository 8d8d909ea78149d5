#!/bin/bash
# bench/node runs each case without Keel, with waits that sleep and with shared cores, compares what they compute, and prints what
# it says.
source tests/bench/command.sh

bench node node_dir/steps
usual=(--rounds 1 --steps 1)

KEEL_SCHEDULE=ss succeeds
like "$table" '^command: bench/node ' 'the command line is printed'
like "$messages" '^keel: round 1 of 1$' 'away from a terminal, progress comes in lines'
for case in '1:1 +1' '1:1 +32' '1:1 +320' '3:1 +1' '3:1 +8' '3:1 +32'; do
    for schedule in 'static shares' fac2; do
        like "$table" "^$case +$schedule, own +1\.000 +$number$" "$case: what is compared with, $schedule"
    done
    for variant in 'static shares, waits sleep' 'static shares, shared' 'fac2, shared'; do
        like "$table" "^$case +$variant +$number +$number$" "$case: $variant"
    done
done
unlike "$table" WRONG 'all compute the same'
like "$table" '^1:1 +1 +fac2, own +1\.000 +1\.000$' 'equal work in one loop is perfect balance'
refuses "--ranks 1000: this machine has [0-9]+ processors; nothing is run" --ranks 1000
done_testing
