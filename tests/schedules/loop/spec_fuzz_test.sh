#!/bin/bash
# Texts of all kinds do no harm to the spec parser.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/schedules/loop/spec_fuzz_driver)" 30000 '-runs=400000 -max_len=96 -use_value_profile=1' \
    tests/schedules/loop/spec_fuzz.c schedules/{claim,learn,loop,text}/*.c -lm
done_testing
