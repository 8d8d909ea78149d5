#!/bin/bash
# Threads of a team, and one that answers, work on objects of a rank at the same time; also under the thread sanitizer.
source tests/support/mpirun.sh

threads=$(program known_threads)

# passes NAME RANKS VARIABLE...: without libkeel.so, whose own threads would be checked, too.
passes()
{
    local output status
    output=$(mpi_run "$2" "${@:3}" "$threads" teams 2>&1)
    status=$?
    [ "$status" = 0 ] && [ -z "$output" ]
    tap_result $? "$1" || diag "exit status: $status" "$output"
}

passes 'a team' 1 KEEL_MPI_PROGRESS=0
passes 'two ranks with teams' 2 KEEL_MPI_PROGRESS=0
passes 'two ranks with teams, and threads that answer' 2 KEEL_MPI_PROGRESS=1

done_testing
