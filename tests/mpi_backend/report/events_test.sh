#!/bin/bash
# Events of ranks for traces, on real ranks: sums of moves, decisions, and clocks of other hosts.
source tests/support/mpirun.sh

events=$(program events)

for ranks in $(each_day 4 '1 2 4'); do
    is "$(mpi_run $ranks "$events" loops 2>&1)" '' "$ranks ranks of one node share loops"
done
for ranks in $(each_day 2 '1 2 4'); do
    is "$(mpi_run $ranks KEEL_MPI_NODE_RANKS=1 "$events" loops 2>&1)" '' "$ranks ranks, each a node"
done
is "$(mpi_run 3 KEEL_MPI_BALANCE=shake "$events" rows 2>&1)" '' 'rows move by chance'
for policy in rate-local rate; do # on a busy machine, rates may not be worth a movement
    is "$(mpi_run 3 KEEL_TEST_STAYS=1 KEEL_MPI_BALANCE="$policy:period=0.001,quantum=0.0001" "$events" rows 2>&1)" '' \
        "rows move by $policy"
done

# Each rank has a clock of its own; prints how far it is from the first one's. One program for all: the mpirun of
# Open MPI 5.0.7 crashes with several.
if unshare --time --monotonic 1000 --fork true 2>/dev/null; then
    own_clock='offsets=(0 1000 -300) offset=${offsets[${OMPI_COMM_WORLD_RANK:-$PMI_RANK}]}
        [ "$offset" = 0 ] && exec "$@"; exec unshare --time --fork --monotonic "$offset" "$@"'
    is "$(mpi_run 3 KEEL_MPI_BALANCE=shake bash -c "$own_clock" - "$events" loops rows 2>&1 | sort -n)" \
        $'-1000 s\n0 s\n300 s' 'clocks that count from other moments become one'
else
    skip 'clocks that count from other moments become one' 'time namespaces are not allowed here'
fi

done_testing
