#!/bin/bash
# keel compare with programs that are no use, and Ctrl-C.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
compiles

two=(--libgomp static --rounds 2-2)

# What a program does under a schedule, by what its environment says.
write_script moody <<'END'
read -r input
echo "one $input"
case $KEEL_SCHEDULE:$1 in
fac2:fails) echo 'no such planet' >&2; exit 3 ;;
fac2:crashes) kill -SEGV $$ ;;
fac2:hangs) sleep 1000 & echo $! >"$2"; wait ;;
fac2:differs) echo 'energy 2.5'; exit ;;
fac2:rounds) echo 'energy 1.5000001'; exit ;;
fac2:writes) echo 'other' >"$2" ;;
*:writes) echo 'same' >"$2" ;;
*:time) date +%N ;;
*:lines) yes | head -n $((RANDOM % 1000)) ;;
*:all) exit 4 ;;
esac
echo 'energy 1.5'
END

compare "${two[@]}" -s 'fac2 gss' -- "$moody" fails
is "$status" 0 'a program that fails under one schedule: exit code'
like "$said" "^'$moody' ends with exit code 3: 'no such planet' under fac2\$" 'it is said'
like "$said" '^fac2 +0 +- ' 'it has no times'
like "$said" '^gss +2 ' 'the others go on'
compare "${two[@]}" -s 'fac2 gss' -- "$moody" crashes
like "$said" "^'$moody' ends with signal 11 \(Segmentation fault\) under fac2\$" 'one that crashes'
# apart FUNCTION: with a folder of its own for what it writes.
apart()
{
    local TEST_TMPDIR=$TEST_TMPDIR/$1
    mkdir "$TEST_TMPDIR"
    "$1"
}
hangs()
{
    compare "${two[@]}" -s 'fac2 gss' --timeout 3 -- "$moody" hangs "$TEST_TMPDIR/number"
    like "$said" "^'$moody' does not end within 3 s \(--timeout\) under fac2\$" 'one that hangs'
    ok 'what it has started is ended' gone "$(cat "$TEST_TMPDIR/number")"
    like "$said" '^gss +2 ' 'the others go on'
}
beside apart hangs
write_script third <<'END'
[ "$KEEL_SCHEDULE" != fac2 ] || { echo >>"$1" && [ "$(wc -l <"$1")" -lt 3 ]; }
END
compare --libgomp static --rounds 4-4 -s 'fac2 gss' -- "$third" "$TEST_TMPDIR/count"
like "$said" "^'$third' ends with exit code 1 under fac2\$" 'one that fails in its third run'
like "$said" '^fac2 +0 +- ' 'what it took before does not count'
is "$(wc -l <"$TEST_TMPDIR/count")" 3 'and it is not run again'
write_script tired <<'END'
[ "$KEEL_SCHEDULE" != libgomp ] || { echo >>"$1" && [ "$(wc -l <"$1")" -lt 4 ]; }
END
compare --libgomp static --rounds 4-4 -s 'fac2 gss' -- "$tired" "$TEST_TMPDIR/tired.count"
is "$status" 3 'a reference that fails in a later round: exit code'
like "$said" ' 1 round of 3 schedules .*; the reference has failed$' 'it is said'
like "$said" '^gss +1 ' 'what is known is printed'
compare "${two[@]}" -s fac2 -- "$moody" fails
is "$status" 3 'where nothing is left beside the reference: exit code'
like "$said" ": there is nothing left to compare with before a round of 2 schedules was over; nothing can be said of them\$" 'it is said'
like "$said" "^'$moody' ends with exit code 3: 'no such planet' under fac2\$" 'and why'

compare "${two[@]}" -s fac2 -- "$moody" all
is "$status $said" "3 '$moody' ends with exit code 4 under libgomp static, the reference; nothing is compared" 'a program that always fails'
compare "${two[@]}" -s fac2 --timeout 0.5 -- sleep 1000
is "$status $said" "3 'sleep' does not end within 0.5 s (--timeout) under libgomp static, the reference; nothing is compared" 'that hangs'
compare "${two[@]}" -s fac2 -- "$TEST_TMPDIR/none"
is "$status $said$messages" "127 keel: '$TEST_TMPDIR/none' cannot be run: No such file or directory" 'that is not there'
compare "${two[@]}" -s fac2 -- "$TEST_TMPDIR"
is "$status" 126 'that is no program'
write_script latin <<'END'
[ "$KEEL_SCHEDULE" != fac2 ] || { printf 'caf\351\n' >&2 && exit 3; }
END
compare "${two[@]}" -s 'fac2 gss' --json "$TEST_TMPDIR/latin.json" -- "$latin"
like "$(cat "$TEST_TMPDIR/latin.json")" "\"failure\": \"ends with exit code 3: 'caf\?'\"" \
    'a failure that is not UTF-8, in JSON'

# --- output ---
compare "${two[@]}" -s 'fac2 gss' -- "$moody" differs
is "$status" 0 'another output under one schedule: exit code'
like "$said" "^output differs under fac2 \(3 runs\): stdout line 2: 'energy 2\.5' instead of 'energy 1\.5'\$" 'it is said'
like "$said" '`keel check` names it' 'with a way to go on'
unlike "$said" '^output differs under gss|KEEL_SCHEDULE=fac2' 'for that one alone, which is not advised'
write_script wrong_but_quick <<'END'
[ "$KEEL_SCHEDULE" = fac2 ] || { sleep 0.5 && echo right; }
END
wrong_and_quick()
{
    compare "${two[@]}" -s 'fac2 gss' -- "$wrong_but_quick"
    like "$said" '^the fastest in these rounds is fac2$' 'what differs may be quick'
    unlike "$said" '^export .*fac2' 'and is not advised all the same'
}
beside apart wrong_and_quick
write_script quick <<'END'
[[ $KEEL_SCHEDULE = gss* ]] || sleep 0.2
END
compare --libgomp static --rounds 7-7 -s 'gss;$HOME=fac2' -- "$quick"
is "$(eval "$(grep '^export ' <<<"$said")" && printf '%s\n' "$KEEL_SCHEDULE")" 'gss;$HOME=fac2' 'a shell reads what is advised as it is'
compare "${two[@]}" -s 'fac2 gss' -- "$moody" rounds
like "$said" '^output differs under fac2 ' 'sums that are rounded otherwise differ'
compare "${two[@]}" -s 'fac2 gss' --tolerance 1e-6 -- "$moody" rounds
unlike "$said" 'differs' 'unless that is allowed'
compare "${two[@]}" -s 'fac2 gss' --ignore energy -- "$moody" differs
unlike "$said" 'differs' 'or the line is left out'
compare "${two[@]}" -s 'fac2 gss' -o "$TEST_TMPDIR/written" -- "$moody" writes "$TEST_TMPDIR/written"
like "$said" "^output differs under fac2 \(3 runs\): $TEST_TMPDIR/written line 1: 'other' instead of 'same'\$" 'files are compared'
unlike "$messages" '--output' 'without a word'
compare "${two[@]}" -s fac2 -o "$TEST_TMPDIR/none" -- "$moody"
like "$messages" "^keel: --output: the first run has left no file '$TEST_TMPDIR/none'\$" 'a file that is not written is named'
compare "${two[@]}" -s 'fac2 gss' -- "$moody" time
like "$said" "^numbers that vary by themselves, from run to run of libgomp static, as in stdout line 2: '[0-9]+' and '[0-9]+'\$" 'output that differs each time is known'
like "$said" '^  not compared: line 2 of stdout$' 'that line is left out'
unlike "$said" '^output differs' 'and no schedule is blamed'
compare "${two[@]}" -s 'fac2 gss' -- "$moody" lines
like "$said" ', in too many lines to compare any, as in stdout line ' 'also where nothing can be compared'
unlike "$said" '^output differs' 'no schedule is blamed then, either'
echo hello >"$TEST_TMPDIR/input"
write_script wants <<'END'
read -r input && [ "$input" = hello ]
END
compare "${two[@]}" -s fac2 --input "$TEST_TMPDIR/input" -- "$wants"
is "$status" 0 '--input is there for each run'
compare "${two[@]}" -s fac2 -- "$wants"
is "$status" 3 'without it there is nothing to read'
compare "${two[@]}" -s fac2 --input "$TEST_TMPDIR/none" -- "$wants"
is "$status $(head -n 1 <<<"$messages")" "2 keel compare: --input: '$TEST_TMPDIR/none' cannot be read: No such file or directory" \
    'nor where it is not there'

# --- programs that Keel cannot reach ---
compare "${two[@]}" -s fac2 -- true
is "$status" 3 'no loop that comes to Keel: exit code'
like "$said" "^no loop of 'true' came to Keel, so that its schedules change nothing: neither it nor " 'no loop that comes to Keel: it is said'
unlike "$messages" 'round 1' 'after warming up'
compile uneven || exit
compare "${two[@]}" -s fac2 -- "$uneven" 0
unlike "$said" 'came to Keel' 'but not of a program that has one'

# --- command lines ---
# refused PATTERN OPTION...
refused()
{
    compare "${@:2}" -- touch "$TEST_TMPDIR/ran"
    is "$status" 2 "${*:2}: exit code"
    like "$messages" "$1" "${*:2}: message"
    ok "${*:2}: nothing is run" test ! -e "$TEST_TMPDIR/ran"
}
refused "-s 'fact2': unknown schedule 'fact2', nearest is 'fac2'; schedules are separated by blanks; nothing is run" -s 'gss fact2'
refused "-s 'fac2,gss': .*; schedules are separated by blanks" -s fac2,gss
refused "--libgomp 'fac2': it is none of libgomp's" --libgomp fac2
refused "--libgomp 'static,dynamic': .*; schedules are separated by blanks" --libgomp static,dynamic
refused "-s 'fact2': unknown schedule" -s fact2 -s gss
refused "--mpi 'trea': .*tree" -m trea
refused "--balance 'of': .*off" -b of
refused 'a comparison wants two schedules or more' --libgomp '' -s fac2
refused "--rounds: 'x' is neither a whole number from 0 to 1000 nor FIRST-LAST" --rounds x
refused "--rounds: '5-2' is neither a whole number from 0 to 1000 nor FIRST-LAST" --rounds 5-2
refused "--rounds: '0' allows no round" --rounds 0
refused "--budget: '-1' is not a number" --budget=-1
refused "--matters: '0' is not a number from 0\.01 to 100" --matters 0
refused "--ignore: '\[': " --ignore '['
compare --rounds 1-1 --libgomp static --libgomp guided -s fac2 -s gss -- "$moody" none
like "$said" '^gss +1 ' 'an option that comes again: its last schedule counts'
like "$said" '^fac2 +1 ' 'and its first'
like "$said" ': 1 round of 4 schedules ' 'of each option'
compare
is "$status" 2 'no program'
for file in '/no/such/folder/file' "$TEST_TMPDIR"; do
    compare "${two[@]}" -s fac2 --json "$file" -- touch "$TEST_TMPDIR/ran"
    is "$status" 1 "'$file' cannot be written: exit code"
    like "$messages" "^keel: '$file' cannot be written: (No such file or|Is a) directory; nothing is run\$" 'message'
    ok 'nothing is run' test ! -e "$TEST_TMPDIR/ran"
done
together
is "$(left_behind)" '' 'no file is left'

# --- Ctrl-C: what is known is printed, and no program and no file is left ---

# Notes each run, and after some of them stays.
write_script slow <<'END'
echo $$ >>"$1"
[ "$(wc -l <"$1")" -lt "$2" ] || exec sleep 1000
END

# interrupt SIGNAL [RUN]: sends it in that run, or the eighth one, which is in the third round; sets $status and $said.
# Jobs of a shell have SIGINT ignored.
interrupt()
{
    local run=${2:-8}
    rm -f "$TEST_TMPDIR/runs"
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$keel" compare --libgomp static -s fac2 --budget 100000 -- \
        "$slow" "$TEST_TMPDIR/runs" "$run" >"$TEST_TMPDIR/said" 2>/dev/null &
    local comparison=$!
    for _ in $(seq 6000); do
        [ "$(cat "$TEST_TMPDIR/runs" 2>/dev/null | wc -l)" -lt "$run" ] || break
        sleep 0.05
    done
    kill -"$1" $comparison
    wait $comparison
    status=$?
    said=$(cat "$TEST_TMPDIR/said")
}
for signal in INT:130 TERM:143; do
    interrupt "${signal%:*}"
    is "$status" "${signal#*:}" "SIG${signal%:*}: exit code"
    like "$said" '^.*: 2 rounds of 2 schedules in random order, seed [0-9]+; interrupted$' 'what was known is printed'
    like "$said" '^libgomp static +[23] ' 'with its times'
    ok 'the program is ended' gone "$(tail -n 1 "$TEST_TMPDIR/runs")"
    is "$(left_behind)" '' 'no file is left'
done

# Before the first round is over nothing is known, even of what has run.
interrupt INT 5
is "$status" 130 'in the first round: exit code'
like "$said" "^'$slow': interrupted before a round of 2 schedules was over; nothing can be said of them\$" 'it is said'
unlike "$said" '^schedule|gain|export' 'no verdict'

done_testing
