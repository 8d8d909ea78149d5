#!/bin/bash
# Partial results of shared loops are combined; loops that could not be shared return an error, and each
# rank keeps its complete result; through the window of a node and by messages.
source tests/support/mpirun.sh

reduce=$(program reduce)
source=tests/mpi_backend/loop/reduce.c

# line PATTERN: its number in the program.
line()
{
    grep -n "$1" "$source" | head -1 | cut -d: -f1
}

# By day each number of ranks and each check in one of the two ways.
for ranks in $(each_day '2 3' '1 2 3 5'); do
    for way in $(each_day "KEEL_MPI_NODE_RANKS=$((ranks == 2 ? 8 : 1))" 'KEEL_MPI_NODE_RANKS=8 KEEL_MPI_NODE_RANKS=1'); do
        mpi_passes "sums and operations, $ranks ranks, $way" "$ranks" OMP_NUM_THREADS=2 "$way" \
            "$reduce" sums explicit_loops types program_operations
    done
done
mpi_passes 'loops of several communicators' 5 "$reduce" communicators
for ranks in $(each_day 3 '1 3'); do
    mpi_passes "a cancelled loop, $ranks ranks" "$ranks" "$reduce" cancelled
done

apart="keel: reduce.c:$(line 'parallel for') (run_team) can't be shared, ranks came with different loops:"
for way in $(each_day KEEL_MPI_NODE_RANKS=8 'KEEL_MPI_NODE_RANKS=8 KEEL_MPI_NODE_RANKS=1'); do
    prints "different bounds, $way" \
        "$apart rank 0 with 1000 iterations under rate; rank 1 with 1005 iterations under rate; rank 2 with 1010 iterations under rate; each runs all of its own" \
        mpi_keel 3 "$way" "$reduce" different_bounds
done
for way in $(each_day KEEL_MPI_NODE_RANKS=1 'KEEL_MPI_NODE_RANKS=8 KEEL_MPI_NODE_RANKS=1'); do
    prints "a loop on some ranks, $way" \
        "$apart ranks 0, 2-3 with 1000 iterations under rate; rank 1 with none; each runs all of its own" \
        mpi_keel 4 "$way" "$reduce" on_some_ranks
    prints "a loop that a later one hides, $way" \
        "$apart rank 0 with 1000 iterations under tree; rank 1 with 1001 iterations under tree; what they did not wait for may be incomplete" \
        mpi_keel 2 KEEL_MPI_SCHEDULE=tree "$way" "$reduce" missed
done

prints 'without libkeel.so: each rank keeps its result' \
    'keel: libkeel.so is not in the process, so no loop can be shared among ranks (`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank' \
    mpi_run 3 KEEL_MPI_NODE_RANKS=1 "$reduce" no_keel
output=$(mpi_keel 3 "$reduce" refused 2>&1)
is $? 0 'a refused call'
is "$(grep -vc 'a loop can be shared over an intracommunicator only' <<<"$output")" 0 'a refused call: said once'
output=$(mpi_keel 3 "$reduce" arguments 2>&1)
is $? 0 'wrong arguments'
said=$(grep 'nothing is combined' <<<"$output" | sort)
same "$(uniq <<<"$said")" "$said" 'wrong arguments: each is said once'

# The job ends if that is asked for, and only then.
output=$(mpi_keel 3 KEEL_MPI_ON_ERROR=abort "$reduce" different_bounds 2>&1)
is $? 4 'KEEL_MPI_ON_ERROR=abort: the job ends with the code'
like "$output" 'with 1005 iterations under rate' 'KEEL_MPI_ON_ERROR=abort: after the message'
like "$output" 'KEEL_MPI_ON_ERROR=abort: the job ends with 4 \(KEEL_MPI_MISMATCH\)' 'KEEL_MPI_ON_ERROR=abort: it says so'
mpi_run 2 KEEL_MPI_ON_ERROR=abort "$reduce" no_keel >/dev/null 2>&1
is $? 7 'KEEL_MPI_ON_ERROR=abort, without libkeel.so'
mpi_passes 'KEEL_MPI_ON_ERROR=abort, nothing is wrong' 2 KEEL_MPI_ON_ERROR=abort "$reduce" cancelled
done_testing
