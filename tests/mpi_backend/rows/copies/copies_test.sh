#!/bin/bash
# Ranks are killed, and rows come back from copies: the answer is that of a program that lost none. Each day two ranks
# die one after the other; at night they do so wherever they can.
source tests/support/mpirun.sh

survivor=$(program survivor)

# runs RANKS DEATHS [NAME=VALUE...]: sets `said`: what the program prints, and Keel about rows that are gone.
runs()
{
    said=$(mpi_launch "${recovery[@]}" -n "$1" env KEEL_TEST_DEATHS="$2" "${@:3}" "$survivor" 2>&1 |
        sed -nE 's/^keel: (rows can.t come back)/\1/p; /^(back|code|row|rank|[0-9]+ ranks)/p')
}

# comes_back NAME LEFT HOOKS RANKS DEATHS [NAME=VALUE...]: to one of HOOKS (a pattern) at last, and nothing is wrong.
comes_back()
{
    runs "${@:4}"
    like "$(grep back <<<"$said" | tail -1)" "^back at hook ($3) of" "$1: it goes on from there"
    is "$(grep -v back <<<"$said" | sed -E 's/ (no|with) copies$//')" "$2 ranks: done," "$1: the answer is right" || diag "$said"
}

comes_back 'two ranks die one after the other' 2 '24|30' 4 '1@step:11 2@step:34' KEEL_MPI_COPIES=6 KEEL_TEST_BALANCE=shake
nightly || { done_testing; exit; }

is "$(mpi_shows 3 "$survivor" 2>&1)" '3 ranks: done, no copies' 'without KEEL_MPI_COPIES none are taken'
for balance in off shake; do
    is "$(mpi_shows 3 KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=$balance "$survivor" 2>&1)" '3 ranks: done, with copies' "$balance: nobody dies"
    for victim in 0 1 2; do
        comes_back "$balance, rank $victim dies" 2 '12|18' 3 "$victim@step:20" KEEL_MPI_COPIES=6 KEEL_MPI_BALANCE=$balance
    done
done
comes_back 'each hook takes a copy' 2 '19|20' 3 1@step:20 KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=shake
comes_back 'one of two ranks dies' 1 '12|18' 2 0@step:20 KEEL_MPI_COPIES=6
comes_back 'two ranks die at once that hold nothing of each other' 2 '12|18' 4 0@step:20,2@step:20 KEEL_MPI_COPIES=6
comes_back 'a rank dies while a copy is taken' 2 15 3 1@copy:16 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while the first copy is taken' 2 0 3 1@copy:0 KEEL_MPI_COPIES=3 KEEL_MPI_BALANCE=off
comes_back 'a rank dies while rows come back' 2 '12|18' 4 '1@step:20 3@unpack:0' KEEL_TEST_AGAIN=1 KEEL_MPI_COPIES=6
comes_back 'a rank dies while the first copy of the next distribution is taken' 2 '12|18' 4 '1@step:20 3@again:0' KEEL_MPI_COPIES=6
comes_back 'without copies all is as at first' 2 0 3 0@step:20

runs 4 1@step:20,2@step:20 KEEL_MPI_COPIES=6 KEEL_MPI_BALANCE=off
is "$(grep -c '^code 16$' <<<"$said")" 2 'a rank and the one that holds its copy die: all others get an error' || diag "$said"
like "$said" 'rank 1 and the rank that held the copy of its rows have both ended; 16 rows are gone, 15 to 30 among them' \
    'a message says which rows are gone'
done_testing
