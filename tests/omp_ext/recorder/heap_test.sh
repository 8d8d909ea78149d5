#!/bin/bash
# Keel leaves the heap of the program, and of libgomp, as it is when teams start, and the size from
# which blocks are mapped.
source tests/support/under_keel.sh

heap=$(program heap)
# Beside any library that has something per thread: some versions of glibc note where that is on the heap.
alone=$(LD_PRELOAD=$(program libper_thread.so) "$heap")

like "$(xargs <<<"$alone")" '^[0-9]+ given back mapped$' 'without Keel'
same "$(under_keel "$heap")" "$alone" 'with Keel'
same "$(under_keel KEEL_REPORT="$TEST_TMPDIR/report" "$heap")" "$alone" 'with a report in a file'
same "$(under_keel KEEL_REPORT=1 "$heap" 2>/dev/null)" "$alone" 'with one on standard error'
for variable in KEEL_TRACE=trace.csv KEEL_EXPLAIN=1 KEEL_MEMORY=memory KEEL_SCHEDULE=rate; do
    is "$(cd "$TEST_TMPDIR" && under_keel KEEL_SCHEDULE=auto "$variable" "$heap" 2>/dev/null |
        tail -n 2 | xargs)" 'given back mapped' "$variable: memory that is freed"
done
done_testing
