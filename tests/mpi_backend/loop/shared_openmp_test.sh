#!/bin/bash
# Loops of OpenMP teams on several ranks, at every thread level of MPI that allows teams, and errors.
source tests/support/mpirun.sh

# --- loops of OpenMP teams on several ranks, at every thread level of MPI that allows teams ---

openmp=$(program shared_openmp)

for level in $(each_day multiple 'funneled serialized multiple'); do
    mpi_passes "$level, alone" 1 "$openmp" "$level" forms policies
    for ranks in $(each_day 2 '2 3'); do
        mpi_passes "$level, $ranks ranks of one node" "$ranks" "$openmp" "$level" forms policies
    done
    for ranks in $(each_day 3 '2 3'); do
        mpi_passes "$level, $ranks ranks, each a node" "$ranks" KEEL_MPI_NODE_RANKS=1 "$openmp" "$level" forms policies
    done
    mpi_passes "$level, 4 ranks, nodes of two" 4 KEEL_MPI_NODE_RANKS=2 "$openmp" "$level" forms policies
done

for local in $(each_day steal 'gss rate af steal'); do
    mpi_passes "KEEL_SCHEDULE=$local" 2 KEEL_SCHEDULE=$local KEEL_MPI_NODE_RANKS=1 "$openmp" funneled forms
done
mpi_passes 'OMP_SCHEDULE of libgomp' 2 OMP_SCHEDULE=guided,3 "$openmp" funneled forms

for ranks in $(each_day 3 '1 2 3'); do
    mpi_passes "first during a region, $ranks ranks" $ranks "$openmp" funneled within_region
    mpi_passes "the same under a schedule, $ranks ranks" $ranks KEEL_SCHEDULE=auto "$openmp" funneled within_region \
        $(each_day '' forms)
done
mpi_passes 'teams of many threads, one node' 2 "$openmp" multiple large_teams
mpi_passes 'teams of many threads, by messages' 2 KEEL_MPI_NODE_RANKS=1 "$openmp" multiple large_teams
for progress in 0 1; do
    mpi_passes "long iterations, KEEL_MPI_PROGRESS=$progress" 3 KEEL_MPI_PROGRESS=$progress KEEL_MPI_NODE_RANKS=1 \
        "$openmp" multiple long_iterations $(each_day '' policies)
done
mpi_passes 'a thread that answers while others compute' 3 KEEL_MPI_PROGRESS=1 KEEL_MPI_NODE_RANKS=1 "$openmp" multiple answered
override=KEEL_OVERRIDE=dynamic,guided
for nodes in $(each_day 2 '1 2 3'); do
    mpi_passes "chunks of clauses, nodes of $nodes" 3 $override KEEL_MPI_NODE_RANKS=$nodes "$openmp" funneled clauses
done
for nodes in $(each_day 1 '1 2'); do
    said=$(mpi_keel 2 $override KEEL_MPI_NODE_RANKS=$nodes "$openmp" funneled apart 2>&1)
    is $? 0 "ranks with different chunks, nodes of $nodes: exit code"
    like "$said" '^keel: ' 'and a message'
    unlike "$said" '^line ' 'each runs all of its loop'
done
for nodes in $(each_day 1 '1 3'); do # different records are reported
    output=$(mpi_keel 3 KEEL_MPI_NODE_RANKS=$nodes KEEL_MPI_DEADLINE=10 KEEL_MPI_ON_LATE=fail "$openmp" funneled other_places 2>&1)
    is $? 0 "a loop at different places of the program, nodes of $nodes" || diag "$output"
    unlike "$output" '^line |DEADLINE' "a loop at different places of the program, nodes of $nodes: no errors, and no rank waits"
done
ok 'libkeel.so linked instead of preloaded' mpi_run 2 KEEL_MPI_NODE_RANKS=1 "$(program shared_openmp_linked)" funneled forms

# --- errors of shared loops: every rank gets a code, one message is printed, and no rank hangs; through the window of a
# node and by messages ---

errors=$(program share_errors)
messages=KEEL_MPI_NODE_RANKS=1
window=KEEL_MPI_NODE_RANKS=8

# less_places COMMAND...: what it prints, without places of loops and the loops of ranks.
less_places()
(
    set -o pipefail
    "$@" 2>&1 | sed -E "s/^keel: share[a-z_]+.[ch]:[0-9]+ \(.*\) (can't be shared, ranks came with different loops:) .*;/keel: a loop \1/"
)

# message TEXT: a line of Keel's.
message()
{
    printf 'keel: %s\n' "$1"
}

ways=("$window" "$messages") checks=()
declare -A name_of said_of

# each NAME MESSAGES CHECK: on three ranks, one after the other in one job per way.
each()
{
    checks+=("$3")
    name_of[$3]=$1
    said_of[$3]=$2
}

# alone NAME MESSAGES CHECK [NAME=VALUE...]: in a job of its own, as it depends on messages or loops of other checks; in one of
# the two ways by turns, nightly in both.
turn=0
alone()
{
    local way
    turn=$((1 - turn))
    for way in $(each_day "${ways[turn]}" "${ways[*]}"); do
        prints "$1, $way" "$2" less_places mpi_keel 3 OMP_NUM_THREADS=2 "$way" "${@:4}" "$errors" "$3"
    done
}

# in_jobs: the checks of each().
in_jobs()
{
    local way check folder ran
    for way in "${ways[@]}"; do
        folder=$TEST_TMPDIR/$way
        mkdir "$folder"
        prints "$way" '' mpi_keel 3 OMP_NUM_THREADS=2 "$way" KEEL_TEST_SAID="$folder" "$errors" "${checks[@]}"
        for check in "${checks[@]}"; do
            ran="$check has run"
            prints "${name_of[$check]}, $way" "$(printf '%s\n' ${said_of[$check]:+"${said_of[$check]}"} "$ran" "$ran" "$ran")" \
                less_places cat "$folder/$check"
        done
    done
}

# once COMMAND...: each line that it prints.
once()
(
    set -o pipefail
    "$@" 2>&1 | sort -u
)

# One rank prints it for all of them, once; the loops in it are checked in reduce_test.sh.
different="a loop can't be shared, ranks came with different loops: each runs all of its own"
none='a loop was to be shared among ranks, but none has come since; expected a loop with schedule(runtime) after keel_mpi_share()'
forgotten='no loop has been shared over this communicator'
busy='a shared loop is running, or has not come yet; no other one is shared'

each 'nothing is wrong' '' recover
each 'different bounds' "$(message "$different")" different_bounds
each 'different schedules' "$(message "$different")" different_schedules

each 'no loop to end' "$(message 'a loop is NULL, expected one from keel_mpi_loop_begin(); nothing is done')" no_loop_to_end
each 'no loop' "$(message "$none")" no_loop
output=$(mpi_keel 5 KEEL_MPI_NODE_RANKS=1 "$errors" late_rank 2>&1)
is $? 0 'different bounds, and a late rank' || diag "$output"
unlike "$output" '^line ' 'different bounds, and a late rank: each runs all of its own, once'
alone 'no loop until MPI ends' "$(message "$none")" no_loop_until_the_end
each 'shared twice' "$(message "$busy")" share_twice
each 'run twice' '' loop_twice
alone 'two communicators' \
    "$(message 'a loop that was to be shared has not come yet; the next one is not shared' && message "$none")" two_communicators
prints 'no loop yet' "$(message "$forgotten")" \
    mpi_keel 3 "$errors" before_any_loop

# Loops that can never be shared, and a rank without others.
ordered='has an `ordered` clause, so that it can.t be shared among ranks; it runs whole on every rank'
for ranks in $(each_day 3 '1 3'); do
    output=$(mpi_keel $ranks OMP_NUM_THREADS=2 "$errors" ordered_loop 2>&1)
    is $? 0 "an ordered loop on $ranks ranks" || diag "$output"
    is "$(grep -cE "^keel: share_errors.c:[0-9]+ \(check_ordered_loop\) $ordered\$" <<<"$output")" 1 \
        "an ordered loop on $ranks ranks: one message" || diag "$output"
done
prints 'one rank' '' mpi_keel 1 OMP_NUM_THREADS=2 "$errors" alone
prints 'one rank, a schedule' '' mpi_keel 1 OMP_NUM_THREADS=2 KEEL_SCHEDULE=fac2 "$errors" alone
each 'a gather of NULL' \
    "$(message 'the buffer of some rank is NULL; nothing is gathered (here 300 iterations of 1 elements of 4 bytes, to rank 0 of 3)')" gather_of_null
each 'a gather of MPI_IN_PLACE' \
    "$(message 'the buffer of some rank is MPI_IN_PLACE, expected its address; nothing is gathered (here 300 iterations of 1 elements of 4 bytes, to all ranks)')" gather_in_place
# The others are late.
gather_on_one_rank()
{
    local attempt output status
    local missing='rank 0 \([^)]+\) has waited [0-9.]+ s where iterations are brought together for rank 1 \([^)]+\) to call keel_mpi_gather\(\) \(KEEL_MPI_DEADLINE\)'
    for attempt in 1 2 3; do # on a very busy machine they may be late earlier
        output=$(mpi_keel 2 KEEL_MPI_DEADLINE=3 KEEL_MPI_ON_LATE=fail "$errors" gather_on_one_rank 2>&1)
        status=$?
        [ $status != 7 ] || ! grep -qE "$missing" <<<"$output" || break
    done
    is $status 7 'a gather on one rank only ends' || diag "$output"
    like "$output" "$missing" 'a gather on one rank only: who is missing'
}
beside gather_on_one_rank
alone 'three weights for three ranks' '' recover KEEL_MPI_WEIGHTS=1,2,3
alone 'two weights for three ranks' \
    "$(message 'KEEL_MPI_WEIGHTS: 2 weights for 3 ranks; those that are missing count as 1')" recover KEEL_MPI_WEIGHTS=1,2
alone 'progress without threads' \
    "$(message 'KEEL_MPI_PROGRESS: a thread that answers for this rank needs MPI_THREAD_MULTIPLE; messages are answered between chunks, or objects, only')" \
    recover KEEL_MPI_PROGRESS=1

# If ranks end at the same time, another one may print it again.
prints 'before and after MPI' "$(message 'MPI is finalised; nothing is shared among ranks' &&
    message 'MPI is not initialised; nothing is shared among ranks')" once mpi_keel 2 "$errors" not_ready
alone 'MPI_THREAD_SINGLE and threads' "$(message 'MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or more for teams of threads; the loop runs whole on every rank')" \
    single
each 'another thread' "$(message 'a thread that may not call MPI wants to share a loop among ranks; expected the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared')" \
    other_thread

alone 'communicator freed before the loop' "$(message 'a communicator is freed before the loop that was to be shared over it has come; that loop runs whole on every rank' &&
    message "$forgotten")" freed_with_an_offer
alone 'communicator freed before a thread comes' '' freed_before_a_thread_comes
alone 'communicator freed after the loop' "$(message "$forgotten")" freed_after_a_loop
each 'wrong communicators' "$(message 'a loop can be shared over an intracommunicator only; it runs whole on every rank')" \
    wrong_communicators

each 'unknown schedule' "$(message "keel_mpi_set_schedule: unknown schedule 'tre', nearest is 'tree'; nothing is changed")" \
    unknown_schedule
alone 'unknown schedule of the environment' \
    "$(message "KEEL_MPI_SCHEDULE: unknown schedule 'stael', nearest is 'steal'; it counts as not set")" \
    recover KEEL_MPI_SCHEDULE=stael

alone 'begun while another runs' "$(message "$busy" &&
    message 'a shared loop is running, or has not come yet; another one runs whole on every rank' &&
    message "a shared loop is still running; its results can't be asked for")" begun_while_running
each 'cancelled' '' cancelled
alone 'cancelled in a team' '' cancelled_in_a_team OMP_CANCELLATION=true
alone 'cancelled by the last iteration' '' cancelled_at_the_end OMP_CANCELLATION=true
prints 'cancelled in teams of one, on five nodes' '' \
    mpi_keel 5 OMP_NUM_THREADS=1 "$messages" OMP_CANCELLATION=true "$errors" cancelled_in_a_team
in_jobs
together

done_testing
