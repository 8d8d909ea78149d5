#!/bin/bash
# The time in scheduled loops is counted once somebody watches (omp_ext/lending/lending.h), whatever schedule they have.
source tests/support/under_keel.sh

passes watched
for schedule in libgomp gss rate awf-c af steal fac static 'css,5' 'libgomp; nosuch=gss' 'gss; orphan=libgomp; combined=libgomp'; do
    nightly || [[ $schedule != @(awf-c|af|fac|css*|libgomp) ]] || continue # of each way to claim, one
    KEEL_SCHEDULE=$schedule passes watched
done
OMP_SCHEDULE=guided passes watched
OMP_SCHEDULE=tss passes watched
KEEL_SCHEDULE=libgomp passes watched clocks
KEEL_SCHEDULE=ss passes watched clocks
passes watched clocks

KEEL_OVERRIDE=dynamic passes watched overridden
KEEL_OVERRIDE=dynamic KEEL_SCHEDULE=gss passes watched overridden
OMP_CANCELLATION=true passes watched cancelled
OMP_CANCELLATION=true KEEL_SCHEDULE=gss passes watched cancelled
passes watched region
KEEL_SCHEDULE=gss passes watched region
done_testing
