#!/bin/bash
# Texts of all kinds do no harm to the reader of memories.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/store/format_fuzz_driver)" 10000 '-runs=100000 -max_len=4096' \
    tests/omp_ext/store/format_fuzz.c omp_ext/memory/{file,format,sum,table}.c omp_ext/support/{replaced,safe}_file.c schedules/text/{c_locale,number}.c -l:libjansson.a
done_testing
