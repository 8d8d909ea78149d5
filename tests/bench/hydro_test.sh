#!/bin/bash
# A code with pairs of nowait loops gives the same energy to the last digit under every schedule, beside a competing program, and with a
# thread that is held up in the first loop of each pair.
source tests/support/tap.sh

library=$(keel_path omp_ext/libkeel.so)
keel=$(keel_path keel)
hydro=$(keel_path bench/apps/hydro)
taken=$(keel_path bench/apps/hydro_keel)
careless=$(keel_path bench/apps/hydro_nowait)
for variable in ${!KEEL_@} ${!OMP_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive KEEL_WEIGHTS=1,2

# energy PROGRAM [NAME=VALUE...]
energy()
{
    local program=$1
    shift
    timeout 50 env "$@" "$program" 400 60 500 2>/dev/null | grep '^energy'
}

expected=$(energy "$hydro" OMP_NUM_THREADS=1)
like "$expected" '^energy 1\.[0-9]{10,}$' 'the energy has all its digits'
is "$(energy "$hydro")" "$expected" 'static shares of the plain build keep pairs together'
is "$(energy "$taken")" "$expected" 'and those of the build with the plugin'
like "$(nm -u "$taken")" keel_worksharing_begin 'the plugin takes the other loops'

nice -n 19 bash -c 'while :; do :; done' &
spinning=$!
trap 'kill "$spinning"' EXIT
wrong=0
for schedule in $("$keel" list --names); do
    is "$(energy "$taken" LD_PRELOAD="$library" KEEL_SCHEDULE="$schedule")" "$expected" "the same energy under $schedule"
    [ "$(energy "$careless" LD_PRELOAD="$library" KEEL_SCHEDULE="$schedule")" = "$expected" ] || wrong=$((wrong + 1))
done
# Whether these go wrong is a matter of time, so nothing depends on it.
diag "with --nowait, which is not true of this code, $wrong schedules gave another energy"
done_testing
