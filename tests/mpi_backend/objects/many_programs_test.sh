#!/bin/bash
# Thousands of random programs with objects, on groups of 1 to 12 ranks, come to what a serial model comes to.
source tests/support/mpirun.sh

# In parts: 12 ranks on a processor that others want, too, would take minutes for all of them.
parts=8
seed=${KEEL_TEST_SEED:-1}

for ((part = 0; part < parts; part++)); do
    export KEEL_TEST_SEED=$((seed * parts + part))
    mpi_passes "groups of 1 to 12 ranks, with KEEL_TEST_SEED=$KEEL_TEST_SEED" 12 \
        "$(program random_programs)" many_groups
done

done_testing
