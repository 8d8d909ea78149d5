#!/bin/bash
# Whatever comes from other ranks about objects, or lies in a copy of them, is read within its memory.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/mpi_backend/objects/packed/packed_fuzz_driver)" 300000 '-runs=400000 -max_len=400 -use_value_profile=1' \
    $(mpicc --showme:compile) tests/mpi_backend/objects/packed/packed_fuzz.c mpi_backend/objects/records/packed_check.c \
    schedules/objects/object_route.c -lm
done_testing
