#!/bin/bash
# Rows that move among 2 and 3 ranks, nightly among 1 to 8: by random shares, under every policy, and when something fails.
source tests/support/mpirun.sh

rows=$(program rows)
failures=$(program rows_failures)

for ranks in $(each_day '2 3' '1 2 3 4 5 6 7 8'); do
    mpi_passes "$ranks ranks: random shares" "$ranks" "$rows" moves
    mpi_passes "$ranks ranks: rows move at every hook" "$ranks" KEEL_MPI_BALANCE=shake "$rows" shaken
done
for policy in auto rate-local rate-local:pipelined=no,filter=no rate rate:pipelined=no random \
    diffusion redistribute tree auto:central=2 tree:central=3,pipelined=no shake shake:seed=77 off; do
    for ranks in $(each_day 3 '2 5'); do
        mpi_passes "$ranks ranks under $policy" "$ranks" KEEL_MPI_BALANCE="$policy" "$rows" hooks
    done
done
mpi_passes 'first blocks by weights' 3 KEEL_MPI_WEIGHTS=1,0.1,4 "$rows" moves hooks
mpi_passes 'rows of 100 MiB' 2 "$rows" wide
mpi_passes 'weights of phases to come' 3 \
    KEEL_MPI_BALANCE=rate-local:period=1e-9,quantum=1e-6,filter=no,pipelined=no "$rows" ahead
mpi_passes 'weights of 1e-300, and the program says how' 3 "$rows" small word
mpi_passes 'off' 4 KEEL_MPI_BALANCE=off "$rows" off

# complains NAME TEXT RANKS [NAME=VALUE...] CHECK: passes, and says TEXT on the way.
complains()
{
    local output
    output=$(mpi_run "${@:3:$#-3}" "$failures" "${!#}" 2>&1)
    [ $? = 0 ] && grep -qF "$2" <<<"$output" && ! grep -q '^line' <<<"$output"
    tap_result $? "$1" || diag "$output"
}

complains 'functions that fail' 'failed with 6 to unpack row' 3 functions
for ranks in $(each_day 3 '2 3'); do
    complains "$ranks ranks: no memory for rows" 'no memory for rows that were to move' $ranks memory
    complains "$ranks ranks: one comes to no hook" ' s at keel_mpi_rows_balance(), or where ranks agree on rows, for rank ' \
        $ranks KEEL_MPI_DEADLINE=1 absence
    complains "$ranks ranks: one stays away later" ' s at keel_mpi_rows_balance(), or where ranks agree on rows, for rank ' \
        $ranks KEEL_MPI_DEADLINE=1 leaving
    complains "$ranks ranks: different policies" 'with different KEEL_MPI_BALANCE' $ranks different
    complains "$ranks ranks: bad arguments" 'ranks want different shares' $ranks arguments
done
complains 'no loops to go by' 'no scheduled loop has been seen' 2 unseen

done_testing
