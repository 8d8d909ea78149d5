#!/bin/bash
# Iterations of scheduled loops are told of to a watcher (omp_ext/lending/lending.h), whatever schedule they have.
source tests/support/under_keel.sh

passes pieces
for schedule in libgomp gss rate awf-c af steal ss fac static 'css,5' auto 'gss:min=11'; do
    KEEL_SCHEDULE=$schedule passes pieces
done
OMP_SCHEDULE=guided passes pieces
KEEL_REPORT=/dev/null KEEL_SCHEDULE=gss passes pieces
done_testing
