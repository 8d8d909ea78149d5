#!/bin/bash
# KEEL_MPI_ON_LATE=leave: the others go on without a rank that is stopped, nothing that it does when it wakes counts, and it is
# let in again.
source tests/support/mpirun.sh

returns=$(program returns) survivors=$(program survivors)
leave='env KEEL_MPI_DEADLINE=2 KEEL_MPI_ON_LATE=leave'

# come_back RANKS SCHEDULE [MPIRUN-OPTION...] -- VICTIM[,VICTIM...]...
come_back()
{
    local ranks=$1 schedule=$2 options=() name said status
    shift 2
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    name="$schedule ${options[*]} on $ranks ranks, $*"
    said=$(mpi_launch "${options[@]}" -n "$ranks" $leave KEEL_MPI_SCHEDULE="$schedule" "$returns" wake "$@" 2>&1)
    status=$?
    is "$(grep -c "code 0, $ranks of $ranks ranks, $# rounds, exact$" <<<"$said")" "$ranks" "$name: all are there again, and all is exact" ||
        diag "$said"
    is "$status ${said:+and words}" '0 and words' "$name: MPI ends as ever"
    is "$(grep -c 'which was left out, is among the others again' <<<"$said")" "$(tr ' ,' '\n\n' <<<"$*" | grep -c .)" \
        "$name: it is said of each" || diag "$said"
}

come_back 3 rate -- 1 2
come_back 4 steal -- 0 3
come_back 4 tree -- 0,2 1
come_back 2 gss -- 1 0 1
come_back 3 static "${recovery[@]}" -- 0,1 2

# never HOW: a rank that does not come back.
never()
{
    said=$(mpi_launch "${recovery[@]}" -n 3 $leave "$returns" "$1" 1 2>&1)
    status=$?
    is "$(grep -c "code 0, 2 of 3 ranks, 0 rounds, exact$" <<<"$said")" 2 "$1: the others come to their end" || diag "$said"
    ok "$1: the job ends" test -n "$said" -a "$status" != 124 -a "$status" != 137
    like "$said" 'keel: rank 1 \([^)]+, process [0-9]+\) has been stopped by a signal for [0-9]+ s; rank [02] goes on without it \(KEEL_MPI_ON_LATE=leave\)' \
        "$1: a message names it" || diag "$said"
}

# ends PATTERN NAME: a rank that is out ends where the launcher lets the job go on without it, and tells ranks so: Open MPI 4.
let_be=$(mpi_launch "${recovery[@]}" -n 1 printenv OMPI_MCA_orte_enable_recovery 2>/dev/null)
ends()
{
    if [ -n "$let_be" ] || [ -z "$said" ]; then
        like "$said" "$1" "$2" || diag "$said"
    else
        skip "$2" 'this mpirun ends the whole job'
    fi
}

never sleep
ends 'process [0-9]+\), which was left out and is still stopped, is ended, as the job ends' 'it is ended with the job'
never quit
ends 'this process ends here, with status 16: the other ranks have left it out' 'nor does one wait for the others in MPI_Finalize()'
never silent
ends 'the other ranks have left this process out for [0-9]+ s, and it does not come back: it ends' \
    'one that is in a call that never ends is ended'

said=$(mpi_launch -n 3 $leave "$returns" sleep 1 2>&1)
status=$?
is "$(grep -c "code 0, 2 of 3 ranks, 0 rounds, exact$" <<<"$said")" 2 'with plain mpirun, too, the others come to their end' || diag "$said"
is "$status" 16 'and the job with KEEL_MPI_RANKS_LOST'

said=$(mpi_launch -n 3 env KEEL_MPI_DEADLINE=2 "$returns" sleep 1 2>&1)
like "$said" 'code 11, 3 of 3 ranks|code 11, 0 of 3 ranks' 'without it, ranks wait no longer' || diag "$said"
# Long enough for a rank that is not starved, but has to wait for a processor.
said=$(mpi_launch "${recovery[@]}" -n 3 env KEEL_MPI_DEADLINE=10 KEEL_MPI_ON_LATE=leave "$survivors" starve 2 2>&1)
is "$(grep -c 'round 1: code 0, 2 ranks, exact$' <<<"$said")" 2 'a rank that gets no processor is left out' || diag "$said"
like "$said" 'keel: this process has had less than 0.5 % of a processor for 10 s, and leaves the other ranks' 'which it says'
done_testing
