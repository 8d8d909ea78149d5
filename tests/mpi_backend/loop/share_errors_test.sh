#!/bin/bash
# What goes wrong with shared loops: every rank gets a code, says it once, and nobody hangs; through
# the window of a node and by letters.
source tests/support/mpirun.sh

errors=$(program share_errors)
letters=KEEL_MPI_NODE_RANKS=1
window=KEEL_MPI_NODE_RANKS=8

# says NAME MESSAGES COMMAND...: the command succeeds and says just that, in any order.
says()
{
    local output status
    output=$("${@:3}" 2>&1)
    status=$?
    output=$(sed -E "s/^keel: share_errors.c:[0-9]+ \(.*\) (can't be shared, ranks came with different loops:) .*;/keel: a loop \1/" <<<"$output")
    is "$output" "$2" "$1" && ok "$1: exit status" test "$status" = 0
}

# times COUNT MESSAGE: lines of Keel's.
times()
{
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'keel: %s\n' "$2"
    done
}

# each NAME MESSAGES CHECK [NAME=VALUE...]: on three ranks, in both ways.
each()
{
    local way
    for way in "$window" "$letters"; do
        says "$1, $way" "$2" mpi_keel 3 OMP_NUM_THREADS=2 "$way" "${@:4}" "$errors" "$3"
    done
}

# sorted COMMAND...
sorted()
(
    set -o pipefail
    "$@" 2>&1 | sort
)

# One rank says it for all of them; what it says of each is looked at in reduce_test.sh.
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
for way in "$window" "$letters"; do
    says "a loop on one rank only, $way" "$(times 2 "$none" && times 1 "$different")" \
        sorted mpi_keel 3 "$way" "$errors" loop_on_one_rank
done

each 'no loop' "$(times 3 "$none")" no_loop
each 'no loop until MPI ends' '' no_loop_until_the_end
each 'shared twice' "$(times 3 "$busy")" share_twice
each 'run twice' '' loop_twice
says 'two communicators' \
    "$(times 3 'a loop that was to be shared has not come yet; the next one is not shared' && times 3 "$none")" \
    sorted mpi_keel 3 "$errors" two_communicators
says 'no loop yet' "$(times 15 "$forgotten")" \
    sorted mpi_keel 3 "$errors" before_any_loop

says 'before and after MPI' "$(times 6 'MPI is finalised; nothing is shared among ranks' &&
    times 6 'MPI is not initialised; nothing is shared among ranks')" sorted mpi_keel 2 "$errors" not_ready
each 'MPI_THREAD_SINGLE and threads' "$(times 3 'MPI was initialised with MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or more for teams of threads; the loop runs whole on every rank')" \
    single
each 'another thread' "$(times 3 'a thread that may not call MPI wants to share a loop among ranks; expected the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared')" \
    other_thread

for way in "$window" "$letters"; do
    says "communicator freed before the loop, $way" "$(times 3 'a communicator is freed before the loop that was to be shared over it has come; that loop runs whole on every rank' &&
        times 3 "$forgotten")" sorted mpi_keel 3 "$way" "$errors" freed_with_an_offer
done
each 'communicator freed after the loop' "$(times 3 "$forgotten")" freed_after_a_loop
each 'wrong communicators' "$(times 9 'a loop can be shared over an intracommunicator only; it runs whole on every rank')" \
    wrong_communicators

for way in "$window" "$letters"; do
    says "no libkeel.so, $way" \
        "$(times 3 'libkeel.so is not in the process, so no loop can be shared among ranks (`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank')" \
        mpi_run 3 "$way" "$errors" no_keel
done
each 'unknown schedule' "$(times 3 "keel_mpi_set_schedule: unknown schedule 'tre', nearest is 'tree'; nothing is changed")" \
    unknown_schedule
each 'unknown schedule of the environment' \
    "$(times 1 "KEEL_MPI_SCHEDULE: unknown schedule 'stael', nearest is 'steal'; it counts as not set")" \
    recover KEEL_MPI_SCHEDULE=stael

for way in "$window" "$letters"; do
    says "begun while another runs, $way" "$(sort <<<"$(times 3 "$busy" &&
        times 3 'a shared loop is running, or has not come yet; another one runs whole on every rank' &&
        times 3 "a shared loop is still running; its results can't be asked for")")" \
        sorted mpi_keel 3 "$way" "$errors" begun_while_running
done
each 'cancelled' '' cancelled
each 'cancelled in a team' '' cancelled_in_a_team OMP_CANCELLATION=true
each 'cancelled by the last iteration' '' cancelled_at_the_end OMP_CANCELLATION=true
says 'cancelled in teams of one, on five nodes' '' \
    mpi_keel 5 OMP_NUM_THREADS=1 "$letters" OMP_CANCELLATION=true "$errors" cancelled_in_a_team

done_testing
