#!/bin/bash
# Threads that ask for different schedules, teams of several host threads at once, and children of fork.
source tests/support/under_keel.sh

for round in 1 2 3; do
    passes agreement
done
KEEL_OVERRIDE=dynamic passes agreement
OMP_SCHEDULE=dynamic,3 passes agreement
OMP_SCHEDULE=guided passes agreement
passes host_threads
passes forking
done_testing
