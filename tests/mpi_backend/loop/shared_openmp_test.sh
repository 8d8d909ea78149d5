#!/bin/bash
# Loops of OpenMP teams on several ranks, at every thread level of MPI that allows for teams.
source tests/support/mpirun.sh

openmp=$(program shared_openmp)

for level in $(each_day multiple 'funneled serialized multiple'); do
    mpi_passes "$level, alone" 1 "$openmp" "$level" forms policies
    for ranks in $(each_day 2 '2 3'); do
        mpi_passes "$level, $ranks ranks of one node" "$ranks" "$openmp" "$level" forms policies
    done
    for ranks in $(each_day 3 '2 3'); do
        mpi_passes "$level, $ranks ranks, each a node" "$ranks" KEEL_MPI_NODE_RANKS=1 "$openmp" "$level" forms policies
    done
    mpi_passes "$level, 4 ranks, nodes of two" 4 KEEL_MPI_NODE_RANKS=2 "$openmp" "$level" forms policies
done

for local in $(each_day steal 'gss rate af steal'); do
    mpi_passes "KEEL_SCHEDULE=$local" 2 KEEL_SCHEDULE=$local KEEL_MPI_NODE_RANKS=1 "$openmp" funneled forms
done
mpi_passes 'OMP_SCHEDULE of libgomp' 2 OMP_SCHEDULE=guided,3 "$openmp" funneled forms

for ranks in $(each_day 3 '1 2 3'); do
    mpi_passes "first in the course of a region, $ranks ranks" $ranks "$openmp" funneled within_region
    mpi_passes "the same under a schedule, $ranks ranks" $ranks KEEL_SCHEDULE=auto "$openmp" funneled within_region \
        $(each_day '' forms)
done
mpi_passes 'teams of many threads, one node' 2 "$openmp" multiple large_teams
mpi_passes 'teams of many threads, by letters' 2 KEEL_MPI_NODE_RANKS=1 "$openmp" multiple large_teams
for progress in 0 1; do
    mpi_passes "long iterations, KEEL_MPI_PROGRESS=$progress" 3 KEEL_MPI_PROGRESS=$progress KEEL_MPI_NODE_RANKS=1 \
        "$openmp" multiple long_iterations $(each_day '' policies)
done
mpi_passes 'a thread that answers while others compute' 3 KEEL_MPI_PROGRESS=1 KEEL_MPI_NODE_RANKS=1 "$openmp" multiple answered
override=KEEL_OVERRIDE=dynamic,guided
for nodes in $(each_day 2 '1 2 3'); do
    mpi_passes "chunks of clauses, nodes of $nodes" 3 $override KEEL_MPI_NODE_RANKS=$nodes "$openmp" funneled clauses
done
for nodes in $(each_day 1 '1 2'); do
    said=$(mpi_keel 2 $override KEEL_MPI_NODE_RANKS=$nodes "$openmp" funneled apart 2>&1)
    is $? 0 "ranks with other chunks are told, nodes of $nodes: exit code"
    like "$said" '^keel: ' 'and a message'
    unlike "$said" '^line ' 'each runs all of its loop'
done
ok 'libkeel.so linked instead of preloaded' mpi_run 2 KEEL_MPI_NODE_RANKS=1 "$(program shared_openmp_linked)" funneled forms

done_testing
