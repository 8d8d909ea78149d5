#!/bin/bash
# Objects that move take little memory beside their data, may have more than 2^31 bytes, and stay where there is no memory.
source tests/support/mpirun.sh

memory=$(program memory)
export OMP_NUM_THREADS=1

if nightly; then
    for ranks in 1 5; do
        mpi_passes "$ranks ranks: a million objects take at most 128 bytes each beside their data" "$ranks" "$memory" bytes
    done
    for ranks in 1 2 5; do
        mpi_passes "$ranks ranks: objects go in pieces" "$ranks" "$memory" pieces
    done
    mpi_passes '1 rank: the system gives no memory for an object' 1 "$memory" no_room
    mpi_passes 'any allocation of the receiver, or of the giver, fails' 2 "$memory" any_allocation
    mpi_passes '2 ranks: a thread that may not call MPI has no memory' 2 "$memory" other_thread
else
    mpi_passes '3 ranks: objects take at most 128 bytes each beside their data' 3 "$memory" bytes
    mpi_passes '2 ranks: objects go in pieces; any allocation of the receiver, or of the giver, fails' \
        2 "$memory" pieces any_allocation
fi
mpi_passes '3 ranks: the system gives no memory for an object' 3 "$memory" no_room
mpi_passes '3 ranks: a thread that may not call MPI has no memory' 3 "$memory" other_thread

# The receiver has 2 GiB for a moment. What a container may have counts, too.
room_kib()
{
    local limit
    {
        awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
        for limit in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
            awk '/^[0-9]/ { printf "%.0f\n", $1 / 1024 }' "$limit" 2>/dev/null
        done
        ulimit -v | grep -v unlimited
    } | sort -n | head -n 1
}

room_mib=$(($(room_kib) / 1024))
if ! nightly; then
    : # gigabytes take a while
elif [ "$room_mib" -ge 6144 ]; then
    mpi_passes 'one object of more than 2^31 bytes' 2 "$memory" huge
else
    skip 'objects of more than 2^31 bytes' "there are $room_mib MiB of memory, 6144 are needed"
fi

done_testing
