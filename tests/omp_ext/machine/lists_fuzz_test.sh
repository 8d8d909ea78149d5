#!/bin/bash
# Texts of all kinds do no harm to the readers of lists of processors and of control groups.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/machine/lists_fuzz_driver)" 100000 '-runs=300000 -max_len=1024' \
    tests/omp_ext/machine/lists_fuzz.c omp_ext/machine/{control_group,cpu_list,small_file}.c schedules/text/*.c -lm
done_testing
