#!/bin/bash
# Costs that a program gives, and loops that are too short to schedule.
source tests/support/under_keel.sh

# --- costs that a program gives ---
#
# binlpt and lpt go by the costs that a program gives; without them they say so once, and run as fac2.

passes given_costs
passes given_costs short
is "$(under_keel "$(program given_costs)" missing 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() has to give them; loops without costs run as under fac2' \
    'costs that are missing are named once'
is "$(under_keel "$(program given_costs)" other 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() gave those of 99; loops without costs run as under fac2' \
    'costs of another length are named once'
real=$library
library=$(program libkeel_random.so) # the real one but for what decides
LD_LIBRARY_PATH=$(dirname "$(keel_path omp_ext/libkeel.so)") SETTLED_SEED=always passes given_costs settled
library=$real

# --- loops that are too short to schedule ---
#
# Loops that are too short to schedule: no iteration is lost or run twice while what is settled changes at random (the
# library is the real one but for the function that decides); and what is settled is told, and measured.

# It stands where the real one stood among its siblings.
cp "$(dirname "$library")"/libkeel*.so "$TEST_TMPDIR"
cp -f "$(program libkeel_random.so)" "$TEST_TMPDIR/libkeel.so"
library=$TEST_TMPDIR/libkeel.so
export LD_LIBRARY_PATH=$TEST_TMPDIR OMP_CANCELLATION=true

export SETTLED_SEED=${SETTLED_SEED:-$RANDOM$RANDOM}
diag "SETTLED_SEED=$SETTLED_SEED"
for schedule in gss fac2 steal af awf awf-c fac rate auto $(each_day '' 'gss steal rate auto'); do
    KEEL_SCHEDULE=$schedule passes ../loop/adaptive few
    SETTLED_SEED=$((SETTLED_SEED + 1))
done
OMP_SCHEDULE=gss passes ../loop/adaptive few # threads of a team could ask for others, so that they agree on each instance
for program in agreement nesting host_threads tasks clauses; do
    passes ../gomp/$program
done
OMP_WAIT_POLICY=active passes ../gomp/agreement

# It does happen: the random library says that it settled something. What is told of a loop is what was judged last, by chance.
settled='settled for static shares; static shares take'
for ((draws = 0; draws < 10; draws++)); do
    said=$(KEEL_SCHEDULE=gss KEEL_EXPLAIN=1 under_keel "$(program ../loop/adaptive)" few 2>&1 | unbroken)
    [[ $said != *"$settled"* ]] || break
    SETTLED_SEED=$((SETTLED_SEED + 1))
done
like "$said" "$settled" 'loops have been settled in these runs'

done_testing
