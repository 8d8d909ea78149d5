#!/bin/bash
# Whoever waits longer than KEEL_MPI_DEADLINE says for whom, and waits on, or returns KEEL_MPI_LATE
# where it is asked to. No times are compared: a rank stays away until others have complained.
source tests/support/mpirun.sh

late=$(program late)

# On a machine that is very busy other ranks may be late, too, or before: once more, then, with a longer deadline, s.
deadlines='0.3 1 3'

# times NUMBER: so many deadlines, s.
times()
{
    awk -v deadline="$deadline" -v number="$1" 'BEGIN { print deadline * number }'
}

# waits_on NAME RANKS PATTERN VARIABLE PLACE: all ends well, after a message.
waits_on()
{
    local output status deadline
    for deadline in $deadlines; do
        output=$(mpi_run "$2" KEEL_MPI_DEADLINE=$deadline "$4" "$late" "$5" "$(times "$(each_day 3 4)")" 0 2>&1)
        status=$?
        ! grep -qE "$3" <<<"$output" || break
    done
    is "$status" 0 "$1: all ends well"
    like "$output" "$3" "$1: it says for whom"
    unlike "$output" '^line' "$1: nothing is wrong"
}

# gives_up NAME RANKS PLACE [NAME=VALUE...]: the others get KEEL_MPI_LATE.
gives_up()
{
    local output status deadline
    for deadline in $deadlines; do
        output=$(mpi_run "$2" KEEL_MPI_DEADLINE=$deadline KEEL_MPI_ON_LATE=fail "${@:4}" "$late" "$3" "$(times "$(each_day 5 6)")" 11 2>&1)
        status=$?
        grep -q '^line' <<<"$output" || break
    done
    is "$status" 0 "$1: the job ends"
    like "$output" 'it waits no longer$' "$1: it says so"
    unlike "$output" '^line' "$1: codes are right" || diag "$output"
}

host='\([^)]+\)'
first='rank 0 has waited [0-9.]+ s in keel_mpi_loop_begin\(\) for rank [0-9] to make the first such call for this communicator, too \(KEEL_MPI_DEADLINE\)$'
# rarely SECONDS...: the times at which a wait was told, each at least twice the one before, and two of them at least.
rarely()
{
    local waited last=0 count=0
    for waited in "$@"; do
        awk -v now="$waited" -v last="$last" 'BEGIN { exit !(now >= 2 * last - 0.1) }' || return # they are rounded
        last=$waited
        ((++count))
    done
    ((count >= 2))
}

# repeats NAME
repeats()
{
    local output waited deadline
    for deadline in $deadlines; do
        output=$(mpi_run 2 KEEL_MPI_DEADLINE=$deadline "$late" later_loop "$(times "$(each_day 5 8)")" 0 2>&1)
        mapfile -t waited < <(sed -nE "s/.*rank 0 $host has waited ([0-9.]+) s in the shared loop .* for rank 1 .*/\1/p" <<<"$output")
        ! rarely "${waited[@]}" || break
    done
    ok "$1" rarely "${waited[@]}" || diag "$output"
}

beside repeats 'messages are repeated, ever more rarely'

for ranks in $(each_day 3 '2 3'); do
    rank=$((ranks - 1))
    for way in $(each_day KEEL_MPI_NODE_RANKS=1 'KEEL_MPI_NODE_RANKS=8 KEEL_MPI_NODE_RANKS=1'); do
        beside waits_on "$ranks ranks, the first call, $way" $ranks "$first" $way first_call
        beside waits_on "$ranks ranks, a later loop, $way" $ranks \
            "rank 0 $host has waited [0-9.]+ s in the shared loop .* for rank $rank $host to come there, or to answer" $way later_loop
        beside gives_up "$ranks ranks, a later loop, $way" $ranks later_loop $way
        beside gives_up "$ranks ranks, waiting, $way" $ranks wait $way
    done
    [ $ranks = 3 ] || continue
    way=KEEL_MPI_NODE_RANKS=8
    for place in $(each_day 'gather exchange objects' 'first_call gather reduce create exchange objects_create objects'); do
        beside gives_up "$ranks ranks, $place" $ranks $place KEEL_MPI_BALANCE=off
    done
    beside waits_on "$ranks ranks, the program's own communication" $ranks "$first" $way barrier
    beside waits_on "$ranks ranks, gathering" $ranks \
        "rank 0 $host has waited [0-9.]+ s where iterations are brought together for rank $rank $host" $way gather
    beside waits_on "$ranks ranks, reducing" $ranks \
        "rank 0 $host has waited [0-9.]+ s where parts of a loop are combined for rank $rank $host" $way reduce
    beside waits_on "$ranks ranks, creating rows" $ranks 'in keel_mpi_rows_create\(\) for rank' $way create
    beside waits_on "$ranks ranks, a halo" $ranks \
        "has waited [0-9.]+ s where halos are exchanged for .*rank $rank $host" $way exchange
done

# MPI_Finalize() of Open MPI crashes where a communicator is half made.
half_made()
{
    local output
    output=$(mpi_run 2 LD_PRELOAD="$(program libinject.so)" INJECT_HALF_MADE=$1 KEEL_MPI_DEADLINE=0.2 KEEL_MPI_ON_LATE=fail \
        "$(program failing)" 2>&1)
    is $? 0 "a communicator is given up at look $1, half made: the job ends" || diag "$output"
}
for look in $(each_day '2 3' '1 2 3 4 6 8 10 20'); do
    half_made $look
done

# One gives up as another one comes.
output=$(mpi_run 2 "$(program given_up)" 2>&1)
is $? 7 'a rank that gives up is not waited for where a communicator is copied, and both get its code' || diag "$output"
together
done_testing
