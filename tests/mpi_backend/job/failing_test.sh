#!/bin/bash
# Calls of MPI that fail: nothing is KEEL_MPI_OK with a wrong result, no rank waits for ever, and the
# job goes on to its end.
source tests/support/mpirun.sh

failing=$(program failing)
inject=$(program libinject.so)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# fails NAME RANKS NAME=VALUE...: that call fails, which some function returns.
fails()
{
    local output status
    rm -f "$folder/log"
    output=$(mpi_run "$2" LD_PRELOAD="$inject" INJECT_LOG="$folder/log" KEEL_MPI_DEADLINE=0.3 \
        KEEL_MPI_ON_LATE=fail "${@:3}" "$failing" 2>&1)
    status=$?
    if [ "$status" = 0 ] && [ ! -e "$folder/log" ]; then
        skip "$1" "not called so often"
        return
    fi
    [ "$status" = 0 ] && ! grep -q '^line' <<<"$output"
    tap_result $? "$1: the job ends, and nothing is wrong" && return
    diag "exit status: $status"
    diag "$output"
}

mpi_run 3 LD_PRELOAD="$inject" "$failing" >"$folder/none" 2>&1
is "$(cat "$folder/none")" '' 'nothing fails, nothing is said'

# What these begin or end with others can't be called off: for several ranks they only seem to fail.
blocking='MPI_Comm_split MPI_Comm_split_type MPI_Win_allocate_shared MPI_Win_free MPI_Comm_free'
mapfile -t calls < <(sed -nE 's/^WRAP\(([A-Z].*)\)/MPI_\1/p' tests/mpi_backend/job/inject.c | sort)
ok 'there are calls to fail' test ${#calls[@]} -gt 40
# fails_as WAY CALL: one of four ways in which that call fails.
fails_as()
{
    local call=$2 after=INJECT_NONE=1 number
    [[ " $blocking " != *" $call "* ]] || after=INJECT_AFTER=1
    case $1 in
    0) fails "$call, one rank" 1 INJECT_CALL="$call" INJECT_NUMBER=1 ;;
    1)
        fails "$call, first of two ranks" 2 INJECT_CALL="$call" INJECT_NUMBER=1 INJECT_RANK=0 "$after" \
            KEEL_MPI_NODE_RANKS=1
        ;;
    2) fails "$call, later, last of three ranks" 3 INJECT_CALL="$call" INJECT_NUMBER=4 INJECT_RANK=2 "$after" ;;
    3)
        # the second one of two of these comes before what can't be called off
        number=2
        [ "$call" != MPI_Iallreduce ] || number=9
        [ "$call" != MPI_Iallgather ] || number=3
        fails "$call, seemingly" 2 INJECT_CALL="$call" INJECT_NUMBER=$number INJECT_RANK=1 INJECT_AFTER=1
        ;;
    esac
}

# Each day one way for each call: the first of two ranks fails, or the second one seemingly.
for i in "${!calls[@]}"; do
    for way in $(each_day $((1 + 2 * (i % 2))) '0 1 2 3'); do
        fails_as "$way" "${calls[i]}"
    done
done

# While a rank waits, before the others go into what can't be called off, or after they have.
for call in MPI_Iallgather MPI_Ibcast; do
    for number in $(each_day 20 '4 20 60'); do
        fails "MPI_Iprobe, call $number, others come late to $call" 3 INJECT_CALL=MPI_Iprobe INJECT_NUMBER=$number \
            INJECT_RANK=2 INJECT_DELAY=$call
    done
done

# An exchange does not succeed where its waiting fails.
output=$(mpi_run 2 LD_PRELOAD="$inject" KEEL_MPI_DEADLINE=0.3 KEEL_MPI_ON_LATE=fail INJECT_CALL=MPI_Irecv \
    INJECT_NUMBER=1 INJECT_RANK=1 "$failing" 2>&1)
like "$output" '^keel: MPI_Irecv has failed' 'a failure is reported'
# --- memory, at night: whichever allocation of Keel's fails on one rank, alone or with all behind it, nothing is KEEL_MPI_OK with a
# wrong result, no rank hangs, a loop that is not shared runs whole on its rank, once, and of objects all ranks get the same code ---

no_memory=$(keel_path tests/omp_ext/process/failing_memory.so)
faults=$(program faults)
seed=${KEEL_TEST_SEED:-1}

# run RANKS N ALL PROGRAM SHAPE [NAME=VALUE...]: the last rank's n-th allocation fails. Sets `said` and `status`.
run()
{
    local passed
    passed=$(passed_file)
    said=$(KEEL_TEST_PASSED=$passed mpi_launch -n $(($1 - 1)) env "${@:6}" "$4" "$5" : \
        -n 1 env LD_PRELOAD="$no_memory" KEEL_TEST_FAIL_AT="$2" "$3" "${@:6}" "$4" "$5" 2>&1)
    status=$?
    [ "$status" != 0 ] || [ "$4" != "$failing" ] || said+=$(all_passed "$passed" "$1") || status=97
    rm -f "$passed"
}

# Three ranks with objects have come to the right answer, or to KEEL_MPI_NO_ROOM: all of them, or one that was told so where it
# sent something or made an object.
ended_alike()
{
    ! grep -q '^rank .*, refused$' <<<"$said" || return 0
    ! grep -q '^line' <<<"$said" && case $(grep -c '^rank [0-2]: code 8,' <<<"$said") in
    0) [ "$(grep -c '^rank [0-2]: code 0, 12 steps, 3 ranks' <<<"$said")" = 3 ] ;;
    3) true ;;
    *) false ;;
    esac
}

if nightly; then
    for all in KEEL_TEST_NOTHING=1 KEEL_TEST_FAIL_ALL=1; do
        wrong='' refused=0
        for n in $(seq $((1 + (seed + 1) % 3)) 3 60); do
            run 2 "$n" $all "$failing" all KEEL_MPI_DEADLINE=3 KEEL_MPI_ON_LATE=fail
            [ $status = 0 ] && ! grep -q '^line' <<<"$said" || { wrong+=" $n" && diag "$n: status $status: $(grep -v objects_insert <<<"$said")"; }
            ! grep -q ': 8$' <<<"$said" || refused=$((refused + 1))
        done
        is "$wrong" '' "loops and rows, ${all#KEEL_TEST_}: nothing is wrong"
        ok "loops and rows, ${all#KEEL_TEST_}: some calls say that there is no memory" test $refused -ge 5
        wrong=
        for n in $(seq $((20 + seed % 7)) 7 90); do
            run 3 "$n" $all "$faults" objects OMP_NUM_THREADS=1 KEEL_MPI_COPIES=2
            [ $status = 0 ] && ended_alike || { wrong+=" $n" && diag "$n: status $status: $(grep -v objects_insert <<<"$said")"; }
        done
        is "$wrong" '' "objects and copies of them, ${all#KEEL_TEST_}: the answer is right, or all ranks get a code"
    done
fi
done_testing
