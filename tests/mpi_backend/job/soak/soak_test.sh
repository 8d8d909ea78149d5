#!/bin/bash
# A few jobs of tests/soak, one of each fault.
source tests/support/mpirun.sh

seed=${KEEL_TEST_SEED:-1}
for job in 0 1 2 3; do
    ok "tests/soak --seed $seed --job $job" tests/soak --seed "$seed" --job "$job"
done
done_testing
