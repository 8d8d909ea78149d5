#!/bin/bash
# Objects that move: hard cases, on 2 and 3 ranks, nightly on 1 to 6; memory; and a Fortran program.
source tests/support/mpirun.sh

# --- hard cases of objects that move, on 2 and 3 ranks, nightly on 1 to 6 ---

cases=$(program hard_cases)
export OMP_NUM_THREADS=1

for ranks in $(each_day 3 '1 2 5'); do
    mpi_passes "$ranks ranks: few objects, messages without an object, many objects" "$ranks" \
        "$cases" few no_object storm times
done
if nightly; then
    for ranks in 2 6; do
        mpi_passes "$ranks ranks: all objects on one rank at first" "$ranks" "$cases" one_rank
        mpi_passes "$ranks ranks: one object at a time" "$ranks" "$cases" one_at_a_time
    done
else
    mpi_passes '2 ranks: all objects on one rank at first; one object at a time' 2 "$cases" one_rank one_at_a_time
fi
mpi_passes 'objects move by chance in a storm' 3 KEEL_MPI_BALANCE=shake "$cases" storm no_object few impossible_size
mpi_passes 'a thread answers' 3 KEEL_MPI_PROGRESS=1 "$cases" one_rank
for policy in $(each_day 'shake diffuse' 'shake diffuse steal tree prema'); do
    mpi_passes "weights of all sizes under $policy" 3 KEEL_MPI_BALANCE=$policy "$cases" extreme_weights
done
for schedule in $(each_day fac2 'static dynamic,1 fac2'); do
    mpi_passes "teams by $schedule" 2 OMP_NUM_THREADS=3 KEEL_SCHEDULE=$schedule "$cases" team one_rank storm times
    mpi_passes "handlers by teams, $schedule" 2 OMP_NUM_THREADS=3 KEEL_SCHEDULE=$schedule "$cases" wait_team
done
mpi_passes 'a team and a thread that answers' 2 OMP_NUM_THREADS=2 KEEL_SCHEDULE=gss \
    KEEL_MPI_PROGRESS=1 "$cases" one_rank

# Each mistake of the program has a message, and the program goes on. Mistakes of all ranks are reported once.
output=$(mpi_run 3 "$cases" mistakes 2>&1)
[ $? = 0 ] && ! grep -q '^line' <<<"$output" &&
    grep -qF 'struct_size is 5' <<<"$output" &&
    grep -qF 'there is an object with index 0' <<<"$output" &&
    grep -qF "'gradient' is none of steal, diffuse, tree, prema, shake and off" <<<"$output" &&
    grep -qF 'some ranks came to keel_mpi_objects_each()' <<<"$output" &&
    [ "$(grep -c 'with different handlers' <<<"$output")" = 1 ]
tap_result $? 'mistakes of programs' || diag "$output"

differ='[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || export KEEL_MPI_COPIES=2; exec "$@"'
output=$(mpi_run 2 bash -c "$differ" bash "$cases" other_copies 2>&1)
[ $? = 0 ] && grep -qF 'or KEEL_MPI_COPIES, expected the same' <<<"$output"
tap_result $? 'ranks with different KEEL_MPI_COPIES' || diag "$output"

# --- memory: objects that move take little memory besides their data, may have more than 2^31 bytes, and stay if there
# is no memory ---

memory=$(program object_memory)
export OMP_NUM_THREADS=1

if nightly; then
    for ranks in 1 5; do
        mpi_passes "$ranks ranks: a million objects take at most 128 bytes each besides their data" "$ranks" "$memory" bytes
    done
    for ranks in 1 2 5; do
        mpi_passes "$ranks ranks: objects move in pieces" "$ranks" "$memory" pieces
    done
    mpi_passes '1 rank: the system gives no memory for an object' 1 "$memory" no_room
    mpi_passes 'any allocation of the receiver, or of the giver, fails' 2 "$memory" any_allocation
    mpi_passes '2 ranks: a thread that may not call MPI has no memory' 2 "$memory" other_thread
else
    mpi_passes '3 ranks: objects take at most 128 bytes each besides their data' 3 "$memory" bytes
    mpi_passes '2 ranks: objects move in pieces; any allocation of the receiver, or of the giver, fails' \
        2 "$memory" pieces any_allocation
fi
mpi_passes '3 ranks: the system gives no memory for an object' 3 "$memory" no_room
mpi_passes '3 ranks: a thread that may not call MPI has no memory' 3 "$memory" other_thread

# The receiver needs 2 GiB for a moment. The limit of a container counts, too.
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

# --- Fortran: a Fortran program has objects that move ---

for ranks in $(each_day '1 3' '1 2 3 5'); do
    mpi_passes "$ranks ranks" "$ranks" OMP_NUM_THREADS=1 "$(program fortran_objects_f)"
done

done_testing
