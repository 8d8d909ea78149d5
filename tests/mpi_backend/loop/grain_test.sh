#!/bin/bash
# Shared loops keep to the grain of their clause and their schedules, through the window of a node and by letters.
source tests/support/mpirun.sh

grain=$(program grain)
override=KEEL_OVERRIDE=dynamic,guided

mpi_passes 'one rank' 1 $override "$grain" teams explicit
for ranks in $(each_day '2 3' '2 3 4'); do
    mpi_passes "$ranks ranks of one node" $ranks $override "$grain" teams explicit
    mpi_passes "$ranks ranks, each a node" $ranks $override KEEL_MPI_NODE_RANKS=1 "$grain" teams explicit
done
mpi_passes '4 ranks, nodes of two' 4 $override KEEL_MPI_NODE_RANKS=2 "$grain" teams explicit
mpi_passes 'KEEL_GRAIN' 3 KEEL_GRAIN=14 KEEL_MPI_NODE_RANKS=2 "$grain" explicit

for nodes in 1 2; do
    said=$(mpi_keel 2 $override KEEL_MPI_NODE_RANKS=$nodes "$grain" apart 2>&1)
    is $? 0 "ranks with other chunk sizes are told, nodes of $nodes: exit code"
    like "$said" '^keel: ' 'and a message'
    unlike "$said" '^line ' 'each runs all of its loop'
done

# Without libkeel.so, nobody else complains.
is "$(mpi_run 2 KEEL_GRAIN=0 "$grain" explicit 2>&1)" \
    "keel: KEEL_GRAIN: '0' is not a whole number from 1 to 18446744073709551615; using 1" 'a grain that is none: one message, and 1'
done_testing
