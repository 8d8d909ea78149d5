#!/bin/bash
# Ranks are killed, or stopped, in mid-job: the others wait for them no longer than KEEL_MPI_DEADLINE says, know whom they have
# lost, and go on without them from what they have, or from copies; what they compute is exact. Each day each fault at one
# place or another, at night at each.
source tests/support/mpirun.sh

faults=$(program faults)
libkeel=$(keel_path omp_ext/libkeel.so)
host='\([^)]+\)'
options=("${recovery[@]}") # of mpirun

# job RANKS SHAPE [NAME=VALUE|FAULT...]: sets `said` and `status`.
job()
{
    local word variables=() words=()
    for word in "${@:3}"; do
        if [[ $word = *=* ]]; then variables+=("$word"); else words+=("$word"); fi
    done
    said=$(mpi_launch "${options[@]}" -n "$1" env LD_PRELOAD="$libkeel" OMP_NUM_THREADS=2 "${variables[@]}" "$faults" "$2" \
        "${words[@]}" 2>&1)
    status=$?
}

# survives NAME LEFT LOST BACK JOB...: LEFT ranks go on without LOST from step BACK (a pattern), and all is right.
survives()
{
    job "${@:5}"
    is "$(grep -cE "^rank [0-9]: code 0, 12 steps, $2 ranks, lost $3, back at ($4)$" <<<"$said")" "$2" \
        "$1: it is known who has ended, and the others go on" || diag "$said"
    unlike "$said" '^line' "$1: all is right"
    like "$said" "(for rank [0-9] \([^)]+, process [0-9]+\)|learns in MPI_[A-Z][a-z_]+ of rank [0-9] $host), which has ended; nothing is shared" \
        "$1: a message names who has ended"
    like "$said" 'keel: ranks end here, with status 16: MPI_Finalize\(\) would wait' "$1: MPI_Finalize() does not wait"
}

# all_well NAME RANKS SHAPE...: no rank is lost.
all_well()
{
    job "${@:2}"
    is "$status $(grep -c "^rank [0-9]: code 0, 12 steps, $2 ranks, lost, back at -1$" <<<"$said")" "0 $2" "$1: all is right" ||
        diag "$said"
    is "$(grep -c 'MPI_Finalize() has returned' <<<"$said")" "$2" "$1: and ends as ever"
}

# gives_up VICTIM SHAPE FAULT: stopped for good. On a machine that is very busy ranks may be late before; once more, then.
gives_up()
{
    local deadline_s others name="$2, $3" options=()
    for deadline_s in 0.5 3 3; do
        job 3 "$2" KEEL_MPI_BALANCE=shake KEEL_MPI_DEADLINE=$deadline_s "$3"
        others=$(grep -v "^rank $1: " <<<"$said" | grep -c '^rank [0-2]: code 11,')
        ! grep -q 'stopped by a signal' <<<"$said" || [ "$others" != 2 ] || break
    done
    like "$said" "for rank $1 $host, stopped by a signal \(KEEL_MPI_DEADLINE\); it waits no longer" "$name: a message names it"
    is "$others" 2 "$name: both other ranks get an error" || diag "$said"
    ok "$name: the job fails" test "$status" != 0
}

# ended VICTIM SHAPE FAULT: stopped for good, until the others end it.
ended()
{
    survives "$2, $3, ended" 2 "$1" '[0-9]' 3 "$2" KEEL_MPI_BALANCE=shake KEEL_MPI_ON_LATE=end KEEL_MPI_DEADLINE=0.5 "$3"
    like "$said" "rank $1 \([^)]+, process [0-9]+\) has been stopped by a signal for [0-9.]+ s; rank [0-9] ends it" \
        "$2, $3: it is ended, and a message says so"
}

# outlasted VICTIM SHAPE FAULT: the others wait for longer than the deadline, until it goes on.
outlasted()
{
    all_well "$2, $3, waited for" 3 "$2" KEEL_MPI_BALANCE=shake KEEL_MPI_DEADLINE=1 KEEL_MPI_ON_LATE=wait "$3"
    like "$said" "has waited [0-9.]+ s .*for .*rank $1 $host" "$2, $3: it is said for whom"
}

# killed_plainly SHAPE FAULT: mpirun ends the job.
killed_plainly()
{
    local options=()
    job 3 "$1" "$2"
    ok "$1, $2 under plain mpirun: the job fails" test "$status" != 0
    like "$said" 'signal 9|Killed' "$1, $2 under plain mpirun: it says so"
}

# says_end: something was said, and the job ended before the patience of tests.
says_end()
{
    [ -n "$said" ] && [ "$status" != 124 ] && [ "$status" != 137 ]
}

# halts: a rank is stopped for good while the others find out who is left: they wait no longer than KEEL_MPI_DEADLINE.
halts()
{
    local attempt
    for attempt in 1 2 3; do
        job 4 loop KEEL_MPI_DEADLINE="$(each_day 3 5)" kill,1,work,2 stop,2,known,0
        [ "$(grep -c '^rank [03]: code 11,' <<<"$said")" != 2 ] || break # on a busy machine others may be late before
    done
    is "$(grep -c '^rank [03]: code 11,' <<<"$said")" 2 'a rank is stopped where others agree: they get an error' || diag "$said"
    like "$said" 'in keel_mpi_survivors\(\) for rank 2 \([^)]+\), stopped by a signal \(KEEL_MPI_DEADLINE\); it waits no longer' \
        'a message names it'
    ok 'the job ends' says_end
}

# within_mpi FAULT: MPI can't give up a communicator, or memory, that it makes: processes end, with a message. With ULFM it
# has another communicator without those that end, and its memory fails where a rank has ended.
within_mpi()
{
    local attempt what='has ended' ends=2 count
    [[ $1 != stop* ]] || what='has been stopped by a signal'
    for attempt in 1 2 3; do
        job 4 loop KEEL_MPI_DEADLINE="$(each_day 3 5)" kill,1,work,2 "$1"
        # on a busy machine both may learn of it before they are in MPI, and go on together,
        [ "$(grep -c '^rank [03]: code 0, 12 steps, 2 ranks' <<<"$said")" = 2 ] || break
    done
    # or one of them, which goes on alone
    [ "$(grep -c '^rank [03]: code 0, 12 steps, 1 ranks' <<<"$said")" != 1 ] || ends=1
    count=$(grep -cE "keel: rank [0-3] $host ends, as rank [0-2] $host $what while (the communicator|a job)" <<<"$said")
    if [[ ${recovery[0]} = --with-ft && $1 = *opening* ]]; then
        skip "$1: those that wait in MPI end, and say why" 'with ULFM it can'
    # The first that finds one stopped ends the job, maybe before the other one has said so.
    elif [[ $1 = kill* || $count != 1 ]]; then
        is "$count" $ends "$1: those that wait in MPI end, and say why" || diag "$said"
    fi
    ok "$1: the job ends" says_end
}

# --- each fault ---

if nightly; then
    for place in explicit,work loop,end rows,end rows,pack any,work objects,work pipeline,work; do
        shape=${place%,*} point=${place#*,}
        survives "$shape, killed at $point" 2 0 '[0-9]' 3 $shape KEEL_MPI_BALANCE=shake kill,0,$point,3
        gives_up 1 $shape stop,1,$point,3
        ended 0 $shape stop,0,$point,3
        all_well "$shape, paused at $point" 3 $shape KEEL_MPI_DEADLINE=600 KEEL_MPI_BALANCE=shake pause,0,$point,3
    done
    outlasted 1 rows pause,1,pack,3
fi
# Ranks mostly wait.
beside all_well 'rows, paused' 3 rows KEEL_MPI_DEADLINE=600 KEEL_MPI_BALANCE=shake pause,1,pack,3
beside gives_up 0 explicit stop,0,end,3
beside gives_up 1 rows stop,1,end,3
beside ended 1 objects stop,1,work,3
killed_plainly loop kill,1,work,3
survives 'rows that move' 2 0 0 3 rows KEEL_MPI_BALANCE=shake kill,0,pack,3
together
outlasted 1 pipeline pause,1,work,3,4

# --- those that are left ---

beside halts
if [ "${recovery[0]}" = --with-ft ]; then
    survives 'while those that are left agree' 2 '1 2' 2 4 loop kill,1,work,2 kill,2,making,0
else
    beside within_mpi kill,2,making,0
fi
if nightly; then
    beside within_mpi stop,2,making,0
    beside within_mpi kill,2,opening,0
    beside within_mpi stop,2,opening,0
    survives 'two ranks at once' 2 '0 2' 2 4 loop kill,0,work,2 kill,2,work,2
fi
beside survives 'one after the other' 2 '1 3' 6 4 loop kill,1,work,2 kill,3,work,6
survives 'one that knows of the other' 2 '1 2' 2 4 loop kill,1,work,2 kill,2,known,0
survives 'a loop of a team' 1 1 4 2 team kill,1,work,4
survives 'objects that cannot be packed' 2 2 0 3 fixed kill,2,work,4
together
all_well 'no rank has ended' 2 loop
all_well 'objects that cannot be packed have no copies' 2 fixed KEEL_MPI_COPIES=1
is "$(grep -c 'copies of objects' <<<"$said")" 1 'which is said once' || diag "$said"

# --- copies ---

for shape in rows objects; do
    survives "$shape, from copies" 2 '1 2' 9 4 $shape KEEL_MPI_COPIES=3 KEEL_TEST_BALANCE=shake kill,1,step,4 kill,2,step,10
done
nightly || { done_testing; exit; }

copies=KEEL_MPI_COPIES=3
for shape in rows any pipeline objects; do
    all_well "$shape without copies" 3 $shape
    for balance in off shake; do
        all_well "$shape, $balance, with copies" 3 $shape KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=$balance
        for victim in 0 1 2; do
            survives "$shape, $balance, rank $victim" 2 $victim '3|6' 3 $shape $copies KEEL_MPI_BALANCE=$balance kill,$victim,work,7
        done
    done
    survives "$shape, each step is copied" 2 1 '6|7' 3 $shape KEEL_MPI_COPIES=1 KEEL_MPI_BALANCE=shake kill,1,step,7
    survives "$shape, one of two ranks" 1 0 '3|6' 2 $shape $copies kill,0,step,7
    # balance=off: ranks surely have something to die with
    survives "$shape, two at once that hold nothing of each other" 2 '0 2' '3|6' 4 $shape $copies KEEL_MPI_BALANCE=off \
        kill,0,work,7 kill,2,work,7
    survives "$shape, while a copy is taken" 2 1 '3|6' 3 $shape $copies KEEL_MPI_BALANCE=off kill,1,pack,8
    survives "$shape, while the first copy is taken" 2 1 0 3 $shape $copies KEEL_MPI_BALANCE=off kill,1,pack,0
    survives "$shape, while others come back" 2 '1 3' '3|6' 4 $shape $copies KEEL_MPI_BALANCE=off kill,1,step,7 kill,3,unpack,0
    survives "$shape, while the next first copy is taken" 2 '1 3' '3|6' 4 $shape $copies KEEL_MPI_BALANCE=off kill,1,step,7 kill,3,again,0
    survives "$shape, without copies all is as at first" 2 0 0 3 $shape kill,0,step,7
    job 4 $shape $copies KEEL_MPI_BALANCE=off kill,1,step,8 kill,2,step,8
    is "$(grep -c '^rank [03]: code 16,' <<<"$said")" 2 "$shape: a rank and the one that holds its copy die: all others get an error" ||
        diag "$said"
    like "$said" 'rank 1 and the rank that held the copy of its (rows have both ended; 20 rows are gone, 20 to 39 among them|objects have both ended)' \
        "$shape: a message says what is gone"
done

# A few of the jobs that tests/soak draws.
! nightly || ok 'tests/soak draws jobs, and nothing is wrong' "$(keel_path tests/soak)" --seed "${KEEL_TEST_SEED:-1}" --jobs 8
done_testing
