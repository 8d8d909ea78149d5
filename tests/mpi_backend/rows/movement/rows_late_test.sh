#!/bin/bash
# Rows that move while a rank is slow or stopped for longer than KEEL_MPI_DEADLINE: all ranks take
# their rows or all keep them, and it is said for whom they wait. No times are compared.
source tests/support/mpirun.sh

late=$(program rows_late)

# tries NAME RANKS CHECK [PATTERN], under $on_late: nothing is wrong; some rank says for whom it waits, and PATTERN.
tries()
{
    local output status
    output=$(mpi_run "$2" KEEL_MPI_DEADLINE=0.3 KEEL_MPI_ON_LATE=$on_late "$late" open "$3" close 2>&1)
    status=$?
    is "$status" 0 "$1: the job ends"
    unlike "$output" '^line' "$1: all ranks take their rows or all keep them"
    like "$output" "rank [0-9] $host has waited [0-9.]+ s .* for .*rank $(($2 - 1)) $host( to come there, or to answer|, stopped by a signal)" \
        "$1: it says for whom it waits"
    [ $# = 3 ] || like "$output" "$4" "$1: the late one says so"
}

host='\([^)]+\)'
for ranks in $(each_day 3 '2 3'); do
    on_late=auto
    beside tries "$ranks ranks, one is slow" $ranks slow \
        "rank $((ranks - 1)) $host came late: rank [0-9] $host waits no longer; rows stay where they are"
    on_late=wait
    beside tries "$ranks ranks, one is stopped" $ranks stopped
    for on_late in $(each_day end 'wait end'); do
        beside tries "$ranks ranks, one is slow, $on_late" $ranks patient
    done
    together
done
on_late=auto
beside tries '3 ranks, one comes late to what all ranks call' 3 calls
on_late=fail
tries '3 ranks, one comes late to a sweep' 3 sweep
together
done_testing
