#!/bin/bash
# What libkeel.so costs besides time: no calls per chunk or repeated loop, bounded memory, and none is needed for right
# results; nightly with each number of allocations that fails, and each schedule that measures.
source tests/support/under_keel.sh

passes quiet calls
if under_keel "$(program quiet)" kernel > /dev/null; [ $? = 77 ]; then
    skip 'quiet kernel' 'the kernel takes no seccomp filter here'
else
    passes quiet kernel
fi
OMP_CANCELLATION=true passes bounded_memory
library="$(program failing_memory.so) $library" passes short_memory
if under_keel "$(program many_sites)" > /dev/null; [ $? = 77 ]; then
    skip many_sites 'its loops are made of x86-64 instructions'
else
    passes many_sites
fi

# What Keel keeps does not lie above the program's arrays, from where it would keep their pages in the process. A trace in
# JSON looks names up while the program runs: what libdw then keeps is in the C library's heap. libgomp's default deals
# single iterations, whose threads often meet a new page at the same time: two faults, and thus static here.
alone=$(OMP_SCHEDULE=static "$(program page_faults)")
own=$TEST_TMPDIR/own
for settings in KEEL_SCHEDULE=static KEEL_SCHEDULE=fac2 KEEL_SCHEDULE=rate KEEL_SCHEDULE=auto "KEEL_REPORT=/dev/null OMP_SCHEDULE=static" \
    "KEEL_TRACE=$own.csv KEEL_SCHEDULE=fac2" "KEEL_MEMORY=$own KEEL_SCHEDULE=rate" 'KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto' \
    'KEEL_SCHEDULE=static;first=fac2'; do
    read -r one other <<<"$settings"
    faults=$(under_keel "$one" ${other:+"$other"} "$(program page_faults)" 2>"$own.said")
    ok "${settings//$own/FILE}: $faults page faults, $alone without Keel" test $((10 * faults)) -gt $((9 * alone)) -a \
        $((10 * faults)) -lt $((12 * alone))
done
done_testing
