#!/bin/bash
# Files of all kinds do no harm to the reader of machine costs.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/machine/costs_fuzz_driver)" 20000 '-runs=100000 -max_len=1024' \
    tests/omp_ext/machine/costs_fuzz.c omp_ext/machine/machine.c omp_ext/support/{environment,message,message_handler}.c \
    schedules/text/*.c -lm
done_testing
