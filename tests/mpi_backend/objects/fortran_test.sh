#!/bin/bash
# A Fortran program has objects that move.
source tests/support/mpirun.sh

for ranks in $(each_day '1 3' '1 2 3 5'); do
    mpi_passes "$ranks ranks" "$ranks" OMP_NUM_THREADS=1 "$(program fortran_objects_f)"
done

done_testing
