#!/bin/bash
# Whatever comes as a copy of rows is refused, or read within its memory.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/mpi_backend/rows/copies/snapshot_fuzz_driver)" 300000 '-runs=400000 -max_len=600 -use_value_profile=1' \
    $(mpicc --showme:compile) tests/mpi_backend/rows/copies/snapshot_fuzz.c mpi_backend/rows/copies/snapshot.c \
    mpi_backend/rows/movement/layout.c mpi_backend/rows/placement.c omp_ext/support/{message,message_handler}.c \
    schedules/text/number.c -lpthread -lm
done_testing
