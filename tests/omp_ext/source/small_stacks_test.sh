#!/bin/bash
# Sites are found in the debug information also by threads whose stacks are small.
source tests/support/under_keel.sh

program=$(program small_stacks)
line=$(grep -n '^#pragma omp parallel for' tests/omp_ext/source/small_stacks.c | cut -d : -f 1)
trace=$TEST_TMPDIR/trace
export OMP_MAX_ACTIVE_LEVELS=2

# with_limit KIB NAME=VALUE... PROGRAM...: the main thread's stack is that small.
with_limit()
(
    ulimit -s "$1" && under_keel "${@:2}"
)

for size in 64k 32k; do
    is "$(checked under_keel OMP_STACKSIZE=$size KEEL_SCHEDULE="small_stacks.c:$line=fac2" KEEL_TRACE="$trace" "$program" on_worker 2>&1; echo $?)" 0 \
        "a worker's stack of $size: a rule"
    is "$(tail -n +2 "$trace" | cut -d, -f1 | sort -u)" "small_stacks.c:$line (run_loop)" "a worker's stack of $size: the rule is found, and its name"
    like "$(under_keel OMP_STACKSIZE=$size KEEL_SCHEDULE=rate KEEL_EXPLAIN=1 "$program" on_worker 2>&1; echo "left with $?")" \
        " small_stacks.c:$line(, nested)?\$" "a worker's stack of $size: an explanation"
done
for size in 128 96; do
    rm -f "$trace"
    is "$(checked with_limit $size KEEL_SCHEDULE="small_stacks.c:$line=fac2" KEEL_TRACE="$trace" "$program" on_main 2>&1; echo $?)" 0 \
        "the main thread's stack of $size KiB: a rule"
    is "$(tail -n +2 "$trace" | cut -d, -f1 | sort -u)" "small_stacks.c:$line (run_loop)" \
        "the main thread's stack of $size KiB: the rule is found, and its name"
    like "$(with_limit $size KEEL_SCHEDULE=rate KEEL_EXPLAIN=1 "$program" on_main 2>&1; echo "left with $?")" \
        " small_stacks.c:$line(, nested)?\$" "the main thread's stack of $size KiB: an explanation"
done

done_testing
