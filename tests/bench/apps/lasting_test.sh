#!/bin/bash
# bench/apps/lasting loses ranks, and its result is the serial one.
source tests/support/mpirun.sh

lasting=$(keel_path bench/apps/lasting)

# loses LEFT COPIES RANKS DEATH...: so many ranks are left, and the result is right.
loses()
{
    local said
    said=$(mpi_launch "${recovery[@]}" -n "$3" env OMP_NUM_THREADS=1 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_MPI_COPIES="$2" "$lasting" 40 60 "${@:4}" 2>&1)
    like "$said" "^$1 ranks are left, the result is right\$" "$3 ranks, copies every $2 steps, deaths: ${*:4}" || diag "$said"
}

loses 3 10 3
loses 2 10 4 1@25 0@50
loses 2 0 3 2@25
done_testing
