#!/bin/bash
# What is kept between runs, for loops of each length.
source tests/support/under_keel.sh

# --- loops without iterations are recalled and teach nothing: they print exactly what was in the file ---

explained=$(program explained)
work=$TEST_TMPDIR
memory=$work/memory

# run SCHEDULE ARGUMENT...: what is said about a run with the memory file; its output goes to $work/out.
run()
{
    under_keel KEEL_EXPLAIN=1 KEEL_MEMORY="$memory" KEEL_SCHEDULE="$1" "${program:-$explained}" "${@:2}" 2>&1 > "$work/out" | unbroken
}

# The learned part of what is said; the claim's cost is not kept.
learned()
{
    sed -n 's/; a chunk costs .*//; s/ of the loop, since .*//; s/^ *\(measured\|blocks\): //p' <<<"$1"
}

learning='^ +(measured|blocks): ' # where that begins

# Of what the file has, all but how often and when it was read.
kept()
{
    sed -E '1d; /^sum /d; s/\t [0-9a-f]+ /\t - /' "$memory"
}

# --- one run after the other ---
like "$(readelf -h "$explained")" 'Type: +DYN' 'the program is loaded at random addresses'

first=$(learned "$(run rate 20 500 3)")
is "$(cat "$work/out")" "$((20 * 500 * 499 / 2))" 'the first run is right'
like "$first" '^begin at ' 'rate: the first run has learned'
same "$(learned "$(run rate 1 0 3)")" "$first" 'rate: the second run begins with it'
same "$(learned "$(run rate 1 0 3)")" "$first" 'rate: it stays as it was'
unlike "$(run rate 1 0 2)" "$learning" 'rate: teams of another size have learned nothing'
unlike "$(run rate:min=2 1 0 3)" "$learning" 'rate: nor have other parameters'
unlike "$(run rate:grain=2 1 0 3)" "$learning" 'rate: nor has another grain'
same "$(learned "$(run rate 1 0 3)")" "$first" 'rate: that has not changed the first'
run rate 20 500 3 > "$work/said"
is "$(cat "$work/out")" "$((20 * 500 * 499 / 2))" 'rate: a run that goes on from there is right'

for schedule in af awf awf-b; do
    first=$(learned "$(run $schedule 20 500 2)")
    like "$first" '^an iteration takes the threads [1-9]' "$schedule: the first run has learned"
    same "$(learned "$(run $schedule 1 0 2)")" "$first" "$schedule: the second run begins with it"
done

# Blocks may have moved at the end: then some more instances.
memory=$work/calm
calm=$'\trate\t\t - ([0-9a-f]+ ){4}[1-9a-f]'
for round in {1..20}; do
    run rate 20 500 2 >/dev/null
    kept | grep -Eq "$calm" && break
done
before=$(kept)
run rate 1 0 2 >/dev/null
is "$(cat "$work/out") $(kept)" "0 $before" 'a run that learns nothing leaves all as it was'
like "$before" "$calm" 'how long blocks have been calm, too'
memory=$work/memory

# Completed from the start, nothing is measured again.
# What parameters were measured to be.
costs()
{
    sed -n '/^ *\(measured\|smallest chunk\): /p' <<<"$1"
}
first=$(costs "$(run fac 20 500 2)")
like "$first" 'measured: an iteration takes [1-9]' 'fac: the first run has measured'
same "$(costs "$(run fac 20 500 2)")" "$first" 'fac: the second run does not measure'
same "$(costs "$(run fac 20 500 4)")" "$first" 'fac: nor does one with another team'
unlike "$(run fsc 1 500 2)" "$(sed -n 's/^ *measured: //p' <<<"$first")" 'fsc: measures by itself'

first=$(run auto 300 500 2)
kept=$(sed -n 's/^ *auto chose \([a-z0-9]*\) (.*/\1/p' <<<"$first")
like "${kept:-none}" '^(static|mfsc|gss|tss|fac2|ss|steal|af|rate)$' 'auto: the first run has chosen'
second=$(run auto 1 500 2)
like "$second" "^ *auto chose $kept \\(kept in an earlier run\\), after measuring 0 times\$" 'auto: the second run begins with it'
unlike "$second" 'predicted:' 'auto: without forecasts'
second=$(run auto 2 500 2)
like "$second" "^ *auto chose $kept \\(kept in an earlier run\\), after measuring 0 times\$" 'auto: it is used'
like "$second" "^ *seen: $kept [0-9.e+]+ (us|ms) in 2 instances" 'auto: its time is printed'
like "$(run auto 1 500 2)" "^ *auto chose $kept \\(kept in" 'auto: it is kept for a third run'

# --- another program ---
gcc -g -O1 -fopenmp -DVARIANT=2 tests/omp_ext/site/explained.c -o "$work/rebuilt"
gcc -g -O1 -fopenmp -DVARIANT=3 tests/omp_ext/site/explained.c -o "$work/rebuilt_again"
first=$(learned "$(program=$work/rebuilt run rate 20 500 3)")
same "$(learned "$(program=$work/rebuilt run rate 1 0 3)")" "$first" 'a program is known again'
unlike "$(program=$work/rebuilt_again run rate 1 0 3)" "$learning" 'a rebuilt one begins anew'
mv "$work/rebuilt" "$work/moved"
same "$(learned "$(program=$work/moved run rate 1 0 3)")" "$first" 'a program that was moved is the same'
gcc -g -O1 -fopenmp -no-pie tests/omp_ext/site/explained.c -o "$work/fixed"
first=$(learned "$(program=$work/fixed run rate 20 500 3)")
same "$(learned "$(program=$work/fixed run rate 1 0 3)")" "$first" 'a program at fixed addresses is known again'
like "$first" '^begin at' 'and has learned'

# --- several processes ---
memory=$work/shared
# each COMMAND...: with each schedule and each number of threads.
each()
{
    local threads schedule
    for threads in 2 3 4 5; do
        for schedule in rate af; do
            "$@" $schedule $threads
        done
    done
}
learn()
{
    run $1 5 200 $2 >"$work/said.$1.$2" &
    processes+=($!)
}
said()
{
    learned "$(cat "$work/said.$1.$2")"
}
silent()
{
    [ -n "$(said $1 $2)" ] || printf ' %s/%s' $1 $2
}
lost()
{
    [ "$(learned "$(run $1 1 0 $2)")" = "$(said $1 $2)" ] && [ -n "$(said $1 $2)" ] || printf ' %s/%s' $1 $2
}
# On a busy machine a run may be about its threads' waiting alone: then once more.
for round in {1..30}; do
    rm -f "$memory" && processes=()
    each learn
    wait "${processes[@]}"
    [ -n "$(each silent)" ] || break
done
is "$(each silent)" '' 'processes at the same time print what they have learned'
is "$(each lost)" '' 'processes at the same time lose nothing of each other'

for child in child first-child; do
    memory=$work/$child
    under_keel KEEL_MEMORY="$memory" KEEL_SCHEDULE=awf "$explained" 3 100 1 $child
    is "$? $(cat "$memory" 2>/dev/null)" '3 ' "a $child has run, and saves nothing"
done

# --- files that are no memory ---
# refused FILE REASON: the program runs, the message says why, once, and a file stays as it is.
refused()
{
    local before
    before=$([ ! -f "$1" ] || md5sum "$1")
    is "$(under_keel KEEL_MEMORY="$1" KEEL_SCHEDULE=rate "$explained" 5 100 2 2> "$work/said")" $((5 * 100 * 99 / 2)) \
        "KEEL_MEMORY=${1#"$work"}: the program runs"
    is "$(grep -c . "$work/said") $([ ! -f "$1" ] || md5sum "$1")" "1 $before" 'one line is said, and nothing is written'
    like "$(cat "$work/said")" "^keel: KEEL_MEMORY: '.*$2" "$2"
}

under_keel KEEL_MEMORY="$work/good" KEEL_SCHEDULE=rate "$explained" 5 100 2 >/dev/null
memory=$work/damaged
while IFS='!' read -r text reason; do
    printf '%b' "$text" >"$memory"
    refused "$memory" "$reason"
done <<END
PATH=/bin\n!is not a Keel memory file; ignored
{"format": "geojson", "version": 1}!is not a Keel memory file; ignored
{"format": "keel-memory", "version": 1, "run": 7, "sites": [!'replace:' before its name replaces it
keel-memory 3 new!has version 3, expected 2
keel-memory 2 7\n!it is left alone and nothing is remembered; 'replace:' before its name
END
sed '2s/[0-8]/9/' "$work/good" >"$work/changed"
refused "$work/changed" 'its sum'
refused "$work/$(printf './%.0s' {1..300})damaged" "/\./\./\./damaged' is damaged"

unlike "$(memory=replace:$memory run rate 20 500 3)" KEEL_MEMORY 'replace: says nothing'
like "$(learned "$(run rate 1 0 3)")" '^begin at ' 'replace: has made a memory of it'
unlike "$(memory=replace:$memory run rate 1 0 3)" "$learning" 'replace: does not look at what is there'

truncate -s 67108865 "$work/huge"
refused "$work/huge" 'has 67108865 bytes, expected at most 67108864'
mkfifo "$work/fifo"
refused "$work/fifo" 'is a pipe, expected a regular file'
refused "$work" 'is a folder, expected a regular file'
refused /dev/null 'expected a regular file'
refused "$work/missing/memory" "can't be made: No such file or directory"
ln -s nowhere/memory "$work/to_nowhere"
refused "$work/to_nowhere" 'No such file or directory'
ln -s circle "$work/circle"
refused "$work/circle" 'Too many levels of symbolic links'

# --- auto keeps what it learns for loops of about one length ---

# lengths FILE: the lengths that the file has a choice for.
lengths()
{
    sed -n 's/^[^\t]*\tauto\([^\t]*\)\t.*/\1/p' "$1" | sort | tr '\n' ' '
}

# auto needs 10 ms of each length.
is "$(under_keel KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$explained" 20 4000,2000,1000 2 2>&1)" \
    $((20 * (4000 * 3999 + 2000 * 1999 + 1000 * 999) / 2)) 'a loop over three levels'
is "$(lengths "$work/levels")" ', 2^10 iterations , 2^11 iterations , 2^9 iterations ' 'each level has a memory of its own'
under_keel KEEL_SCHEDULE=rate KEEL_MEMORY="$work/rate" "$explained" 4 2000,250 2 >/dev/null
is "$(grep -c $'\trate\t' "$work/rate")" 1 'rate learns speeds, which hold for all lengths: it has one memory'

text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$explained" 1 2000 2 2>&1)
like "$text" 'auto chose [a-z0-9]+ \(kept in an earlier run\)' 'a later run keeps the choice for the length'
text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$explained" 1 16 2 2>&1)
like "$text" 'auto (has chosen nothing yet|chose [a-z0-9]+ \(best by )' 'but knows nothing of another one'

done_testing
