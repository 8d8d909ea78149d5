#!/bin/bash
# KEEL_TRACE=FILE.json: its events, and its end.
source tests/support/under_keel.sh

facts=$(program trace_facts.pl)
trace=$TEST_TMPDIR/trace.json
export OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=2
seed=${KEEL_TEST_SEED:-1}

# traced PROGRAM PART [NAME=VALUE...]: what the program says; its trace goes to $trace.
traced()
{
    rm -f "$trace"
    under_keel KEEL_TRACE="$trace" "${@:3}" "$(program "$1")" "$2" 2>&1
}

# what FILTER [OPTION]: lines of the trace's facts that match, and all that is wrong.
what()
{
    "$facts" ${2:+"$2"} "$trace" 2>&1 | grep -E "^wrong|$1"
}

# us CATEGORY [PATTERN]: sum of the durations in us of lines of a category that match.
us()
{
    grep "\"cat\":\"$1\"" "$trace" | grep -E "${2:-.}" | sed 's/.*"dur":\([0-9.]*\).*/\1/' | awk '{ sum += $1 } END { printf "%.3f", sum }'
}

# --- iterations ---
diag "KEEL_TEST_SEED=$seed"
all='rate auto af awf-c fac wf2 gss ss css,7 static rnd steal ich aid gss:grain=7 libgomp'
for schedule in '' $(each_day 'rate auto fac ss css,7 static steal gss:grain=7 libgomp' "$all"); do
    said=$(traced drawn_trace '' KEEL_TEST_SEED="$seed" ${schedule:+KEEL_SCHEDULE="$schedule"})
    same "$(what '^instances')" "$(grep '^instances' <<<"$said")" "${schedule:-no schedule}: drawn loops are there with all iterations and threads, and nest"
done
for setting in OMP_SCHEDULE=guided,3 OMP_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic,guided; do
    said=$(traced drawn_trace '' KEEL_TEST_SEED="$((seed + 1))" "$setting" KEEL_SCHEDULE=gss)
    same "$(what '^instances')" "$(grep '^instances' <<<"$said")" "$setting: the same"
done
for schedule in '' $(each_day ss 'rate ss'); do
    is "$(traced ../loop/traced nested ${schedule:+KEEL_SCHEDULE=$schedule})$(what '^instances')" 'instances 1x4 4x25' "${schedule:-no schedule}: loops in loops"
    is "$(traced ../loop/traced from_two_threads ${schedule:+KEEL_SCHEDULE=$schedule})$(what '^instances')" 'instances 6x100' "${schedule:-no schedule}: teams at the same time"
    like "$(traced ../loop/traced cancelled OMP_CANCELLATION=true ${schedule:+KEEL_SCHEDULE=$schedule})$(what '^instances' --cut)" 'instances 1x100' \
        "${schedule:-no schedule}: after loops that were cancelled"
done

# --- members of events ---
traced ../loop/traced in_region KEEL_SCHEDULE=fac2,8 >/dev/null
like "$(cat "$trace")" '^\{"name":"traced\.c:[0-9]+","cat":"loop",.*"schedule":"fac2,8","iterations":30,"threads":3,"function":"in_region"\}\},$' \
    'a loop has its place, function, schedule and length'
is "$(sed -n 1p "$trace")$(tail -n 1 "$trace")" '[]' 'the brackets are on lines of their own'
like "$(sed -n 2p "$trace")" '^\{"name":"keel_trace","ph":"M","pid":0,"tid":0,"args":\{"version":1,.*"program":"traced","host":"[^"]+"' 'the first event has the version'
for thread in 0 1 2; do
    like "$(cat "$trace")" "\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":$thread,\"args\":\{\"name\":\"thread $thread\"\}" "thread $thread has its name"
done
traced ../loop/traced in_region >/dev/null
like "$(cat "$trace")" '"schedule":"libgomp dynamic,1"' 'without a schedule the loops are libgomp'"'"'s'

# --- times ---
said=$(traced ../loop/traced asleep KEEL_SCHEDULE=ss)
# value NAME: of the program's own clock, us
value()
{
    awk -v name="$1" '$1 == name { printf "%.3f", $2 * 1e6 }' <<<"$said"
}
# The rate of ticks is measured while the program runs: it was off by 25 in a million here.
ok 'chunks last at least as long as their iterations sleep' awk -v chunks="$(us chunk)" -v slept="$(value slept)" 'BEGIN { exit !(slept > 0 && chunks >= slept * 0.999) }'
ok 'and no longer than all threads have time' awk -v chunks="$(us chunk)" -v elapsed="$(value elapsed)" 'BEGIN { exit !(chunks > 0 && chunks <= 3 * elapsed) }'
ok 'moments are those of CLOCK_MONOTONIC' awk -v began="$(value began)" -v ended="$(value ended)" -v from="$(grep '"cat":"chunk"' "$trace" |
    sed 's/.*"ts":\([0-9.]*\).*/\1/' | sort -n | sed -n 1p)" -v to="$(grep '"cat":"chunk"' "$trace" | sed 's/.*"ts":\([0-9.]*\).*/\1/' |
        sort -n | tail -n 1)" 'BEGIN { exit !(began > 0 && from >= began - 100 && to <= ended + 100) }'

traced ../loop/traced late KEEL_SCHEDULE=ss >/dev/null
for at in barrier 'loop end' 'region end'; do
    is "$(grep -c "\"at\":\"$at\"" "$trace")" 2 "both threads wait at the $at"
done
is "$(what '^wait')" 'wait 6' 'and for the last thread'

# --- the README's table of events ---
forms()
{
    "$facts" --forms "$trace"
}
# Rows `| KIND | CATEGORY or NAME | ... | ARGUMENTS |`, where `or` separates two names.
documented()
{
    sed -n '/^## A trace in JSON/,/^## /p' "$(keel_path omp_ext/README.md)" | awk -F'|' '
        $2 ~ /^ `[XiCM]` $/ {
            gsub(/[` ]/, "", $2)
            about = $3
            gsub(/ or /, " ", about)
            gsub(/`/, "", about)
            members = 0
            rest = $4
            while (match(rest, /`[a-z_]+`/)) {
                member[++members] = substr(rest, RSTART + 1, RLENGTH - 2)
                rest = substr(rest, RSTART + RLENGTH)
            }
            if (members == 0) member[++members] = "-"
            count = split(about, names, " ")
            for (i = 1; i <= count; i++)
                for (k = 1; k <= members; k++) print $2, names[i], member[k]
        }' | sort -u
}
seen=$(
    traced ../loop/traced learning KEEL_SCHEDULE=auto >/dev/null
    forms
    traced ../loop/traced late KEEL_TRACE="$trace,4" >/dev/null
    forms
    traced ranks '' >/dev/null
    forms
)
is "$(sort -u <<<"$seen")" "$(documented)" 'the README lists all events and their members'

# --- bounds ---
said=$(traced ../loop/traced memory KEEL_SCHEDULE=ss)
like "$said" 'KEEL_TRACE: limit of 750000 chunks reached; later ones are left out, loops and waits are not' 'three million chunks: message'
ok 'and at most 32 MB of memory' awk -v kb="$(awk '$1 == "VmHWM:" { print $2 }' <<<"$said")" 'BEGIN { exit !(kb > 0 && kb < 32000) }'
like "$(tail -n 2 "$trace")" '"name":"left out".*"args":\{"events":225[0-9]{4}\}' 'the trace contains the number of those left out'
said=$(traced ../loop/traced memory KEEL_SCHEDULE=ss KEEL_TRACE="$trace,5000")
like "$said" ' limit of 3750 chunks reached' 'a bound of its own: message'
ok 'and no more' test "$(wc -l <"$trace")" -le 5010
is "$(what '^loop' --cut)" 'loop 3' 'the remaining events are right, and include loops'
like "$(traced ../loop/traced learning KEEL_SCHEDULE=ss KEEL_TRACE="$trace,100")" ' limit of 100 events reached' 'a bound of all events: message'
ok 'and no more' test "$(wc -l <"$trace")" -le 110
like "$(traced ../loop/traced in_region KEEL_TRACE="$trace,much")" "'much' in '.*' is not a whole number from 1 to 1000000000000; using 1000000" \
    'a bound that is no number: message'

is "$(traced ../loop/traced in_region KEEL_TRACE="$trace" LC_ALL=de_DE.UTF-8)$(what '^instances')" 'instances 3x30 3x50' 'whatever locale there is'
unset OMP_MAX_ACTIVE_LEVELS

# --- however a program ends, its trace is whole as far as it goes ---

leaving=$(program ../recorder/leaving)
at=$TEST_TMPDIR
export KEEL_SCHEDULE=ss
ulimit -c 0

# ended HOW [NAME=VALUE...]: what the program says, and its exit code
ended()
{
    under_keel KEEL_TRACE="$trace" "${@:2}" "$leaving" "$1" "${other:-$at/other}" 2>&1
    echo "exit $?"
}

# chunks [FILE]: how many are there, and what is wrong.
chunks()
{
    "$facts" --cut "${1:-$trace}" | sed -n 's/^chunk //p; /^wrong/p'
}

sum='sum 1596000'
good=$sum$'\nexit 3'
for end in $(each_day 'loop signal fork' 'loop quick_exit _exit signal abort exec fork elsewhere'); do
    rm -f "$trace"
    without=$("$leaving" "$end" "$at/other" 2>/dev/null; echo "exit $?")
    [ "$without" != 'exit 0' ] || without= # none ends so
    same "$(ended "$end")" "$without" "$end: the program ends as without a trace"
done

rm -f "$trace"
ended loop >/dev/null
is "$("$facts" "$trace" | grep -E '^(instances|wrong)')" 'instances 20x400' 'exit: all is there'
is "$(ended quick_exit; "$facts" "$trace" | grep -E '^(instances|wrong)')" "$sum"$'\nexit 4\ninstances 20x400' 'quick_exit: all is there'
for end in _exit signal abort; do
    rm -f "$trace"
    ended "$end" >/dev/null
    ok "$end: what was written is right, and not much is missing" test "$(chunks)" -ge 4000
done
rm -f "$trace"
ended exec >/dev/null
ok 'exec: what comes behind is there' test "$(chunks)" -ge 4000
is "$(ended fork; chunks)" "$good"$'\n8000' 'fork: the child adds nothing'
rm -f "$at/other" "$trace"
is "$(ended close_all; cat "$at/other")" "$sum
keel: KEEL_TRACE: '$trace' has been closed by the program; the trace ends here
$good" 'a program closes all files: message, and its later files stay unchanged'
ok 'what was written until then is right' test "$(chunks)" -ge 4000
is "$(other=$trace ended overwrite; cat "$trace")" "$sum
keel: KEEL_TRACE: '$trace' has become another program's; the trace ends here
$good" 'another program writes to the file: message, and its data stay'
cd "$at" || exit
is "$(ended elsewhere KEEL_TRACE=trace.json; cd - >/dev/null; chunks)" "$sum"$'\n'"$good"$'\n16000' 'the program may change its folder'
is "$(ended loop KEEL_TRACE=of.%p.json; ls | grep -cE '^of\.[0-9]+\.json$')" "$good"$'\n1' '%p is the number of the process'

# --- files that cannot grow ---
rm -f "$trace"
is "$(ulimit -f 200; ended loop)" "keel: KEEL_TRACE: '$trace' cannot be written: File too large; the trace ends here
$good" 'a limit of the size of files: message'
ok 'what has room is right' test "$(chunks)" -ge 500
ln -s /dev/full full.json
is "$(ended loop KEEL_TRACE="$at/full.json")" "keel: KEEL_TRACE: '$at/full.json' cannot be written: No space left on device; nothing is traced
$good" 'a full disk: message'
is "$(ended loop KEEL_TRACE=/nowhere/trace.json)" "keel: KEEL_TRACE: '/nowhere/trace.json' cannot be written: No such file or directory; nothing is traced
$good" 'a file that cannot be made: message'
mkfifo pipe.json
is "$(ended loop KEEL_TRACE="$at/pipe.json")" "keel: KEEL_TRACE: '$at/pipe.json' cannot be written: no process reads it; nothing is traced
$good" 'a pipe without a reader: message'
timeout "$tap_patience_s" cat pipe.json >out.json &
is "$(ended loop KEEL_TRACE="$at/pipe.json")" "$good" 'a pipe with a reader'
wait $!
is "$(chunks out.json)" 8000 'it gets everything'
timeout "$tap_patience_s" head -c 10 pipe.json >/dev/null &
is "$(ended loop KEEL_TRACE="$at/pipe.json")" "keel: KEEL_TRACE: '$at/pipe.json' cannot be written: Broken pipe; the trace ends here
$good" 'a reader that goes: message'

like "$(ended loop KEEL_TRACE="$(printf 'x%.0s' {1..5000}).json")" 'cannot be written: File name too long; nothing is traced' \
    'too long a name: message'

# --- what was in the file ---
rm -f "$trace"
is "$(ulimit -f 0; ended loop 2>&1 | cat)" "keel: KEEL_TRACE: '$trace' cannot be written: File too large; nothing is traced
$good" 'a file that may hold nothing: message'
printf 'something else\n' >"$trace"
is "$(ended loop; chunks)" "$good"$'\n8000' 'a file of another kind is replaced'
is "$(ended loop; chunks)" "$good"$'\n8000' 'and so is the trace of an earlier program'

done_testing
