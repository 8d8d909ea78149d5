#!/bin/bash
# Halos among 2 and 3 ranks, nightly among 1 to 8: in one step or two, before and after rows move; what is wrong is said
# once, and does no harm.
source tests/support/mpirun.sh

halo=$(program rows_halo)

for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "$ranks ranks: rows around own ones" "$ranks" "$halo" exchanges nothing
done
if nightly; then
    for ranks in 2 3; do
        mpi_passes "$ranks ranks: rows of a MiB, and the memory that is taken" "$ranks" "$halo" large footprint
    done
else
    mpi_passes '2 ranks: rows around own ones; rows of a MiB, and the memory that is taken' 2 "$halo" large footprint exchanges nothing
fi
mpi_passes 'first blocks by weights' 4 KEEL_MPI_WEIGHTS=1,0.01,1e-5,2 "$halo" exchanges

# says NAME MESSAGES RANKS CHECK: it succeeds and says just that, in any order. An error that all ranks make is said once.
says()
{
    local output status
    output=$(set -o pipefail
        mpi_keel "${@:3:1}" "$halo" "$4" 2>&1 | sed 's/at 0x[0-9a-f]*/at ADDRESS/' | sort)
    status=$?
    is "$output" "$(sort <<<"$2")" "$1" && ok "$1: exit status" test "$status" = 0
}

# times COUNT MESSAGE: lines of Keel's.
times()
{
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'keel: %s\n' "$2"
    done
}

for ranks in $(each_day 3 '1 3'); do
    says "$ranks ranks: wrong calls" "$(
        times 1 'a distribution of rows is NULL, expected one from keel_mpi_rows_create(); nothing is done'
        times 1 'there is no array at ADDRESS, expected the address that keel_mpi_rows_array() gave; nothing is done'
        times 1 'no exchange of the array at ADDRESS has been begun, expected keel_mpi_rows_exchange_begin() first; nothing is done'
        times 1 'no exchange has been begun, expected keel_mpi_rows_exchange_begin() first; nothing is done'
        times 1 'the exchange of the array at ADDRESS has been begun already, expected keel_mpi_rows_exchange_end() first; no exchange is begun'
    )" "$ranks" errors
done
mpi_passes '1 rank: nowhere to move in between, and memory for what it has' 1 "$halo" moved memory
says '4 ranks: rows that move in between' \
    "$(times 1 'rows have moved since keel_mpi_rows_exchange_begin() was called for the array at ADDRESS, expected keel_mpi_rows_exchange_end() before; its halo is not up to date')" \
    4 moved
for ranks in $(each_day 3 '2 3'); do
    says "$ranks ranks: no memory for rows that come" \
        "$(times 1 'no memory for rows that were to move; rows stay where they are')" "$ranks" memory
done

done_testing
