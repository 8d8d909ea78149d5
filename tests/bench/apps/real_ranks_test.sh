#!/bin/bash
# auto among real ranks, where peaks of the integrand wander from cell to cell: all ranks decide the same, and the result
# is the serial one, bit for bit.
source tests/support/mpirun.sh

quadrature=$(keel_path bench/apps/quadrature)

# The column of a trace without times, which ranks measure for themselves: what was decided.
decisions()
{
    awk -F, '{ print $1, $6, $7, $8, $9 }' "$1"
}

for ranks in 2 3 5; do
    line=$(mpi_shows $ranks LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=auto:quantum=0.001 \
        KEEL_MPI_TRACE="$TEST_TMPDIR/trace$ranks" "$quadrature" --rows --across 8 --size 10 --steps 80 \
        --verify 2>&1)
    status=$?
    is "$status,${line##*,}" 0,yes "$ranks ranks: the serial result" || diag "$line"
    for ((rank = 1; rank < ranks; rank++)); do
        ok "$ranks ranks: rank $rank has decided" test -s "$TEST_TMPDIR/trace$ranks.$rank" || continue
        is "$(decisions "$TEST_TMPDIR/trace$ranks.$rank")" "$(decisions "$TEST_TMPDIR/trace$ranks.0")" \
            "$ranks ranks: rank $rank has decided as rank 0 has"
    done
done

done_testing
