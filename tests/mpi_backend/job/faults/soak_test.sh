#!/bin/bash
# A few of the jobs that tests/soak draws.
source tests/support/mpirun.sh

soak=$(keel_path tests/mpi_backend/job/faults/soak.sh)
ok 'tests/soak draws jobs, and nothing is wrong' "$soak" --seed "${KEEL_TEST_SEED:-1}" --jobs 8
done_testing
