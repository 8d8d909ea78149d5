#!/bin/bash
# What goes wrong with shared loops: every rank gets a code, says it once, and nobody hangs; through
# the window of a node and by letters.
source tests/support/mpirun.sh

errors=$(program share_errors)
letters=KEEL_MPI_NODE_RANKS=1
window=KEEL_MPI_NODE_RANKS=8

# less_places: Keel's messages, without where a loop stands and what ranks came with.
less_places()
{
    sed -E "s/^keel: share[a-z_]+.[ch]:[0-9]+ \(.*\) (can't be shared, ranks came with different loops:) .*;/keel: a loop \1/"
}

# says NAME MESSAGES COMMAND...: the command succeeds and says just that, in any order.
says()
{
    local output status
    output=$("${@:3}" 2>&1)
    status=$?
    is "$(less_places <<<"$output")" "$2" "$1" && ok "$1: exit status" test "$status" = 0
}

# times COUNT MESSAGE: lines of Keel's.
times()
{
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'keel: %s\n' "$2"
    done
}

# each NAME MESSAGES CHECK [NAME=VALUE...]: on three ranks, in one of two ways by turns, nightly in both. Nightly each in a
# job of its own; by day, those without variables wait for in_jobs.
apart=OMP_NUM_THREADS=2 # for a job of its own by day, too: where another check has said or shared something, it finds that
turn=0
ways=("$window" "$letters") checks_of=('' '')
declare -A name_of said_of
each()
{
    local way
    turn=$((1 - turn))
    if ! nightly && [ $# = 3 ]; then
        checks_of[turn]+=" $3"
        name_of[$3]=$1
        said_of[$3]=$2
        return
    fi
    for way in $(each_day "${ways[turn]}" "${ways[*]}"); do
        says "$1, $way" "$2" sorted mpi_keel 3 OMP_NUM_THREADS=2 "$way" "${@:4}" "$errors" "$3"
    done
}

# in_jobs: those that wait, one after the other in a job for each way.
in_jobs()
{
    local way check folder=$TEST_TMPDIR/said ran
    mkdir "$folder"
    for turn in 0 1; do
        way=${ways[turn]}
        says "$way" '' mpi_keel 3 OMP_NUM_THREADS=2 "$way" KEEL_TEST_SAID="$folder" "$errors" ${checks_of[turn]}
        for check in ${checks_of[turn]}; do
            ran="$check has run"
            is "$(less_places <"$folder/$check" | sort)" "$(printf '%s\n' ${said_of[$check]:+"${said_of[$check]}"} "$ran" "$ran" "$ran" | sort)" \
                "${name_of[$check]}, $way"
        done
    done
}

# sorted COMMAND...
sorted()
(
    set -o pipefail
    "$@" 2>&1 | sort
)

# sorted_once COMMAND...
sorted_once()
(
    set -o pipefail
    sorted "$@" | uniq
)

# One rank says it for all of them, once; what it says of each is looked at in reduce_test.sh.
different="a loop can't be shared, ranks came with different loops: each runs all of its own"
perhaps="a loop can't be shared, ranks came with different loops: what they did not wait for may be incomplete"
none='a loop was to be shared among ranks, but none has come since; expected a loop with schedule(runtime) after keel_mpi_share()'
forgotten='no loop has been shared over this communicator'
busy='a shared loop is running, or has not come yet; no other one is shared'

each 'nothing is wrong' '' recover
each 'different bounds' "$(times 1 "$different")" different_bounds
each 'different bounds in teams' "$(times 1 "$different")" different_bounds_in_teams
each 'different bounds, not waited for' "$(times 1 "$perhaps")" different_bounds_nowait
each 'different schedules' "$(times 1 "$different")" different_schedules
each 'a loop on one rank only' "$(times 1 "$different")" loop_on_one_rank

each 'no loop' "$(times 1 "$none")" no_loop
each 'no loop until MPI ends' "$(times 1 "$none")" no_loop_until_the_end $apart
each 'shared twice' "$(times 1 "$busy")" share_twice
each 'run twice' '' loop_twice
each 'two communicators' \
    "$(times 1 'a loop that was to be shared has not come yet; the next one is not shared' && times 1 "$none")" two_communicators $apart
says 'no loop yet' "$(times 1 "$forgotten")" \
    sorted mpi_keel 3 "$errors" before_any_loop

# Loops that can't be shared for what they are, and a rank without others.
ordered='has an `ordered` clause, so that it can.t be shared among ranks; it runs whole on every rank'
for ranks in $(each_day 3 '1 3'); do
    output=$(mpi_keel $ranks OMP_NUM_THREADS=2 "$errors" ordered_loop 2>&1)
    is $? 0 "an ordered loop on $ranks ranks" || diag "$output"
    is "$(grep -cE "^keel: share_errors.c:[0-9]+ \(ordered_loop\) $ordered\$" <<<"$output")" 1 \
        "an ordered loop on $ranks ranks: it is said once" || diag "$output"
done
says 'one rank' '' mpi_keel 1 OMP_NUM_THREADS=2 "$errors" alone
says 'one rank, a schedule' '' mpi_keel 1 OMP_NUM_THREADS=2 KEEL_SCHEDULE=fac2 "$errors" alone
each 'a gather of NULL' \
    "$(times 1 'the buffer of some rank is NULL; nothing is gathered (here 300 iterations of 1 elements of 4 bytes, to rank 0 of 3)')" gather_of_null
# The others are late.
gather_on_one_rank()
{
    local attempt output status
    local missing='rank 0 \([^)]+\) has waited [0-9.]+ s where iterations are brought together for rank 1 \([^)]+\) to call keel_mpi_gather\(\) \(KEEL_MPI_DEADLINE\)'
    for attempt in 1 2 3; do # on a very busy machine they may be late before
        output=$(mpi_keel 2 KEEL_MPI_DEADLINE=3 KEEL_MPI_ON_LATE=fail "$errors" gather_on_one_rank 2>&1)
        status=$?
        [ $status != 7 ] || ! grep -qE "$missing" <<<"$output" || break
    done
    is $status 7 'a gather on one rank only ends' || diag "$output"
    like "$output" "$missing" 'a gather on one rank only: who is missing'
}
beside gather_on_one_rank
each 'three weights for three ranks' '' recover KEEL_MPI_WEIGHTS=1,2,3
each 'two weights for three ranks' \
    "$(times 1 'KEEL_MPI_WEIGHTS: 2 weights for 3 ranks; those that are missing count as 1')" recover KEEL_MPI_WEIGHTS=1,2
each 'progress without threads' \
    "$(times 1 'KEEL_MPI_PROGRESS: a thread that answers for this rank needs MPI_THREAD_MULTIPLE; messages are answered between chunks, or objects, only')" \
    recover KEEL_MPI_PROGRESS=1

# Where ranks end at once, another one may say it again.
says 'before and after MPI' "$(times 1 'MPI is finalised; nothing is shared among ranks' &&
    times 1 'MPI is not initialised; nothing is shared among ranks')" sorted_once mpi_keel 2 "$errors" not_ready
each 'MPI_THREAD_SINGLE and threads' "$(times 1 'MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or more for teams of threads; the loop runs whole on every rank')" \
    single $apart
each 'another thread' "$(times 1 'a thread that may not call MPI wants to share a loop among ranks; expected the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared')" \
    other_thread

each 'communicator freed before the loop' "$(times 1 'a communicator is freed before the loop that was to be shared over it has come; that loop runs whole on every rank' &&
    times 1 "$forgotten")" freed_with_an_offer $apart
each 'communicator freed after the loop' "$(times 1 "$forgotten")" freed_after_a_loop $apart
each 'wrong communicators' "$(times 1 'a loop can be shared over an intracommunicator only; it runs whole on every rank')" \
    wrong_communicators

for way in $(each_day "$letters" "$window $letters"); do
    says "no libkeel.so, $way" \
        "$(times 1 'libkeel.so is not in the process, so no loop can be shared among ranks (`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank')" \
        mpi_run 3 "$way" "$errors" no_keel
done
each 'unknown schedule' "$(times 1 "keel_mpi_set_schedule: unknown schedule 'tre', nearest is 'tree'; nothing is changed")" \
    unknown_schedule
each 'unknown schedule of the environment' \
    "$(times 1 "KEEL_MPI_SCHEDULE: unknown schedule 'stael', nearest is 'steal'; it counts as not set")" \
    recover KEEL_MPI_SCHEDULE=stael

each 'begun while another runs' "$(sort <<<"$(times 1 "$busy" &&
    times 1 'a shared loop is running, or has not come yet; another one runs whole on every rank' &&
    times 1 "a shared loop is still running; its results can't be asked for")")" begun_while_running $apart
each 'cancelled' '' cancelled
each 'cancelled in a team' '' cancelled_in_a_team OMP_CANCELLATION=true
each 'cancelled by the last iteration' '' cancelled_at_the_end OMP_CANCELLATION=true
says 'cancelled in teams of one, on five nodes' '' \
    mpi_keel 5 OMP_NUM_THREADS=1 "$letters" OMP_CANCELLATION=true "$errors" cancelled_in_a_team
nightly || in_jobs
together

done_testing
