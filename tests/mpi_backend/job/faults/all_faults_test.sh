#!/bin/bash
# Every place where ranks wait for each other, and every fault: no job hangs.
source tests/mpi_backend/job/faults/outcomes.sh

balance=shake
for place in $places; do
    killed $place 0
    stopped $place 1
    ended $place 0
    paused $place 0
done
outlasted movement 1
balance=auto
killed balance 1
stopped balance 0
killed_plainly gather 0
done_testing
