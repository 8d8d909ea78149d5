#!/bin/bash
# Rows that move within pipelined sweeps, by chance and because ranks are of different speed: the
# result is what one process would have computed, and calls out of order are refused.
source tests/support/mpirun.sh

moving=$(program pipeline_moving)

for ranks in $(each_day 2 '1 2 3 5'); do
    mpi_passes "rows move by chance on $ranks ranks" "$ranks" "$moving" moving ended_early
done
for ranks in $(each_day 3 '2 3 5'); do
    mpi_passes "ranks of changing speeds are balanced on $ranks ranks" "$ranks" "$moving" balanced
done

output=$(mpi_keel 2 "$moving" call_errors 2>&1 | sort | uniq -c | sed 's/^ *//' | sort -k 3)
is "$output" "$(sort -k 3 <<'END'
1 keel: keel_mpi_pipeline_begin: another sweep over the same rows has begun, and rows may move in one of them, expected its end before; no sweep begins
1 keel: keel_mpi_pipeline_hooks: 1000001 hooks, expected 0 to 1000000; it counts as not called
1 keel: keel_mpi_pipeline_hooks: a sweep has begun, expected keel_mpi_pipeline_end() before; it counts as not called
1 keel: keel_mpi_pipeline_hooks: the pipeline is NULL, expected one from keel_mpi_pipeline_create(); nothing is done
1 keel: keel_mpi_pipeline_next: rows may move within this sweep, expected keel_mpi_pipeline_next_rows(); there are no elements
1 keel: keel_mpi_pipeline_next_rows: no sweep has begun, expected keel_mpi_pipeline_begin() before; nothing is done
END
)" 'calls out of order'

done_testing
