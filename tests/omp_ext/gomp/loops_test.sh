#!/bin/bash
# Each iteration of a loop under libkeel.so is executed exactly once, under every schedule and with several team sizes,
# nightly each with each.
source tests/support/under_keel.sh

passes iteration_spaces
passes extreme_bounds
passes loop_forms
passes cpp_loops

for schedule in static static,7 ss css,5 gss tss tfss fac2 fac wf2 fsc mfsc tap bold fiss viss pls rnd; do
    KEEL_SCHEDULE=$schedule passes fortran_loops_f
done
done_testing
