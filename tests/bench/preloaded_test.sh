#!/bin/bash
# Commands of bench/ whose programs are built without Keel, which is preloaded into them: they run what they say, compare
# what is computed, and print what they say.
source tests/bench/bench_command.sh

# --- node: bench/node runs each case without Keel, with waits that sleep and with shared cores ---

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

# --- static: bench/static says which loops are taken over and why others are not, and compares what kernels compute ---

bench static static_dir/static_kernels.c
usual=(--rounds 1 --size 48)
kernels=(--kernels 'product heat triangles') rows=3 # loops of a microsecond take long beside others
nightly && kernels=() rows=23

KEEL_SCHEDULE=ss succeeds --schedule fac2 --flags '-O2 -fPIC' "${kernels[@]}"
like "$table" '^command: bench/static .*' 'the command line is printed'
like "$messages" '^keel: heat: round 1 of 1$' 'away from a terminal, progress comes in lines'
for options in -O2 -O3 '-O3 -march=x86-64-v3'; do
    read -r taken loops < <(sed -n "s/^kernels, gcc $options: \([0-9]*\) of \([0-9]*\) loops are taken$/\1 \2/p" <<<"$table")
    ok "gcc $options: at least 60 % of the kernels' loops are taken: $taken of $loops" test $((5 * taken)) -ge $((3 * loops)) -a "$loops" = 23
    like "$table" "^hydro, gcc $options: [0-9]+ of 8 loops are taken$" "gcc $options: and loops of a program"
done
is "$(grep -c '^  breadth_first: a value is carried from one iteration to the next$' <<<"$table")" 3 'what is left has a reason'
like "$table" '^kernels, gcc -O2 -fPIC, fac2, [0-9]+ threads: ms a loop' 'kernels are built as asked for, and run'
is "$(grep -cE "^[a-z_]+( +$number){6}$" <<<"$table")" $rows 'each has its row'
unlike "$table" WRONG 'all compute the same'
refuses "--rounds '0' is not a whole number from 1" --rounds 0

done_testing
