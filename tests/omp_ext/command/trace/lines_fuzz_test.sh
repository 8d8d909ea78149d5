#!/bin/bash
# Texts of all kinds do no harm to the reader of traces.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/command/trace/lines_fuzz_driver)" 30000 '-runs=100000 -max_len=4096' \
    tests/omp_ext/command/trace/lines_fuzz.c omp_ext/command/trace/*.c omp_ext/support/{message,message_handler}.c \
    schedules/text/*.c -l:libjansson.a -lm -lpthread
done_testing
