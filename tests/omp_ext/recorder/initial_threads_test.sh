#!/bin/bash
# Threads that open their first regions at the same time: no region or loop is lost while one of them prepares the report.
source tests/support/under_keel.sh

program=$(program initial_threads)

for run in {1..10}; do
    output=$(under_keel KEEL_REPORT=1 KEEL_SCHEDULE=fac2 "$program" 2>&1)
    like "$output" '^148500 148500$' "results, run $run"
    like "$output" ' 60     6000  initial_threads\.c:15$' "all loops are counted, run $run"
    unlike "$output" 'no room' "all regions are, run $run"
done

done_testing
