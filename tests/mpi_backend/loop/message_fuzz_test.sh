#!/bin/bash
# Letters of all kinds do no harm to the rank that gets them.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/mpi_backend/loop/message_fuzz_driver)" 300000 '-runs=400000 -max_len=128 -use_value_profile=1' \
    $(mpicc --showme:compile) tests/mpi_backend/loop/message_fuzz.c mpi_backend/loop/exchange/message_check.c -lm
done_testing
