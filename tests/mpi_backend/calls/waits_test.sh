#!/bin/bash
# Waits of MPI sleep where KEEL_MPI_WAIT says so, of every kind, under Open MPI and MPICH; calls that only ask do not.
source tests/support/mpirun.sh

source=$(keel_path tests/mpi_backend/calls/waits.c)
preload=$(keel_path omp_ext/libkeel.so):$(keel_path mpi_backend/calls/libkeel_mpi_calls.so)
out=$TEST_TMPDIR
export OMPI_MCA_osc=sm,pt2pt # windows, without the transports that mpirun.sh leaves out
unset OMPI_MCA_mpi_yield_when_idle
kinds='Recv Ssend Wait Probe Barrier Allreduce Reduce Bcast Comm_split Win_fence'

# each WORD: what all kinds do, but Test
each()
{
    printf "%s $1\n" $kinds
    echo Test polls
}

for name in openmpi mpich; do
    export KEEL_TEST_MPIRUN=${mpi_given:-mpirun.$name}
    if ! command -v "mpicc.$name" "$KEEL_TEST_MPIRUN" >/dev/null; then
        skip "$name" 'it is not installed'
        continue
    fi
    "mpicc.$name" -o "$out/waits" "$source"
    is "$(mpi_shows 2 LD_PRELOAD="$preload" KEEL_MPI_WAIT=sleep "$out/waits" 2>&1)" "$(each sleeps)" "$name: waits sleep"
    is "$(mpi_shows 2 LD_PRELOAD="$preload" KEEL_MPI_WAIT=poll "$out/waits" 2>&1)" "$(each polls)" "$name: or poll"
done
export KEEL_TEST_MPIRUN=$mpi_given
like "$(mpi_shows 1 LD_PRELOAD="$preload" KEEL_MPI_WAIT=often true 2>&1 | head -n 1)" \
    "^keel: KEEL_MPI_WAIT: 'often' is not poll or sleep; using poll\$" 'another word is told'
done_testing
