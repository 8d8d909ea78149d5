#!/bin/bash
# Texts of all kinds do no harm to the reader of reports.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/report/json_fuzz_driver)" 10000 '-runs=100000 -max_len=4096' \
    tests/omp_ext/report/json_fuzz.c omp_ext/report/{job,places,summary}.c omp_ext/report/{json,text}/*.c schedules/text/{c_locale,text}.c \
    -l:libjansson.a -lm
done_testing
