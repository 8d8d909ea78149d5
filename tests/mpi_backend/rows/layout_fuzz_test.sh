#!/bin/bash
# Sizes of all kinds do no harm to the rank that takes items with these sizes.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/mpi_backend/rows/layout_fuzz_driver)" 300000 '-runs=400000 -max_len=256 -use_value_profile=1' \
    tests/mpi_backend/rows/layout_fuzz.c mpi_backend/rows/movement/layout.c
done_testing
