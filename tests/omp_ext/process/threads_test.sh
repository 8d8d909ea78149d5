#!/bin/bash
# Threads of the program that are cancelled, that signals come to all the time, and that have small stacks, whatever is asked of Keel.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
mkdir "$work/own"
file=$work/own/file

# What is asked for: each opens files, takes locks or measures in the first loop of the process.
features=(KEEL_GRAIN=1 "KEEL_TRACE=$file" "KEEL_TRACE=$file.json" "KEEL_REPORT=$file" KEEL_REPORT=1 KEEL_EXPLAIN=1 "KEEL_MEMORY=$file" KEEL_SCHEDUL=gss
    'KEEL_SCHEDULE=nowhere.c:22=fac2; rate' "KEEL_SEEN=$file" OMP_SCHEDULE=auto KEEL_CHECK=seed=1)

# quietly [NAME=VALUE...] PROGRAM...: what the program says, without Keel's messages and reports, and its exit status.
quietly()
{
    checked under_keel "$@" 2>"$work/said"
    printf 'left with %d\n' $?
}

program=$(program threads)
is "$(quietly "$program" ended)" 'left with 0' 'cancelled threads, every schedule'
for feature in "${features[@]}"; do
    rm -rf "$work"/own/*
    is "$(quietly "$feature" "$program" ended few)" 'left with 0' "cancelled threads, ${feature//$work/}"
done

is "$(quietly "$program" interrupted)" 'left with 0' 'signals in claims, every schedule'
for feature in "${features[@]}"; do
    rm -rf "$work"/own/*
    is "$(quietly "$feature" "$program" interrupted few)" 'left with 0' "signals in claims, ${feature//$work/}"
done

# Of 16 KiB, the least that POSIX threads may have, the C library takes some itself; without Keel, libgomp's loops take 8.3 KiB here. A
# trace in JSON formats numbers, for which the C library takes 8 KiB.
for feature in "${features[@]}"; do
    rm -rf "$work"/own/*
    [[ $feature != KEEL_SCHEDULE=* ]] || continue # rules over what the program asks for
    bytes=16384
    [[ $feature != *.json ]] || bytes=20480
    is "$(quietly OMP_STACKSIZE=16k "$feature" "$program" stack $bytes)" 'left with 0' "a stack of $bytes bytes, ${feature//$work/}"
done
static=(KEEL_OVERRIDE=static KEEL_SCHEDULE=ss KEEL_EXPLAIN=1)
is "$(quietly OMP_STACKSIZE=16k "${static[@]}" "$program" static 16384)" 'left with 0' 'a stack of 16384 bytes, static loops'
diag "stack: $(under_keel "$program" stack 2>/dev/null)"
done_testing
