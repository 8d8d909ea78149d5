#!/bin/bash
# Loops are gathered from drawn partitions, for any datatype; errors on one rank are told on all.
source tests/support/mpirun.sh

gather=$(program gather)
for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "drawn partitions, every datatype, errors, no memory on $ranks ranks" "$ranks" "$gather" \
        begin partitions errors memory end
done
for failure in $(each_day 'MPI_Type_commit,1,-1 MPI_Irecv,0,-1' \
    'MPI_Type_commit,0,-1 MPI_Type_commit,1,-1 MPI_Type_commit,2,-1 MPI_Iallgatherv,0,-1 MPI_Igatherv,0,0 MPI_Irecv,0,-1'); do
    mpi_passes "datatypes are freed where MPI fails ($failure)" 2 KEEL_TEST_FAILS=$failure "$gather" begin failure end
done
done_testing
