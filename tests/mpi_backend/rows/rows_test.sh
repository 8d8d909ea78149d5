#!/bin/bash
# Rows that move among 2 and 3 ranks, nightly among 1 to 8: by random shares, under every policy, and when something
# fails.
source tests/support/mpirun.sh

rows=$(program rows)

for ranks in $(each_day '2 3' '1 2 3 4 5 6 7 8'); do
    mpi_passes "$ranks ranks: random shares, and rows that move at every hook" "$ranks" KEEL_MPI_BALANCE=shake \
        "$rows" moves shaken
done
some='auto rate-local:pipelined=no,filter=no rate random diffusion redistribute tree:central=3,pipelined=no shake'
policies='auto rate-local rate-local:pipelined=no,filter=no rate rate:pipelined=no random diffusion redistribute tree
    auto:central=2 tree:central=3,pipelined=no shake shake:seed=77 off'
for ranks in $(each_day 3 '2 5'); do
    mpi_passes "$ranks ranks under each policy" "$ranks" POLICIES="$(echo $(each_day "$some" "$policies"))" "$rows" policies
done
mpi_passes 'first blocks by weights' 3 KEEL_MPI_WEIGHTS=1,0.1,4 "$rows" moves hooks
mpi_passes "rows of $(each_day 20 100) MiB" 2 "$rows" wide
mpi_passes 'weights of phases to come' 3 \
    KEEL_MPI_BALANCE=rate-local:period=1e-9,quantum=1e-6,filter=no,pipelined=no "$rows" ahead
mpi_passes 'weights of 1e-300, the program says how, and figures get rare' 3 "$rows" small word rare
mpi_passes 'off' 4 KEEL_MPI_BALANCE=off "$rows" off

# fails RANKS [NAME=VALUE...] -- CHECK...: sets $status and $output.
fails()
{
    local before=()
    while [ "$1" != -- ]; do
        before+=("$1")
        shift
    done
    output=$(mpi_run "${before[@]}" "$rows" "${@:2}" 2>&1)
    status=$?
}

# complains NAME TEXT: that job passed, and said TEXT on the way.
complains()
{
    [ "$status" = 0 ] && grep -qF "$2" <<<"$output" && ! grep -q '^line' <<<"$output"
    tap_result $? "$1" || diag "$output"
}

# stays_away NAME RANKS CHECK: the others wait for a rank.
stays_away()
{
    fails "$2" KEEL_MPI_DEADLINE=0.3 -- "$3"
    complains "$1" ' s at keel_mpi_rows_balance(), or where ranks agree on rows, for rank '
}

for ranks in $(each_day 3 '2 3'); do
    beside stays_away "$ranks ranks: one comes to no hook" $ranks absence
    beside stays_away "$ranks ranks: one stays away later" $ranks leaving
    fails $ranks -- different arguments
    complains "$ranks ranks: different policies" 'with different KEEL_MPI_BALANCE'
    complains "$ranks ranks: bad arguments" 'ranks want different shares'
    together
done
fails 3 -- functions
complains 'functions that fail' 'failed with 6 to unpack row'
fails 2 -- unseen
complains 'no loops to go by' 'no scheduled loop has been seen'

done_testing
