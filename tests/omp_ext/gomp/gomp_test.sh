#!/bin/bash
# Loops and constructs of every form, as compilers call libgomp for them, under every schedule and with several team
# sizes, nightly each with each.
source tests/support/under_keel.sh

# --- loops: each iteration of a loop under libkeel.so is executed exactly once, under every schedule and with several
# team sizes, nightly each with each ---

passes iteration_spaces
passes loop_forms

# --- constructs: scheduled loops live together with OpenMP's other constructs, under every schedule and with several
# team sizes, nightly each with each ---

passes nesting
passes monotonic
KEEL_OVERRIDE=dynamic,guided passes monotonic
KEEL_OVERRIDE=dynamic,guided,nonmonotonic passes monotonic plain
passes clauses
passes ordered
passes old_binaries
KEEL_OVERRIDE=dynamic passes old_binaries
OMP_CANCELLATION=true passes cancellation

# --- threads that ask for different schedules, teams of several host threads at once, and children of fork ---

for round in 1 2 3; do
    passes agreement
done
KEEL_OVERRIDE=dynamic passes agreement
OMP_SCHEDULE=dynamic,3 passes agreement
OMP_SCHEDULE=guided passes agreement
passes host_threads
passes forking

# --- the interface: keel_set_schedule, keel_get_schedule, keel_set_costs, keel_problem and keel_version do what keel.h
# says ---

passes interface
KEEL_SCHEDULE=gss passes interface overruled

done_testing
