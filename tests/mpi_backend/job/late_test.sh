#!/bin/bash
# Whoever waits longer than KEEL_MPI_DEADLINE says for whom, and waits on, or returns KEEL_MPI_LATE
# where it is asked to. No times are compared: a rank stays away until others have complained.
source tests/support/mpirun.sh

faults=$(program faults)

# On a machine that is very busy other ranks may be late, too, or before: once more, then, with a longer deadline, s.
deadlines='0.3 1 3'

# naps TIMES RANKS SHAPE POINT,STEP [NAME=VALUE...]: the last rank comes so many deadlines late to that point (faults.c). Sets
# `output`.
naps()
{
    local time_s
    time_s=$(awk -v deadline="$deadline" -v number="$1" 'BEGIN { print deadline * number }')
    output=$(mpi_launch -n "$2" env KEEL_MPI_DEADLINE=$deadline KEEL_TEST_PAUSE_S="$time_s" "${@:5}" "$faults" "$3" \
        "nap,$(($2 - 1)),$4" 2>&1)
}

# waits_on NAME RANKS PATTERN SHAPE POINT,STEP [NAME=VALUE...]: all ends well, after a message.
waits_on()
{
    local output deadline
    for deadline in $deadlines; do
        naps "$(each_day 3 4)" "$2" "${@:4}"
        ! grep -qE "$3" <<<"$output" || break
    done
    is "$(grep -c "^rank [0-9]: code 0, 12 steps, $2 ranks" <<<"$output")" "$2" "$1: all ends well" || diag "$output"
    like "$output" "$3" "$1: it says for whom"
    unlike "$output" '^line' "$1: nothing is wrong"
}

# gives_up RANKS SHAPE POINT,STEP [NAME=VALUE...]: the others get KEEL_MPI_LATE.
gives_up()
{
    local output deadline name="$*" others
    for deadline in $deadlines; do
        naps "$(each_day 5 6)" "$@" KEEL_MPI_ON_LATE=fail
        others=$(grep -v "^rank $(($1 - 1)):" <<<"$output" | grep -c "^rank [0-9]: code 11,")
        [ "$others" != $(($1 - 1)) ] || break
    done
    is "$others" $(($1 - 1)) "$name: the others get a message" || diag "$output"
    like "$output" 'it waits no longer$' "$name: it says so"
    unlike "$output" '^line' "$name: loops that are not shared run whole"
}

# moves SHAPE POINT,STEP: all ranks take the rows that were to move, or all keep them, and get one code.
moves()
{
    local output deadline name="rows that move, $*"
    for deadline in $deadlines; do
        naps "$(each_day 5 6)" 3 "$@" KEEL_MPI_BALANCE=shake
        [ "$(grep -c '^rank [0-9]: code 11,' <<<"$output")" != 3 ] || break
    done
    is "$(grep -c '^rank [0-9]: code 11,' <<<"$output")" 3 "$name: all get a message" || diag "$output"
    like "$output" "rank 2 $host came late: rank [0-9] $host waits no longer; rows stay where they are" "$name: the late one says so"
    unlike "$output" '^line' "$name: all ranks take their rows or all keep them"
}

host='\([^)]+\)'
first='rank 0 has waited [0-9.]+ s in keel_mpi_loop_begin\(\) for rank [0-9] to make the first such call for this communicator, too \(KEEL_MPI_DEADLINE\)$'
# rarely SECONDS...: the times at which a wait was reported, each at least twice the one before, and two of them at least.
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
        naps "$(each_day 5 8)" 2 loop step,3
        mapfile -t waited < <(sed -nE "s/.*rank 0 $host has waited ([0-9.]+) s in the shared loop .* for rank 1 .*/\1/p" <<<"$output")
        ! rarely "${waited[@]}" || break
    done
    ok "$1" rarely "${waited[@]}" || diag "$output"
}

beside repeats 'messages are repeated, ever more rarely'

for ranks in $(each_day 3 '2 3'); do
    rank=$((ranks - 1))
    for way in $(each_day KEEL_MPI_NODE_RANKS=1 'KEEL_MPI_NODE_RANKS=8 KEEL_MPI_NODE_RANKS=1'); do
        beside waits_on "$ranks ranks, the first call, $way" $ranks "$first" loop step,0 $way
        beside waits_on "$ranks ranks, a later loop, $way" $ranks \
            "rank 0 $host has waited [0-9.]+ s in the shared loop .* for rank $rank $host to come there, or to answer" loop step,4 $way
        beside gives_up $ranks loop step,4 $way
        beside gives_up $ranks loop step,3 $way # which is not waited for, but by keel_mpi_wait()
    done
    [ $ranks = 3 ] || continue
    way=KEEL_MPI_BALANCE=off
    beside gives_up 3 loop end,4
    beside gives_up 3 rows step,4 $way
    beside gives_up 3 objects step,4 $way
    beside gives_up 3 pipeline step,4 $way
    beside moves rows pack,3
    beside moves any size,3
    beside waits_on 'rows that move' 3 "rank [0-9] $host has waited [0-9.]+ s .* for .*rank 2 $host to come there, or to answer" \
        rows come,3 KEEL_MPI_BALANCE=shake KEEL_MPI_ON_LATE="$(each_day end wait)"
    if nightly; then
        beside moves rows come,3
        beside moves any pack,3
        beside gives_up 3 rows reduce,0 $way
        beside gives_up 3 loop step,0
        beside gives_up 3 loop reduce,4
        beside gives_up 3 rows create,0
        beside gives_up 3 objects create,0
    fi
    for place in 'loop end,4 where iterations are brought together' 'loop reduce,4 where parts of a loop are combined' \
        'rows step,4 where halos are exchanged'; do
        read -r shape point text <<<"$place"
        beside waits_on "$text" 3 "rank [01] $host has waited [0-9.]+ s $text for .*rank 2 $host" $shape $point $way
    done
    beside waits_on 'creating rows' 3 'in keel_mpi_rows_create\(\) for rank' rows create,0
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
output=$(mpi_run 2 "$(program given_up)" own 2>&1)
is $? 7 'a rank that gives up is not waited for where a communicator is copied, and both get its code' || diag "$output"
output=$(mpi_run 2 KEEL_MPI_DEADLINE=1 KEEL_MPI_ON_LATE=fail "$(program given_up)" half 2>&1)
is $? 7 'a rank that comes when the other one has given its copy up: the job ends' || diag "$output"
like "$output" 'rank 0 \(host not known\) has waited [0-9.]+ s while communicators were made for rank 1 ' 'before hosts are known'
together
done_testing
