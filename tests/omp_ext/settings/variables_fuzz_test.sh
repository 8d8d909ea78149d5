#!/bin/bash
# Values of all kinds do no harm to the readers of the environment.
source tests/fuzz/fuzz.sh

fuzz "$(keel_path tests/omp_ext/settings/variables_fuzz_driver)" 100000 '-runs=300000 -max_len=128 -use_value_profile=1' \
    tests/omp_ext/settings/variables_fuzz.c omp_ext/settings/{variables,rules,omp_schedule,policy}.c \
    omp_ext/support/{slow_lock,message,message_handler}.c omp_ext/source/rule.c \
    schedules/{balance,claim,learn,loop,model,ranks,rows,text,rehearse}/*.c -lm -lpthread
done_testing
