#!/bin/bash
# Short regions in which there is nothing for Keel to do are passed on to libgomp as they are, and no longer when there is.
source tests/support/under_keel.sh

plugin=$(keel_path omp_ext/plugin/keel_plugin.so)
real=$library
include=$(dirname "$(keel_path omp_ext/include/keel.h)")
root=$(keel_path tests/support/check.h)
root=${root%/tests/support/check.h}
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
done_testing
