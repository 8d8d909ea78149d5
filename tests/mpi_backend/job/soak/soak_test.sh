#!/bin/bash
# A few of the jobs that tests/soak draws, one of each fault.
source tests/support/mpirun.sh

soak=$(keel_path tests/mpi_backend/job/soak/soak.sh)
seed=${KEEL_TEST_SEED:-1}
for job in 0 1 2 3 4 5 6; do
    ok "tests/soak --seed $seed --job $job" "$soak" --seed "$seed" --job "$job"
done
done_testing
