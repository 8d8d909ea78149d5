#!/bin/bash
# Loops borrow their iterations from whoever offers them (omp_ext/lending/lending.h), and only loops that can.
source tests/support/under_keel.sh

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
done_testing
