#!/bin/bash
# Loops are gathered from drawn partitions, for any datatype; errors on one rank are told on all.
source tests/support/mpirun.sh

gather=$(program gather)
for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "drawn partitions, every datatype, errors, no memory on $ranks ranks" "$ranks" "$gather" \
        begin partitions errors memory end
done
done_testing
