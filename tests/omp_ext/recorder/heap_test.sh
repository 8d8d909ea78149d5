#!/bin/bash
# Reports leave the heap of the program, and of libgomp, as it is when teams start.
source tests/support/under_keel.sh

heap=$(program heap)
# Beside any library that has something per thread: some versions of glibc note where that is on the heap.
alone=$(LD_PRELOAD=$(program libper_thread.so) "$heap")

like "$alone" '^[0-9]+$' 'without Keel'
is "$(under_keel "$heap")" "$alone" 'with Keel'
is "$(under_keel KEEL_REPORT="$TEST_TMPDIR/report" "$heap")" "$alone" 'with a report in a file'
is "$(under_keel KEEL_REPORT=1 "$heap" 2>/dev/null)" "$alone" 'with one on standard error'
done_testing
