#!/bin/bash
# Whichever allocation of Keel's libraries fails, alone or with all behind it, the program does what it does, and little is said.
source tests/support/under_keel.sh

summing=$(program summing)
fails=$(program failing_memory.so)
work=$TEST_TMPDIR
expected=$("$summing")
[ -n "$expected" ] || exit # what each run is compared with
mkdir "$work/own"

# run N NAME=VALUE...: the program, whose n-th allocation within Keel fails.
run()
{
    timeout "$tap_patience_s" env LD_PRELOAD="$fails $library" KEEL_SCHEDULE=rate KEEL_TEST_FAIL_AT="$1" "${@:2}" "$summing" 2>"$work/said"
    local status=$?
    [ $status = 0 ] || printf 'left with %d\n' $status
}

# All of the first ones, then some of those behind them.
numbers="$(seq 1 40) $(seq 47 19 400)"
file=$work/own/file
for feature in KEEL_GRAIN=1 "KEEL_TRACE=$file" "KEEL_TRACE=$file.json" "KEEL_REPORT=$file" "KEEL_REPORT=$file.json" KEEL_EXPLAIN=1 \
    "KEEL_MEMORY=$file" 'KEEL_SCHEDULE=summing.c:13=fac2; rate'; do
    for all in KEEL_TEST_NOTHING=1 KEEL_TEST_FAIL_ALL=1; do
        wrong= most=0
        for n in $numbers; do
            rm -rf "$work"/own/*
            [ "$(run "$n" "$feature" $all)" = "$expected" ] || wrong+=" $n"
            messages=$(grep -c '^keel: .*;' "$work/said")
            [ "$messages" -le $most ] || most=$messages
        done
        is "$wrong" '' "${feature//$work/}, ${all#KEEL_TEST_}: the program's results"
        # an explanation has lines that look the same
        [[ $feature = KEEL_EXPLAIN=* ]] || ok "${feature//$work/}, ${all#KEEL_TEST_}: at most a message for each thing that is lost" test "$most" -le 2
    done
done
done_testing
