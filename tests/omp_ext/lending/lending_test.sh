#!/bin/bash
# Loops that run iterations lent to them, and what the lender may time (omp_ext/lending/lending.h).
source tests/support/under_keel.sh

# --- loops borrow their iterations from whoever offers them, and only loops that can ---

passes offers
KEEL_SCHEDULE=awf-c passes offers
KEEL_SCHEDULE='libgomp; nosuch=gss' passes offers
KEEL_OVERRIDE=dynamic passes offers overridden
OMP_CANCELLATION=true passes offers cancelled

passes offers asked
passes offers schedule
KEEL_SCHEDULE=libgomp passes offers schedule
KEEL_SCHEDULE='libgomp; nosuch=gss' passes offers schedule
OMP_SCHEDULE=tss passes offers schedule tss
KEEL_SCHEDULE=steal passes offers schedule steal
KEEL_SCHEDULE=rate passes offers schedule rate
KEEL_SCHEDULE=fac passes offers schedule fac2 # its parameters are not measured
KEEL_SCHEDULE=fac:mu=9,sigma=3 passes offers schedule fac
KEEL_SCHEDULE='gss; run_combined=libgomp; orphan=libgomp; describe=libgomp' passes offers schedule

# --- iterations of scheduled loops are given to a timer, whatever schedule they have ---

passes pieces
for schedule in libgomp gss rate awf-c af steal ss fac static 'css,5' auto 'gss:min=11'; do
    KEEL_SCHEDULE=$schedule passes pieces
done
OMP_SCHEDULE=guided passes pieces
KEEL_REPORT=/dev/null KEEL_SCHEDULE=gss passes pieces

# --- the time in scheduled loops is counted once another library wants it, whatever schedule they have ---

passes counted
for schedule in libgomp gss rate awf-c af steal fac static 'css,5' 'libgomp; nosuch=gss' 'gss; orphan=libgomp; combined=libgomp'; do
    nightly || [[ $schedule != @(awf-c|af|fac|css*|libgomp) ]] || continue # of each way to claim, one
    KEEL_SCHEDULE=$schedule passes counted
done
OMP_SCHEDULE=guided passes counted
OMP_SCHEDULE=tss passes counted
KEEL_SCHEDULE=libgomp passes counted clocks
KEEL_SCHEDULE=ss passes counted clocks
passes counted clocks

KEEL_OVERRIDE=dynamic passes counted overridden
KEEL_OVERRIDE=dynamic KEEL_SCHEDULE=gss passes counted overridden
OMP_CANCELLATION=true passes counted cancelled
OMP_CANCELLATION=true KEEL_SCHEDULE=gss passes counted cancelled
passes counted region
KEEL_SCHEDULE=gss passes counted region

done_testing
