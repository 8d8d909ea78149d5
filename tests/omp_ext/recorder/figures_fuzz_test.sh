#!/bin/bash
# Bytes of all kinds do no harm to the reader of recordings.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/recorder/figures_fuzz_driver)" 30000 '-runs=100000 -max_len=4096' \
    tests/omp_ext/recorder/figures_fuzz.c omp_ext/recorder/{reader,sums}.c schedules/text/*.c -lm
done_testing
