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
done_testing
