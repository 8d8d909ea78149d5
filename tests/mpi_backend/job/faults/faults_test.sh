#!/bin/bash
# A rank is killed, or stopped for good, in mid-job: the others wait for it no longer than KEEL_MPI_DEADLINE says, and get an
# error that names it. all_faults_test.sh has more of the same.
source tests/mpi_backend/job/faults/outcomes.sh

balance=shake
killed loop 1
killed movement 0
killed objects 1
stopped gather 0
stopped balance 1
stopped pipeline 1
ended loop 0
ended objects 1
ended movement 0
ended pipeline 1
outlasted movement 1
outlasted pipeline 1
killed_plainly loop 1
paused movement 1
done_testing
