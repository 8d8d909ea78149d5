#!/bin/bash
# Pipelined sweeps leave what one process would have computed, whatever the blocks, the halo and the places of rows, also where
# rows move within them, by chance and because ranks are of different speed; what is wrong is said.
source tests/support/mpirun.sh

sweeps=$(program sweeps)

for ranks in $(each_day '2 3' '1 2 3 4 5 6 7 8'); do
    mpi_passes "rows, blocks, halos and movements of any kind on $ranks ranks" "$ranks" "$sweeps" shapes
done
for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "chosen blocks, messages that wait for their receivers, two pipelines at once, sweeps that end early, on $ranks ranks" \
        "$ranks" "$sweeps" choices long_rows two_at_once ended_early hooks_ended_early busy_time
done
for ranks in $(each_day 3 '2 3 5'); do
    mpi_passes "ranks of changing speeds are balanced on $ranks ranks" "$ranks" "$sweeps" balanced
done
mpi_passes 'the environment rules over the argument' 3 KEEL_MPI_BLOCK=5 "$sweeps" environment

# says NAME RANKS CHECK MESSAGES: it succeeds and says just that, each once, in any order.
says()
{
    local output status
    output=$(mpi_keel "$2" "$sweeps" "$3" 2>&1 | sort; exit "${PIPESTATUS[0]}")
    status=$?
    is "$output" "$(sed 's/^/keel: /' <<<"$4" | sort)" "$1" && ok "$1: exit status" test "$status" = 0
}

says 'what no pipeline can be made of' 3 creation_errors "$(cat <<'END'
a distribution of rows is NULL, expected one from keel_mpi_rows_create(); nothing is done
keel_mpi_pipeline_create: no place for the pipeline, expected an address; none is made
there is no array at (nil), expected the address that keel_mpi_rows_array() gave; nothing is done
keel_mpi_pipeline_create: the array has a halo of 0, expected 1 to 2147483647; no pipeline is made
keel_mpi_pipeline_create: rows of a KEEL_MPI_ANY distribution are in no order of ranks, expected KEEL_MPI_ADJACENT; no pipeline is made
keel_mpi_pipeline_create: ranks came with different block sizes, 1 on rank 0, expected the same on all; no pipeline is made
END
)"
says 'calls out of order' 2 call_errors "$(
    for function in begin next end report free; do
        printf '%s\n' "keel_mpi_pipeline_$function: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); nothing is done"
    done
    cat <<'END'
keel_mpi_pipeline_next: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
keel_mpi_pipeline_end: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
keel_mpi_pipeline_begin: direction 2, expected KEEL_MPI_FORWARD or KEEL_MPI_BACKWARD; no sweep begins
keel_mpi_pipeline_begin: a sweep has begun already, expected keel_mpi_pipeline_end() before; that sweep goes on
END
)"
says 'calls that do not go with rows that move within sweeps' 2 hook_errors "$(cat <<'END'
keel_mpi_pipeline_begin: another sweep over the same rows has begun, and rows may move in one of them, expected its end before; no sweep begins
keel_mpi_pipeline_hooks: 1000001 hooks, expected 0 to 1000000; it counts as not called
keel_mpi_pipeline_hooks: a sweep has begun, expected keel_mpi_pipeline_end() before; it counts as not called
keel_mpi_pipeline_hooks: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); nothing is done
keel_mpi_pipeline_next: rows may move within this sweep, expected keel_mpi_pipeline_next_rows(); there are no elements
keel_mpi_pipeline_next_rows: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
END
)"
done_testing
