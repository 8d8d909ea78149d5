#!/bin/bash
# Fortran programs share loops, with either kind of handles, and rows.
source tests/support/mpirun.sh

for ranks in $(each_day '2 3' '2 3 5'); do
    for schedule in $(each_day 'tree ss' 'tree rate ss af'); do
        mpi_passes "$ranks ranks, $schedule" "$ranks" KEEL_SCHEDULE=fac2 OMP_NUM_THREADS=2 \
            KEEL_MPI_SCHEDULE="$schedule" "$(program fortran_loops_f)"
    done
done

mpi_passes 'one rank' 1 KEEL_SCHEDULE=fac2 OMP_NUM_THREADS=2 "$(program fortran_loops_f)"

for ranks in $(each_day '1 3' '1 2 3 5 8'); do
    mpi_passes "$ranks ranks: rows and sweeps" "$ranks" OMP_NUM_THREADS=1 "$(program fortran_rows_f)"
done

# What is wrong is reported once, and nothing more.
for ranks in 1 2 3; do
    output=$(mpi_run "$ranks" OMP_NUM_THREADS=1 "$(program fortran_rows_f)" errors 2>&1)
    ok "$ranks ranks: errors have their codes" test "$?" = 0
    unlike "$output" wrong 'and nothing is changed'
    is "$(grep -c 'keel_mpi_rows_owner: there is no row 41, expected one from 1 to 40' <<<"$output")" 1 \
        'rows are counted from 1'
    is "$(grep -c "keel_mpi_rows_move: shares of $((ranks + 1)) ranks, expected $ranks" <<<"$output")" 1 \
        'shares are of all ranks'
done

done_testing
