#!/bin/bash
# Rows whose costs differ, and the heap that moving leaves as it is.
source tests/support/mpirun.sh

# --- costs: rows whose costs differ, among 2 and 3 ranks, nightly 4, too: weights follow from loops over them, unless
# the program sets some ---

row_costs=$(program unequal_rows)

for ranks in $(each_day 2 '2 3 4'); do
    mpi_passes "$ranks ranks: blocks" $ranks OMP_NUM_THREADS=1 "$row_costs" blocks
done
for ranks in $(each_day 3 '2 3 4'); do
    mpi_passes "$ranks ranks: blocks, two threads" $ranks OMP_NUM_THREADS=2 KEEL_SCHEDULE=fac2 "$row_costs" blocks
done
for ranks in $(each_day 2 '2 3 4'); do
    mpi_passes "$ranks ranks: any rows" $ranks OMP_NUM_THREADS=1 KEEL_SCHEDULE=rate "$row_costs" any
done
mpi_passes 'rank 0 decides' 2 OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=rate "$row_costs" blocks
mpi_passes 'rank 0 decides by default' 3 OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=auto:central=3 "$row_costs" any
mpi_passes 'weights set by the program' 3 OMP_NUM_THREADS=1 "$row_costs" weights_set

# --- the heap: rows that move leave glibc's heap as it is ---

ok 'large items move, and blocks of the program are mapped as before' \
    mpi_run 2 KEEL_MPI_BALANCE=shake "$row_costs" heap

done_testing
