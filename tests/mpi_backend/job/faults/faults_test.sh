#!/bin/bash
# A rank is killed, or stopped for good, in mid-job: the others wait for it no longer than KEEL_MPI_DEADLINE says, and get an
# error that names it. Each fault once, at one place or another; all_faults_test.sh has each at each place.
source tests/mpi_backend/job/faults/outcomes.sh

balance=shake
# Ranks mostly wait.
beside paused movement 1
beside stopped gather 0
beside stopped balance 1
beside ended objects 1
killed loop 1
killed_plainly loop 1
killed movement 0
together
outlasted pipeline 1
done_testing
