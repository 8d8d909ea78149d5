#!/bin/bash
# Rows that move leave glibc's heap as it is.
source tests/support/mpirun.sh

ok 'large items move, and blocks of the program are mapped as before' \
    mpi_run 2 KEEL_MPI_BALANCE=shake "$(program threshold)" blocks
done_testing
