#!/bin/bash
# Programs built with the plugin give right results, at every optimisation level and with LTO: without Keel, whatever OMP_SCHEDULE says,
# and under schedules of Keel of every kind.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

library=$(keel_path omp_ext/libkeel.so)
everything=("$option-explicit=static,dynamic,guided,auto" "$option-target")
export OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive OMP_MAX_ACTIVE_LEVELS=2

# check_program LANGUAGE NAME FLAG...: builds exact.LANGUAGE and runs it under each schedule.
check_program()
{
    local language=$1 name=$2 program=$TEST_TMPDIR/exact schedule
    shift 2
    rm -f "$program"
    # Fortran writes its module file where it stands.
    ok "$name builds" env -C "$TEST_TMPDIR" "${compiler_of[$language]}" -fopenmp -fplugin="$plugin" "$@" \
        "$(keel_path "tests/omp_ext/plugin/exact.$language")" -o "$program"
    like "$(undefined "$program")" ' w keel_worksharing_begin' "$name asks for Keel"
    for schedule in static,3 dynamic nonmonotonic:guided,5; do
        is "$(OMP_SCHEDULE=$schedule OMP_CANCELLATION=true timeout "$tap_patience_s" "$program" 2>&1)" exact "$name alone, OMP_SCHEDULE=$schedule"
    done
    for schedule in static static,3 css,7 gss fac2 wf2 awf-c steal rate monotonic:steal; do
        is "$(KEEL_SCHEDULE=$schedule LD_PRELOAD=$library OMP_CANCELLATION=true timeout "$tap_patience_s" "$program" 2>&1)" exact \
            "$name under $schedule"
    done
}

# By day each language, and each level, once.
declare -A levels=([c]='-O2 -flto=1' [cc]=-O3 [f90]=-O0)
for language in c cc f90; do
    for level in $(each_day "${levels[$language]}" '-O0 -O2 -O3 -flto=1'); do
        check_program $language "$language with $level" $level
    done
    nightly || [ $language = c ] || continue
    check_program $language "$language with every option" -O1 "${everything[@]}"
done
done_testing
