#!/bin/bash
# Fortran programs share loops, with either kind of handles.
source tests/mpi_backend/mpirun.sh

for ranks in 2 3 5; do
    for schedule in tree rate ss af; do
        mpi_passes "$ranks ranks, $schedule" "$ranks" KEEL_SCHEDULE=fac2 OMP_NUM_THREADS=2 \
            KEEL_MPI_SCHEDULE="$schedule" "$(program fortran_loops_f)"
    done
done

mpi_passes 'one rank' 1 KEEL_SCHEDULE=fac2 OMP_NUM_THREADS=2 "$(program fortran_loops_f)"

done_testing
