#!/bin/bash
# bench/hybrid/mandelbrot.c draws each row once, on whichever rank, and gathers the picture.
source tests/support/mpirun.sh

# rows OUTPUT: of all ranks together.
rows()
{
    awk '$1 == "rank" { sum += $3 } END { print sum + 0 }' <<<"$1"
}

# draws NAME RANKS PROGRAM [NAME=VALUE...]: a picture of 60 rows.
draws()
{
    local output
    output=$(mpi_shows "$2" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=2 "${@:4}" "$(keel_path "bench/hybrid/$3")" 60 2>&1)
    ok "$1: it succeeds" test "$?" = 0 -a -n "$output"
    is "$(rows "$output")" 60 "$1: each row is drawn once"
    is "$(grep -cE '^rank [0-9]+: [0-9]+ rows, 2 threads busy for +[0-9.]+ s, [-+][0-9.]+ % from the mean$' <<<"$output")" \
        "$2" "$1: every rank has its line"
    like "$output" '^time +[0-9.]+ s, imbalance +[0-9.]+ %$' "$1: time and imbalance are printed"
    like "$output" '^the picture is the one that rank 0 draws alone$' "$1: the picture is right"
}

for ranks in 1 2 3; do
    draws "$ranks ranks" "$ranks" mandelbrot
done
draws 'by messages' 3 mandelbrot KEEL_MPI_NODE_RANKS=1
draws 'fac2 in two levels' 2 mandelbrot KEEL_MPI_SCHEDULE=fac2 KEEL_SCHEDULE=fac2
output=$(mpi_shows 2 "$(keel_path bench/hybrid/mandelbrot)" 60 2>&1)
ok 'without libkeel.so: it fails' test $? != 0
like "$output" '^keel: libkeel.so is not in the process' 'without libkeel.so: it says so'
done_testing
