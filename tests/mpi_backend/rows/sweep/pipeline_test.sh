#!/bin/bash
# Pipelined sweeps leave what one process would have computed, whatever the blocks, the halo and the
# places of rows; what is wrong is said.
source tests/support/mpirun.sh

pipeline=$(program pipeline)

# says NAME MESSAGES COMMAND...: the command succeeds and says just that, in any order.
says()
{
    local output status
    output=$("${@:3}" 2>&1 | sort; exit "${PIPESTATUS[0]}")
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

for ranks in $(each_day '2 3' '1 2 3 4 5 6 7 8'); do
    mpi_passes "rows, blocks, halos and movements of any kind on $ranks ranks" "$ranks" "$pipeline" shapes
done
for ranks in $(each_day 3 '1 2 3 4 5 6 7 8'); do
    mpi_passes "chosen blocks, and messages that wait for their receivers, on $ranks ranks" "$ranks" "$pipeline" \
        choices long_rows
done
for ranks in $(each_day 2 '1 2 3 4 5 6 7 8'); do
    mpi_passes "two pipelines at once, and sweeps that end early, on $ranks ranks" "$ranks" \
        "$pipeline" two_at_once ended_early busy_time
done

mpi_passes 'the environment rules over the argument' 3 KEEL_MPI_BLOCK=5 "$pipeline" environment

given='expected one from keel_mpi_pipeline_create(); nothing is done'
begun='no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done'
says 'what no pipeline can be made of' "$(
    times 1 'a distribution of rows is NULL, expected one from keel_mpi_rows_create(); nothing is done'
    times 1 'keel_mpi_pipeline_create: no place for the pipeline, expected an address; none is made'
    times 1 'there is no array at (nil), expected the address that keel_mpi_rows_array() gave; nothing is done'
    times 1 'keel_mpi_pipeline_create: the array has a halo of 0, expected 1 to 2147483647; no pipeline is made'
    times 1 'keel_mpi_pipeline_create: rows of a KEEL_MPI_ANY distribution are in no order of ranks, expected KEEL_MPI_ADJACENT; no pipeline is made'
    times 1 'keel_mpi_pipeline_create: ranks came with different block sizes, 1 on rank 0, expected the same on all; no pipeline is made'
)" mpi_keel 3 "$pipeline" creation_errors
says 'calls out of order' "$(
    for function in begin next end report free; do
        times 1 "keel_mpi_pipeline_$function: the pipeline is NULL, $given"
    done
    times 1 "keel_mpi_pipeline_next: $begun"
    times 1 "keel_mpi_pipeline_end: $begun"
    times 1 'keel_mpi_pipeline_begin: direction 2, expected KEEL_MPI_FORWARD or KEEL_MPI_BACKWARD; no sweep begins'
    times 1 'keel_mpi_pipeline_begin: a sweep has begun already, expected keel_mpi_pipeline_end() before; that sweep goes on'
)" mpi_keel 2 "$pipeline" call_errors

done_testing
