#!/bin/bash
# A program with the library of another MPI gets a message, in both directions, and goes on without it.
source tests/support/mpirun.sh

other_mpi=14

# mixes MPIRUN PROGRAM LIBRARY CODE: what two ranks say, and their exit status. The preloaded library has the name of the
# one that the program was linked with.
mixes()
{
    KEEL_TEST_MPIRUN=${KEEL_TEST_MPIRUN:-$1} mpi_run 2 LD_PRELOAD="$3" "$2" "$4" 2>&1
    printf '%s\n' "$?"
}

plain=(mpirun "$(program mix)" "$(keel_path mpi_backend/libkeel_mpi.so)")
mpich=(mpirun.mpich "$(program ../../../mpich/tests/mpi_backend/job/mix)" "$(keel_path mpich/mpi_backend/libkeel_mpi.so)")

message='keel: this program uses %s, this libkeel_mpi.so is for %s; nothing is shared among ranks'
like "$(mpirun --version)" 'Open MPI|OpenRTE' 'mpirun is that of Open MPI'
is "$(mixes "${plain[@]}" 0)" 0 'Open MPI with its own'
is "$(mixes "${mpich[@]}" 0)" 0 'MPICH with its own'
# shellcheck disable=SC2059
is "$(mixes "${plain[@]:0:2}" "${mpich[2]}" $other_mpi | uniq)" "$(printf "$message" 'Open MPI' MPICH)"$'\n0' \
    'a program of Open MPI with the library for MPICH'
# shellcheck disable=SC2059
is "$(mixes "${mpich[@]:0:2}" "${plain[2]}" $other_mpi | uniq)" "$(printf "$message" MPICH 'Open MPI')"$'\n0' \
    'a program of MPICH with the library for Open MPI'
done_testing
