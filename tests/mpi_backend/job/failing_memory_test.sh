#!/bin/bash
# Whichever allocation of Keel's fails on one rank, alone or with all behind it: nothing is KEEL_MPI_OK with a wrong result, no
# rank hangs, a loop that is not shared runs whole on its rank, once, and of objects all ranks get the same code.
source tests/support/mpirun.sh

fails=$(keel_path tests/omp_ext/process/failing_memory.so)
failing=$(program failing)
faults=$(program faults)
seed=${KEEL_TEST_SEED:-1}

# run RANKS N ALL PROGRAM SHAPE [NAME=VALUE...]: the last rank's n-th allocation fails. Sets `said` and `status`.
run()
{
    local passed
    passed=$(passed_file)
    said=$(KEEL_TEST_PASSED=$passed mpi_launch -n $(($1 - 1)) env "${@:6}" "$4" "$5" : \
        -n 1 env LD_PRELOAD="$fails" KEEL_TEST_FAIL_AT="$2" "$3" "${@:6}" "$4" "$5" 2>&1)
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

for all in KEEL_TEST_NOTHING=1 KEEL_TEST_FAIL_ALL=1; do
    wrong='' refused=0
    for n in $(seq $((1 + (seed + 1) % 3)) "$(each_day 12 3)" 60); do
        run 2 "$n" $all "$failing" all KEEL_MPI_DEADLINE=3 KEEL_MPI_ON_LATE=fail
        [ $status = 0 ] && ! grep -q '^line' <<<"$said" || { wrong+=" $n" && diag "$n: status $status: $(grep -v objects_insert <<<"$said")"; }
        ! grep -q ': 8$' <<<"$said" || refused=$((refused + 1))
    done
    is "$wrong" '' "loops and rows, ${all#KEEL_TEST_}: nothing is wrong"
    ok "loops and rows, ${all#KEEL_TEST_}: some calls say that there is no memory" test $refused -ge "$(each_day 2 5)"
    wrong=
    for n in $(seq $((20 + seed % 7)) "$(each_day 21 7)" 90); do
        run 3 "$n" $all "$faults" objects OMP_NUM_THREADS=1 KEEL_MPI_COPIES=2
        [ $status = 0 ] && ended_alike || { wrong+=" $n" && diag "$n: status $status: $(grep -v objects_insert <<<"$said")"; }
    done
    is "$wrong" '' "objects and copies of them, ${all#KEEL_TEST_}: the answer is right, or all ranks get a code"
done
done_testing
