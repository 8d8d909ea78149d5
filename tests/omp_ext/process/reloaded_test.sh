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
    (cd "$work" && under_keel "${settings[@]}" "$program" "${@:2}" 2>&1)
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

text=$(reloaded KEEL_SCHEDULE=rate KEEL_EXPLAIN=1 KEEL_MEMORY=memory -- ./left_part.so ./right_part.so ./left_part.so | unbroken)
like "$text" "^keel: reloaded.c:$line \(left_part\), rate(: [a-z:]+)?, 2 threads: .* in 2 instances" 'a library that comes back finds what it has learned'
like "$text" "^keel: reloaded.c:$line \(right_part\), rate(: [a-z:]+)?, 2 threads: .* in 1 instance" 'another one learns for itself'
is "$(grep -o '"module":"[0-9a-f]*"' "$work/memory" | sort -u | wc -l)" 2 'and both are remembered'
is "$(grep -o '"instances":[0-9]*' "$work/memory" | sort | tr '\n' ' ')" '"instances":1 "instances":2 ' 'with what is theirs'

done_testing
