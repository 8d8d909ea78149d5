#!/bin/bash
# Loops are gathered from drawn partitions, for any datatype; errors on one rank are told on all.
source tests/support/mpirun.sh

gather=$(program gather)
for ranks in 1 2 3 4 5 6 7 8; do
    mpi_passes "drawn partitions on $ranks ranks" "$ranks" "$gather" partitions
    mpi_passes "every datatype on $ranks ranks" "$ranks" "$gather" types
    mpi_passes "errors on $ranks ranks" "$ranks" "$gather" errors
    mpi_passes "no memory on one of $ranks ranks" "$ranks" "$gather" memory
done
for failure in pairs blocks later all one ring; do
    mpi_passes "datatypes are freed where MPI fails ($failure)" 2 "$gather" "$failure"
done
done_testing
