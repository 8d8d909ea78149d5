#!/bin/bash
# Ranks are killed, and objects come back from copies: the answer is that of a program that lost none. Each day two
# ranks die one after the other; at night they do so wherever they can.
source tests/support/mpirun.sh

survivor=$(program survivor)

# runs RANKS DEATHS [NAME=VALUE...]: sets `said`: what the program prints, and Keel about objects that are gone.
runs()
{
    said=$(mpi_launch "${recovery[@]}" -n "$1" env OMP_NUM_THREADS=1 KEEL_TEST_DEATHS="$2" "${@:3}" "$survivor" 2>&1 |
        sed -nE 's/^keel: (objects can.t come back)/\1/p; /^(back|code|rank|[0-9]+ ranks)/p')
}

# comes_back NAME LEFT PHASES RANKS DEATHS [NAME=VALUE...]: to one of PHASES (a pattern) at last, and nothing is wrong.
comes_back()
{
    runs "${@:4}"
    like "$(grep back <<<"$said" | tail -1)" "^back at phase ($3) of" "$1: it goes on from there"
    is "$(grep -v back <<<"$said" | sed -E 's/ (no|with) copies$//')" "$2 ranks: done," "$1: the answer is right" || diag "$said"
}

comes_back 'two ranks die one after the other' 2 9 4 '1@step:4 2@step:10' KEEL_MPI_COPIES=3 KEEL_TEST_BALANCE=shake
nightly || { done_testing; exit; }

is "$(mpi_shows 3 OMP_NUM_THREADS=1 "$survivor" 2>&1)" '3 ranks: done, no copies' 'without KEEL_MPI_COPIES none are taken'
for balance in off shake diffuse; do
    is "$(mpi_shows 3 OMP_NUM_THREADS=2 KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=$balance "$survivor" 2>&1)" \
        '3 ranks: done, with copies' "$balance: nobody dies"
    for victim in 0 2; do
        comes_back "$balance, rank $victim dies in a phase" 2 4 3 "$victim@compute:5" KEEL_MPI_COPIES=2 KEEL_MPI_BALANCE=$balance
    done
done
comes_back 'each phase takes a copy' 2 7 3 1@step:7 KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=shake
comes_back 'one of two ranks dies' 1 6 2 0@step:7 KEEL_MPI_COPIES=3
# objects stay where they were made, so that ranks surely have some to die with
comes_back 'two ranks die at once that hold nothing of each other' 2 6 4 0@compute:7,2@compute:7 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while a copy is taken' 2 6 3 1@copy:8 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while the first copy is taken' 2 0 3 1@copy:0 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while objects come back' 2 6 4 '1@step:7 3@unpack:0' KEEL_TEST_AGAIN=1 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while the first copy of the next set is taken' 2 6 4 '1@step:7 3@again:0' KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'without copies all is as at first' 2 0 3 0@step:7

runs 4 1@step:7,2@step:7 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
is "$(grep -c '^code 16$' <<<"$said")" 2 'a rank and the one that holds its copy die: all others get an error' || diag "$said"
like "$said" 'rank 1 and the rank that held the copy of its objects have both ended' 'a message says so'
done_testing
