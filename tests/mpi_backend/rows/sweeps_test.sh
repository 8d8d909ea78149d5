#!/bin/bash
# Exchanges of parts of rows: halos, and pipelined sweeps.
source tests/support/mpirun.sh

# --- halos among 2 and 3 ranks, nightly among 1 to 8: in one step or two, before and after rows move; errors are
# reported once, and do no harm ---

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

# with_errors RANKS PROGRAM CHECK: what the job prints. An error of all ranks is reported once.
with_errors()
(
    set -o pipefail
    mpi_keel "$@" 2>&1 | sed 's/at 0x[0-9a-f]*/at ADDRESS/'
)

for ranks in $(each_day 3 '1 3'); do
    prints "$ranks ranks: wrong calls" "$(
        printf 'keel: %s\n' \
            'a distribution of rows is NULL, expected one from keel_mpi_rows_create(); nothing is done' \
            'there is no array at ADDRESS, expected the address that keel_mpi_rows_array() gave; nothing is done' \
            'no exchange of the array at ADDRESS has been begun, expected keel_mpi_rows_exchange_begin() first; nothing is done' \
            'no exchange has been begun, expected keel_mpi_rows_exchange_begin() first; nothing is done' \
            'the exchange of the array at ADDRESS has been begun already, expected keel_mpi_rows_exchange_end() first; no exchange is begun'
    )" with_errors "$ranks" "$halo" errors
done
mpi_passes '1 rank: rows can not move in between, and there is memory for them' 1 "$halo" moved memory
prints '4 ranks: rows that move in between' \
    'keel: rows have moved since keel_mpi_rows_exchange_begin() was called for the array at ADDRESS, expected keel_mpi_rows_exchange_end() before; its halo is not up to date' \
    with_errors 4 "$halo" moved
for ranks in $(each_day 3 '2 3'); do
    prints "$ranks ranks: no memory for rows that arrive" \
        'keel: no memory for rows that were to move; rows stay where they are' with_errors "$ranks" "$halo" memory
done

# --- sweeps: pipelined sweeps compute what one process would compute, whatever the blocks, the halo and the placement
# of rows, also if rows move within them, by chance and because ranks are of different speed; errors are reported ---

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
mpi_passes 'the environment takes precedence over the argument' 3 KEEL_MPI_BLOCK=5 "$sweeps" environment

prints 'arguments without a pipeline' "$(sed 's/^/keel: /' <<'END'
a distribution of rows is NULL, expected one from keel_mpi_rows_create(); nothing is done
keel_mpi_pipeline_create: no place for the pipeline, expected an address; none is made
there is no array at (nil), expected the address that keel_mpi_rows_array() gave; nothing is done
keel_mpi_pipeline_create: the array has a halo of 0, expected 1 to 2147483647; no pipeline is made
keel_mpi_pipeline_create: rows of a KEEL_MPI_ANY distribution are in no order of ranks, expected KEEL_MPI_ADJACENT; no pipeline is made
keel_mpi_pipeline_create: ranks came with different arrays or block sizes, rank 0 with array number 1 and blocks of 1, expected the same on all; no pipeline is made
keel_mpi_pipeline_create: ranks came with different arrays or block sizes, rank 0 with array number 1 and blocks of 1, expected the same on all; no pipeline is made
END
)" with_errors 3 "$sweeps" creation_errors
prints 'calls out of order' "$(
    for function in begin next end report free; do
        printf '%s\n' "keel: keel_mpi_pipeline_$function: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); nothing is done"
    done
    sed 's/^/keel: /' <<'END'
keel_mpi_pipeline_next: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
keel_mpi_pipeline_end: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
keel_mpi_pipeline_begin: direction 2, expected KEEL_MPI_FORWARD or KEEL_MPI_BACKWARD; no sweep begins
keel_mpi_pipeline_begin: a sweep has begun already, expected keel_mpi_pipeline_end() before; that sweep goes on
END
)" with_errors 2 "$sweeps" call_errors
prints 'calls that are errors if rows move within sweeps' "$(sed 's/^/keel: /' <<'END'
keel_mpi_pipeline_begin: another sweep over the same rows has begun, and rows may move in one of them, expected its end before; no sweep begins
keel_mpi_pipeline_hooks: 1000001 hooks, expected 0 to 1000000; it counts as not called
keel_mpi_pipeline_hooks: a sweep has begun, expected keel_mpi_pipeline_end() before; it counts as not called
keel_mpi_pipeline_hooks: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); nothing is done
keel_mpi_pipeline_next: rows may move within this sweep, expected keel_mpi_pipeline_next_rows(); there are no elements
keel_mpi_pipeline_next_rows: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
END
)" with_errors 2 "$sweeps" hook_errors

done_testing
