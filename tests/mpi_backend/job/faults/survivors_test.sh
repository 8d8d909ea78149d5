#!/bin/bash
# Ranks go on without those that have ended, and what they compute is exact.
source tests/support/mpirun.sh

survivors=$(program survivors)

# ended: something was said, and the job came to its end before the patience of tests.
ended()
{
    [ -n "$said" ] && [ "$status" != 124 ] && [ "$status" != 137 ]
}

# goes_on RANKS LOST WHEN VICTIM...: ROUNDS as for the program; LOST: all of them. With the environment of `settings`.
settings=()
goes_on()
{
    local said round left=$1 name="$3 on $1 ranks, without ${*:4}"
    said=$(mpi_launch "${recovery[@]}" -n "$1" env "${settings[@]}" "$survivors" "${@:3}" 2>&1)
    for round in $(seq "$(($# - 3))"); do
        local victims=${*:3+round:1}
        [[ $3 != later && $3 != making ]] || victims=$4,$5
        left=$((left - $(tr , '\n' <<<"$victims" | grep -c .)))
        is "$(grep -c "round $round: code 0, $left ranks, exact$" <<<"$said")" "$left" "$name: round $round is exact" ||
            diag "$said"
        [[ $3 != later && $3 != making ]] || break
    done
    is "$(grep -c ": lost $2$" <<<"$said")" "$left" "$name: it is known who has ended" || diag "$said"
    unlike "$said" '^line' "$name: nothing is wrong"
    like "$said" 'keel: ranks end here, with status 16: MPI_Finalize\(\) would wait' "$name: MPI_Finalize() waits for nobody"
}

# A rank that is stopped for good while the others find out who is left: they wait no longer than KEEL_MPI_DEADLINE.
halts()
{
    for attempt in 1 2 3; do
        said=$(mpi_launch "${recovery[@]}" -n 4 env KEEL_MPI_DEADLINE="$deadline_s" "$survivors" halt 1 2 2>&1)
        status=$?
        [ "$(grep -c 'rank [03]: no survivors: code 11$' <<<"$said")" != 2 ] || break # on a busy machine others may be late before
    done
    is "$(grep -c 'rank [03]: no survivors: code 11$' <<<"$said")" 2 'a rank is stopped where others agree: they get an error' ||
        diag "$said"
    like "$said" 'in keel_mpi_survivors\(\) for rank 2 \([^)]+\), stopped by a signal \(KEEL_MPI_DEADLINE\); it waits no longer' \
        'a message names it'
    ok 'the job ends' ended
}

# within_mpi FAULT: MPI can't give up a communicator, or memory, that it makes: processes end, with a message. With ULFM it
# has another communicator without those that end, and its memory fails where a rank has ended.
within_mpi()
{
    local fault=$1 what='has ended' ends count
    [[ $fault != *-halt ]] || what='has been stopped by a signal'
    for attempt in 1 2 3; do
        said=$(mpi_launch "${recovery[@]}" -n 4 env KEEL_MPI_DEADLINE="$deadline_s" "$survivors" $fault 1 2 2>&1)
        status=$?
        # on a busy machine both may learn of it before they are in MPI, and go on together,
        [ "$(grep -c 'round 1: code 0, 2 ranks, exact$' <<<"$said")" = 2 ] || break
    done
    ends=2 # or one of them, which goes on alone
    [ "$(grep -c 'round 1: code 0, 1 ranks, exact$' <<<"$said")" != 1 ] || ends=1
    count=$(grep -cE "keel: rank [0-3] \([^)]+\) ends, as rank [0-2] \([^)]+\) $what while (the communicator|a job)" <<<"$said")
    if [[ ${recovery[0]} = --with-ft && $fault = opening* ]]; then
        skip "$fault: those that wait in MPI end, and say why" 'with ULFM it can'
    # The first that finds one stopped ends the job, maybe before the other one has said so.
    elif [[ $fault != *-halt || $count != 1 ]]; then
        is "$count" $ends "$fault: those that wait in MPI end, and say why" || diag "$said"
    fi
    ok "$fault: the job ends" ended
}

deadline_s=$(each_day 3 5)
beside halts
faults=$(each_day making 'making making-halt opening opening-halt')
if [ "${recovery[0]}" = --with-ft ]; then
    goes_on 4 '1 2' making 1 2
    faults=${faults#making}
fi
for fault in $faults; do
    beside within_mpi "$fault"
done
beside goes_on 4 '1 3' loop 1 3
! nightly || goes_on 4 '0 2' loop 0,2
goes_on 3 0 rows 0
goes_on 3 2 objects 2
goes_on 4 '1 2' later 1 2
settings=(LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=2)
goes_on 2 1 team 1
settings=()
together

said=$(mpi_run 2 "$survivors" loop 9 2>&1)
is "$(grep -c 'exact$\|lost$\|has returned$' <<<"$said")" 6 'nobody has ended: all goes well, and MPI ends as ever' || diag "$said"

said=$(mpi_run 2 KEEL_MPI_COPIES=1 "$survivors" objects 9 2>&1)
is "$(grep -c 'exact$' <<<"$said")" 2 'objects that cannot be packed are computed without copies' || diag "$said"
is "$(grep -c 'copies of objects' <<<"$said")" 1 'which is said once' || diag "$said"
done_testing
