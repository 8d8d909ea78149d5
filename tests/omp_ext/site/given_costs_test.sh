#!/bin/bash
# binlpt and lpt go by the costs that a program gives; without them they say so once, and run as fac2.
source tests/support/under_keel.sh

passes given_costs
passes given_costs short
is "$(under_keel "$(program given_costs)" missing 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() has to give them; loops without costs run as under fac2' \
    'costs that are missing are named once'
is "$(under_keel "$(program given_costs)" other 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() gave those of 99; loops without costs run as under fac2' \
    'costs of another length are named once'
library=$(program libkeel_random.so) # the real one but for what decides
LD_LIBRARY_PATH=$(dirname "$(keel_path omp_ext/libkeel.so)") SETTLED_SEED=always passes given_costs settled
done_testing
