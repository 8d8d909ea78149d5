#!/bin/bash
# Threads that open their first regions at the same time: no region or loop is lost while one of them prepares the report.
source tests/support/under_keel.sh

program=$(program initial_threads)

for run in {1..10}; do
    output=$(under_keel KEEL_REPORT="$TEST_TMPDIR/report.json" KEEL_SCHEDULE=fac2 "$program" 2>&1)
    like "$output" '^148500 148500$' "results, run $run"
    # in text, a loop that takes little beside its region may be one of "others"
    loop=$(tr -d ' \n' <"$TEST_TMPDIR/report.json" | grep -o '"kind":"loop"[^]]*')
    like "$loop" '"place":"initial_threads\.c:15".*"instances":60,"iterations":6000' "all loops are counted, run $run"
    unlike "$output" 'no room' "all regions are, run $run"
done

done_testing
