#!/bin/bash
# keel check with programs of several ranks: all of them run under it.
source tests/support/tap.sh
source tests/omp_ext/command/check/check.sh
source tests/support/mpirun.sh
export OMP_NUM_THREADS=2
short_tmpdir

# The project's applications. Their only line has times in it, which differ; exit codes tell whether they are right.
apps=('heat_f --size 37 --steps 12' 'quadrature --rows --size 4 --across 8 --steps 5')
! nightly || apps+=('sor --size 37 --steps 6' 'matmul --size 37 --steps 6 --repeat 2')
runs=$(each_day 2 4)
for app in "${apps[@]}"; do
    check -n "$runs" --plain-runs 1 --ignore "^${app%% *}," -- "$(keel_path bench/apps/${app%% *})" ${app#* } --verify
    is "$status" 0 "$app: exit code"
    like "$said" ": the same results in 1 run without Keel and $runs under random schedules" "$app: the same"
done
sor=$(keel_path bench/apps/sor)
check -n "$runs" --ignore '^sor,' -- mpirun -n 2 "$sor" --size 37 --steps 6 --verify
is "$status" 0 'two ranks: exit code'
like "$said" "^'mpirun': the same results in 3 runs without Keel and $runs under random schedules \([0-9]+ loops?, 2 threads, seeds 1 to $runs\)\$" \
    'loops of ranks come to Keel'

compile unsafe || exit
check -n "$(each_day 10 40)" -- mpirun -n 2 "$unsafe" thread
is "$status" 1 'a loop that is wrong: exit code'
like "$said" "^results differ when $(place thread 1) \(per_thread\) is scheduled" 'is named'
done_testing
