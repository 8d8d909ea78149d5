#!/bin/bash
# Explicit shared loops on 2 and 3 ranks, nightly on 1 to 8, and their results gathered.
source tests/support/mpirun.sh

# --- loops: explicit shared loops on 2 and 3 ranks, nightly on 1 to 8: through the window of a node, by messages between
# ranks that are a node each, and both at once ---

explicit=$(program shared_explicit)

# on RANKS CHECK...
on()
{
    mpi_passes "$1 ranks of one node: ${*:2}" "$1" "$explicit" "${@:2}"
    [ "$1" -lt 2 ] ||
        mpi_passes "$1 ranks, each a node: ${*:2}" "$1" KEEL_MPI_NODE_RANKS=1 "$explicit" "${@:2}"
    [ "$1" -lt 3 ] ||
        mpi_passes "$1 ranks, nodes of two: ${*:2}" "$1" KEEL_MPI_NODE_RANKS=2 "$explicit" "${@:2}"
}

if nightly; then
    for ranks in 1 2 3 4 8; do
        on $ranks schedules flight communicators
    done
    for ranks in 5 6 7; do
        on $ranks schedules flight
    done
    on 2 not_awaited
    on 3 huge
    on 4 not_awaited
else
    on 2 schedules flight not_awaited
    on 3 schedules flight communicators huge
fi
mpi_passes 'unequal weights' 4 KEEL_MPI_WEIGHTS=1,0.25,3,1 KEEL_MPI_NODE_RANKS=2 "$explicit" schedules
mpi_passes 'ranks that answer often' 3 KEEL_MPI_POLL=10 KEEL_MPI_NODE_RANKS=1 "$explicit" schedules flight
mpi_passes 'KEEL_GRAIN' 3 KEEL_GRAIN=14 KEEL_MPI_NODE_RANKS=2 "$explicit" schedules

# Without libkeel.so, this is the only message.
is "$(mpi_run 2 KEEL_GRAIN=0 "$explicit" not_awaited 2>&1)" \
    "keel: KEEL_GRAIN: '0' is not a whole number from 1 to 18446744073709551615; using 1" 'a grain that is none: one message, and 1'

# --- results: loops are gathered from drawn partitions, for any datatype; errors of one rank are reported on all. At night
# loops of more than 2^31 elements, too, from two ranks with a buffer for all of them each. ---

gather=$(program gathered_loops)
for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "drawn partitions, every datatype, errors, no memory on $ranks ranks" "$ranks" "$gather" \
        begin partitions errors memory end
done

if nightly; then
    available=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)
    for check in 'more than 2^31 bytes in one range:large_range' 'more than 2^31 bytes in one iteration:large_count'; do
        if [ "$available" -ge 8 ]; then
            mpi_passes "${check%:*}" 2 "$gather" begin "${check#*:}" end
        else
            skip "${check%:*}" "8 GiB of memory are needed, $available are free"
        fi
    done
fi

done_testing
