#!/bin/bash
# Loops borrow their iterations from whoever offers them (omp_ext/lending/lending.h), and only loops that can.
source tests/support/under_keel.sh

passes shared
KEEL_SCHEDULE=awf-c passes shared
KEEL_SCHEDULE='libgomp; nosuch=gss' passes shared
KEEL_OVERRIDE=dynamic passes shared overridden
OMP_CANCELLATION=true passes shared cancelled

passes shared asked
passes shared schedule
KEEL_SCHEDULE=libgomp passes shared schedule
KEEL_SCHEDULE='libgomp; nosuch=gss' passes shared schedule
OMP_SCHEDULE=tss passes shared schedule tss
KEEL_SCHEDULE=steal passes shared schedule steal
KEEL_SCHEDULE=rate passes shared schedule rate
KEEL_SCHEDULE=fac passes shared schedule fac2 # its parameters are not measured
KEEL_SCHEDULE=fac:mu=9,sigma=3 passes shared schedule fac
KEEL_SCHEDULE='gss; run_combined=libgomp; orphan=libgomp; describe=libgomp' passes shared schedule
done_testing
