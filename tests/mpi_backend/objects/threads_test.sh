#!/bin/bash
# Threads of a team, and one that answers, work on objects of a rank at the same time; also under the thread sanitizer.
source tests/support/mpirun.sh

threads=$(program known_threads)

# Without libkeel.so, whose own threads would be checked, too.
prints 'a team' '' mpi_run 1 KEEL_MPI_PROGRESS=0 "$threads" teams
prints 'two ranks with teams' '' mpi_run 2 KEEL_MPI_PROGRESS=0 "$threads" teams
prints 'two ranks with teams, and threads that answer' '' mpi_run 2 KEEL_MPI_PROGRESS=1 "$threads" teams

done_testing
