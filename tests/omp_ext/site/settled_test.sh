#!/bin/bash
# Costs that a program gives, regions that are passed on, and loops that are too short to schedule.
source tests/support/under_keel.sh

# --- short regions are passed on to libgomp while there is nothing for Keel to do in them ---

plugin=$(keel_path omp_ext/plugin/keel_plugin.so)
real=$library
include=$(dirname "$(keel_path omp_ext/include/keel.h)")
root=$(keel_path tests/support/checks.h)
root=${root%/tests/support/checks.h}
export OMP_CANCELLATION=true OMP_DYNAMIC=false

# build PROGRAM SOURCE OPTION...: with the plugin.
build()
{
    gcc -fopenmp -O1 -w -fplugin="$plugin" "${@:3}" -I"$root" -I"$include" \
        "$2" -o "$TEST_TMPDIR/$1" "$real" "$(dirname "$real")/libkeel_early.so" -lpthread
}

# holds ARGUMENTS: the program finds nothing wrong.
holds()
{
    is "$(checked under_keel "$TEST_TMPDIR/$1" "${@:2}" 2>&1; echo "status $?")" 'status 0' "$KEEL_SCHEDULE$OMP_SCHEDULE $*"
}

export LD_LIBRARY_PATH=$(dirname "$real")
build passed "$(keel_path tests/omp_ext/site/passed.c)"
sed 's/ *schedule(runtime)//' "$(keel_path tests/omp_ext/loop/adaptive.c)" >"$TEST_TMPDIR/bare.c"
build bare "$TEST_TMPDIR/bare.c" -fplugin-arg-keel_plugin-nowait

export KEEL_SCHEDULE=static
holds passed short
holds passed sleeps
holds passed runtime
holds passed costs
holds passed nested
holds passed serial
KEEL_TRACE=$TEST_TMPDIR/trace.csv holds passed never
KEEL_TRACE=$TEST_TMPDIR/trace.json holds passed never
KEEL_REPORT=$TEST_TMPDIR/report.txt holds passed never
KEEL_SCHEDULE=gss,8 holds passed never
KEEL_SCHEDULE=static:grain=4 holds passed never
unset KEEL_SCHEDULE
OMP_SCHEDULE=gss holds passed never # threads of a team could ask for others
export KEEL_SCHEDULE

# The library is the real one but for the functions that decide.
library=$(program libkeel_random.so)
for KEEL_SCHEDULE in gss rate auto awf-c; do
    SETTLED_SEED=always holds passed longer
    SETTLED_SEED=always holds passed within
done
SETTLED_SEED=${SETTLED_SEED:-$RANDOM$RANDOM}
export SETTLED_SEED
diag "SETTLED_SEED=$SETTLED_SEED"
for KEEL_SCHEDULE in static gss steal rate auto binlpt; do
    is "$(checked under_keel "$TEST_TMPDIR/bare" few 2>&1 | sed '/^keel: [a-z]*: no costs for a loop of /d')" '' \
        "each iteration once under $KEEL_SCHEDULE"
    SETTLED_SEED=$((SETTLED_SEED + 1))
done
KEEL_SCHEDULE=static holds passed nested # regions were passed on in these runs

library=$real
unset KEEL_SCHEDULE OMP_DYNAMIC SETTLED_SEED LD_LIBRARY_PATH

# --- binlpt and lpt go by the costs that a program gives; without them they say so once, and run as fac2 ---

passes given_costs
passes given_costs short
is "$(under_keel "$(program given_costs)" missing 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() has to give them; loops without costs run as under fac2' \
    'costs that are missing are named once'
is "$(under_keel "$(program given_costs)" other 2>&1)" \
    'keel: lpt: no costs for a loop of 100 iterations, keel_set_costs() gave those of 99; loops without costs run as under fac2' \
    'costs of another length are named once'
library=$(program libkeel_random.so) # the real one but for what decides
LD_LIBRARY_PATH=$(dirname "$(keel_path omp_ext/libkeel.so)") SETTLED_SEED=always passes given_costs settled
library=$real

# --- no iteration is lost or run twice while what is settled changes at random; what is settled is printed ---

# It is where the real one was among its siblings.
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
for program in agreement nesting host_threads clauses; do
    passes ../gomp/$program
done
OMP_WAIT_POLICY=active passes ../gomp/agreement

# It does happen: the random library says that it settled something. What is printed of a loop is what was judged last, by chance.
settled='settled for static shares; static shares take'
for ((draws = 0; draws < 10; draws++)); do
    said=$(KEEL_SCHEDULE=gss KEEL_EXPLAIN=1 under_keel "$(program ../loop/adaptive)" few 2>&1 | unbroken)
    [[ $said != *"$settled"* ]] || break
    SETTLED_SEED=$((SETTLED_SEED + 1))
done
like "$said" "$settled" 'loops have been settled in these runs'

done_testing
