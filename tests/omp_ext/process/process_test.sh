#!/bin/bash
# libkeel.so in a process: its threads, its end, files that come and go, and what it costs besides time.
source tests/support/under_keel.sh

# --- threads that are cancelled, that signals come to all the time, and that have small stacks ---

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

program=$(program program_threads)
is "$(quietly "$program" ended)" 'left with 0' 'cancelled threads, every schedule'
is "$(quietly "$program" interrupted)" 'left with 0' 'signals in claims, every schedule'
# Of 16 KiB, the least that POSIX threads may have, the C library takes some itself; without Keel, libgomp's loops take 8.3 KiB here. A
# trace in JSON formats numbers, for which the C library takes 8 KiB.
for feature in "${features[@]}"; do
    for what in ended interrupted; do
        rm -rf "$work"/own/*
        is "$(quietly "$feature" "$program" $what few)" 'left with 0' "$what threads, ${feature//$work/}"
    done
    rm -rf "$work"/own/*
    [[ $feature != KEEL_SCHEDULE=* ]] || continue # rules over what the program asks for
    bytes=16384
    [[ $feature != *.json ]] || bytes=20480
    is "$(quietly OMP_STACKSIZE=16k "$feature" "$program" stack $bytes)" 'left with 0' "a stack of $bytes bytes, ${feature//$work/}"
done
static=(KEEL_OVERRIDE=static KEEL_SCHEDULE=ss KEEL_EXPLAIN=1)
is "$(quietly OMP_STACKSIZE=16k "${static[@]}" "$program" static 16384)" 'left with 0' 'a stack of 16384 bytes, static loops'
diag "stack: $(under_keel "$program" stack 2>/dev/null)"

# --- programs write what they have to once, by whichever function they end; without any, nothing ---

# ended HOW: its exit code, iterations of the traced loops, reports, loops remembered.
ended()
{
    rm -f "$work"/{trace,memory,messages}
    under_keel KEEL_SCHEDULE=rate KEEL_TRACE="$work/trace" KEEL_MEMORY="$work/memory" KEEL_EXPLAIN=1 "$(program ending)" "$1" \
        >"$work/out" 2>"$work/messages"
    printf '%s %s %s %s\n' $? "$(awk -F, '{ sum += $5 - $4 } END { print sum + 0 }' "$work/trace")" \
        "$(grep -c '^keel: report of ' "$work/messages")" "$(grep -E $'\t ([0-9a-f]+ ){4}1 ' "$work/memory" 2>/dev/null | wc -l)"
}

for how in exit return quick_exit; do
    is "$(ended $how)" '3 150 1 2' "$how"
done
is "$(ended _exit)" '3 0 0 0' '_exit'
is "$(ended abort 2>/dev/null)" '134 0 0 0' 'abort'

rm "$work/memory"
under_keel KEEL_SCHEDULE=rate KEEL_MEMORY=memory env --chdir="$work" "$(program ending)" elsewhere >/dev/null
is "$(cd "$work" && ls memory)" memory 'a relative name is of the folder of the first loop'

unlike "$(under_keel KEEL_SCHEDULE=rate KEEL_TRACE=/dev/stdout "$(program ending)" quick_exit)" 'in the buffer' \
    'quick_exit leaves buffers of stdio alone'

# --- no calls per chunk or repeated loop, bounded memory, and none is needed for right results ---

passes quiet calls
if under_keel "$(program quiet)" kernel > /dev/null; [ $? = 77 ]; then
    skip 'quiet kernel' 'the kernel takes no seccomp filter here'
else
    passes quiet kernel
fi
OMP_CANCELLATION=true passes bounded_memory
library="$(program failing_memory.so) $library" passes short_memory
if under_keel "$(program bounded_memory)" sites > /dev/null; [ $? = 77 ]; then
    skip 'bounded_memory sites' 'its loops are made of x86-64 instructions'
else
    passes bounded_memory sites
fi

# --- libkeel.so for which no thread-local storage is left is refused in words, and the program goes on ---

gcc -shared -fPIC -ftls-model=initial-exec -xc - -o "$work/taker" <<<'
__thread char taken[64] = "x";
char *take(void) { return taken; }'
takers=()
for i in {1..100}; do
    cp "$work/taker" "$work/taker$i.so"
    takers+=("$work/taker$i.so")
done

said=$(checked "$(program static_tls)" "$library" "${takers[@]}" 2>&1)
is "$?" 0 'loops are right'
is "$(sed 's/.*\(libkeel.so: cannot\)/\1/' <<<"$said")" 'libkeel.so: cannot allocate memory in static TLS block' 'the reason is told, in one line'

# --- a library that comes to the addresses of another one has rules, names and learned states of its own ---

line=$(grep -n '^#pragma omp parallel for' tests/omp_ext/process/reloaded.c | cut -d : -f 1)
for part in left_part right_part; do
    gcc -g -O1 -fopenmp -shared -fPIC -iquote . -DPART=$part tests/omp_ext/process/reloaded.c -o "$work/$part.so"
    cp "$work/$part.so" "$work/bare_$part.so"
    strip --strip-debug --strip-unneeded "$work/bare_$part.so"
done

# reloaded NAME=VALUE... -- FILE...: what is said about the files that come and go.
reloaded()
{
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    (cd "$work" && checked under_keel "${settings[@]}" "$program" 1 "${@:2}" 2>&1)
}
program=$(program reloaded)

# sizes: names of loops in the trace with the sizes of their chunks.
sizes()
{
    tail -n +2 "$work/trace" | awk -F, '{ print $1, $2, $5 - $4 }' | sort -u | sed "s/reloaded.c:$line //" | tr '\n' ' '
}

rules='left_part=css,50; right_part=css,25; css,100'
is "$(reloaded KEEL_SCHEDULE="$rules" KEEL_TRACE=trace -- ./left_part.so ./right_part.so ./left_part.so)$(sizes)" \
    '(left_part) 1 50 (left_part) 3 50 (right_part) 2 25 ' 'rules and names in a trace'
is "$(reloaded KEEL_SCHEDULE="$rules" KEEL_TRACE=trace -- ./right_part.so ./left_part.so)$(sizes)" '(left_part) 2 50 (right_part) 1 25 ' \
    'the other way round'
is "$(reloaded KEEL_SCHEDULE=css,50 KEEL_TRACE=trace -- ./left_part.so ./right_part.so)$(sizes)" '(left_part) 1 50 (right_part) 2 50 ' \
    'names without rules'
is "$(reloaded KEEL_SCHEDULE=css,50 KEEL_TRACE=trace -- ./bare_left_part.so ./bare_right_part.so)$(sizes | sed 's/+0x[0-9a-f]* / /g')" \
    'bare_left_part.so 1 50 bare_right_part.so 2 50 ' 'names without debug information'

# loops: those of the report, with their schedules as asked for, and how often they have run.
loops()
{
    sed -n 's/^ *"\(kind\|function\|schedule\|instances\)": "\{0,1\}\([^",]*\).*/\2/p' "$work/report.json" | paste -d' ' - - - - |
        sed -n 's/^\(loop .*\): monotonic:rate /\1 /; /^loop/p' | sort
}

# remembered FILE: how often its loop has run, by the memory, which knows files by their build IDs.
remembered()
{
    local id
    id=$(readelf -n "$work/$1" | sed -n 's/.*Build ID: *//p')
    sed -nE "s/^$id\t.*\t ([0-9a-f]+ ){4}([0-9a-f]+) .*/\2/p" "$work/memory"
}

# Not what KEEL_EXPLAIN prints: it leaves out a loop that takes a small part of the time, as one does while the other waits.
# On a busy machine an instance may take many times as long as others; then it counts as interrupted, and teaches nothing.
for attempt in 1 2 3; do
    rm -f "$work/memory"
    said=$(reloaded KEEL_SCHEDULE=rate KEEL_REPORT=report.json KEEL_MEMORY=memory -- ./left_part.so ./right_part.so ./left_part.so)
    [ "$(remembered left_part.so) $(remembered right_part.so)" != '2 1' ] || break
done
is "$said" '' 'libraries that learn'
is "$(loops)" $'loop left_part rate 2\nloop right_part rate 1' 'one that comes back is the same, another one is not'
is "$(remembered left_part.so) $(remembered right_part.so)" '2 1' 'and each is remembered with what is its own'
is "$(grep -c $'\t' "$work/memory")" 2 'and nothing else'

# --- again and again, of several sizes, under schedules that learn ---
for level in 1 2 3; do
    gcc -g -O$level -fopenmp -shared -fPIC -iquote . -DPART=part$level tests/omp_ext/process/reloaded.c -o "$work/part$level.so"
done
for schedule in rate auto af awf-b fac steal; do
    output=$(checked under_keel KEEL_EXPLAIN=1 KEEL_MEMORY="$work/$schedule" KEEL_SCHEDULE=$schedule "$program" 50 "$work"/part?.so \
        2>"$work/explained")
    is "$? $output" '0 ' "files come and go under $schedule"
    unlike "$(cat "$work/explained")" 'KEEL_MEMORY' "their loops are remembered under $schedule"
    output=$(checked under_keel KEEL_MEMORY="$work/$schedule" KEEL_SCHEDULE=$schedule "$program" 50 "$work"/part?.so 2>&1)
    is "$? $output" '0 ' "and recalled under $schedule"
done

# --- at night: whichever allocation of Keel's libraries fails, alone or with all behind it, little is said ---

summing=$(program summing)
fails=$(program failing_memory.so)
expected=$("$summing")

# run N NAME=VALUE...: the program, whose n-th allocation within Keel fails.
run()
{
    timeout "$tap_patience_s" env LD_PRELOAD="$fails $library" KEEL_SCHEDULE=rate KEEL_TEST_FAIL_AT="$1" "${@:2}" "$summing" 2>"$work/said"
    local status=$?
    [ $status = 0 ] || printf 'left with %d\n' $status
}

if nightly; then
    [ -n "$expected" ] || exit # what each run is compared with
    # All of the first ones, then some of those behind them.
    numbers="$(seq 1 40) $(seq 47 19 400)"
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
fi

done_testing
