#!/bin/bash
# Reports leave the heap of the program, and of libgomp, as it is under Keel when teams start.
source tests/support/under_keel.sh

heap=$(program heap)
# Finding libgomp takes some of it once: the dynamic linker keeps what it opens.
alone=$(under_keel "$heap")

like "$alone" '^[0-9]+$' 'with Keel'
is "$(under_keel KEEL_REPORT="$TEST_TMPDIR/report" "$heap")" "$alone" 'with a report in a file'
is "$(under_keel KEEL_REPORT=1 "$heap" 2>/dev/null)" "$alone" 'with one on standard error'
done_testing
