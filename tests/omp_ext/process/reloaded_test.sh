#!/bin/bash
# A library that comes to the addresses of another one has loops of its own: rules, names, what was learned.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
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

# Not what KEEL_EXPLAIN tells: it leaves out a loop that takes a small part of the time, as one does while the other waits.
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
done_testing
