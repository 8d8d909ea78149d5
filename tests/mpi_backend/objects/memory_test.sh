#!/bin/bash
# Objects that move take little memory beside their data, may have more than 2^31 bytes, and stay where there is no memory.
source tests/support/mpirun.sh

memory=$(program memory)
export OMP_NUM_THREADS=1

for ranks in $(each_day 3 '1 5'); do
    mpi_passes "$ranks ranks: a million objects take at most 128 bytes each beside their data" "$ranks" "$memory" bytes
done
for ranks in $(each_day '2 3' '1 2 5'); do
    mpi_passes "$ranks ranks: objects go in pieces" "$ranks" "$memory" pieces
done
for ranks in 1 3; do
    mpi_passes "$ranks ranks: the system gives no memory for an object" "$ranks" "$memory" no_room
done
mpi_passes 'any allocation of the receiver fails' 2 "$memory" any_allocation
mpi_passes 'the giver has no memory to pack an object' 2 "$memory" giver

for ranks in $(each_day 3 '2 3'); do
    mpi_passes "$ranks ranks: a thread that may not call MPI has no memory" "$ranks" "$memory" other_thread
done

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
    mpi_passes 'objects of 2.25 GiB together' 2 "$memory" together
else
    skip 'objects of more than 2^31 bytes' "there are $room_mib MiB of memory, 6144 are needed"
fi

done_testing
