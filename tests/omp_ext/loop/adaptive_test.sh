#!/bin/bash
# Loops that measure themselves execute each iteration exactly once, whatever changes from one instance to the next.
source tests/support/under_keel.sh

for schedule in rate auto af maf aid afs lds steal ich binlpt lpt; do
    few=few
    [[ "$(each_day 'auto lds' "$schedule")" != *$schedule* ]] || few=
    OMP_CANCELLATION=true KEEL_SCHEDULE=$schedule ok "adaptive under $schedule" passes adaptive $few
done

# --- places in files that come and go ---
work=$TEST_TMPDIR
for part in 1 2 3; do
    gcc -g -O$part -fopenmp -shared -fPIC -iquote . -DPART=$part tests/omp_ext/loop/unloaded.c -o "$work/part$part.so"
done
for schedule in rate auto af awf-b fac steal; do
    output=$(checked under_keel KEEL_EXPLAIN=1 KEEL_MEMORY="$work/$schedule" KEEL_SCHEDULE=$schedule \
        "$(program unloaded)" "$work"/part?.so 2> "$work/explained")
    is "$? $output" '0 ' "files come and go under $schedule"
    unlike "$(cat "$work/explained")" 'KEEL_MEMORY' "their loops are remembered under $schedule"
    output=$(checked under_keel KEEL_MEMORY="$work/$schedule" KEEL_SCHEDULE=$schedule "$(program unloaded)" "$work"/part?.so 2>&1)
    is "$? $output" '0 ' "and recalled under $schedule"
done
done_testing
