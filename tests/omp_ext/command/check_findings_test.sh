#!/bin/bash
# keel check finds loops whose results depend on who runs what, and says what it cannot.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
compiles

compile unsafe || exit

# found CASE LINE FUNCTION [OPTION...]: results depend on that loop.
found()
{
    check -n 100 "${@:4}" -- "$unsafe" "$1"
    is "$status" 1 "$1: exit code"
    like "$said" "^'$unsafe': [1-9][0-9]* of [0-9]+ runs under random schedules differ from those without \([0-9]+ loops?, 2 threads\)\$" \
        "$1: is said to differ"
    like "$said" "^  .*\([1-9][0-9]* runs?, seed [0-9]+\)\$" "$1: by a seed"
    like "$said" "^results differ when $2 \($3\) is scheduled \([0-9]+ of [0-9]+ more runs\)" "$1: and the loop is named"
}

found bitmap "$(place bitmap 1)" bitmap
like "$said" "^  stdout line 1: 'bits [0-9]+' instead of 'bits 2000000' " 'so are the line and both results'

found pair "$(place 'pair, second')" update
like "$said" "^  the loop before it, $(place 'pair, first' 3) \(update\), has no barrier at its end; with a barrier there, 0 of [1-9][0-9]* differ\$" \
    'a loop without a barrier before it is named, and that a barrier cures it'
unlike "$said" "results differ when .*$(place 'pair, third')" 'the loop behind a barrier is not'

# The same loops without clauses, through the plugin: the author's word takes them, which is wrong here.
sed 's/ schedule(runtime)//' $here/unsafe.c >"$TEST_TMPDIR/bare.c"
eval "gcc -g -O2 $("$keel" cflags --nowait) '$TEST_TMPDIR/bare.c' -o '$TEST_TMPDIR/bare'" || exit
check -n 100 -- "$TEST_TMPDIR/bare" pair
is "$status" 1 'bare loops that are taken by --nowait: exit code'
second=$(place 'pair, second' 1)
like "$said" "^results differ when bare${second#unsafe} \(update\) is scheduled" 'are named'
eval "gcc -g -O2 $("$keel" cflags) '$TEST_TMPDIR/bare.c' -o '$TEST_TMPDIR/bare' 2>/dev/null" || exit
check -n 10 -- "$TEST_TMPDIR/bare" pair
like "$said" ': the same results in .* \(1 loop, 2 threads, ' 'without it, only the loop behind the barrier is taken, and nothing differs'

found thread "$(place thread 1)" per_thread
found chain "$(place chain 1)" chain
unlike "$said" 'rounding' 'another difference is no rounding'
check --budget 0 -- "$unsafe" chain
like "$said" "^the time is used up \(--budget\); not looked at: $(place chain 1) \(chain\)\$" 'loops for which there was no time are named'

# Ctrl-C in the tenth run. Jobs of a shell have SIGINT ignored.
printf '#!/bin/sh\necho >>"$2"\n[ "$(wc -l <"$2")" -lt 10 ] || exec sleep 1000\nexec "$1" reduction\n' >"$TEST_TMPDIR/slow"
chmod +x "$TEST_TMPDIR/slow"
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$keel" check --budget 100000 --timeout 100000 -n 1000 --tolerance 1e-9 -- \
    "$TEST_TMPDIR/slow" "$unsafe" "$TEST_TMPDIR/runs" >"$TEST_TMPDIR/said" 2>&1 &
for _ in $(seq 6000); do
    [ "$(cat "$TEST_TMPDIR/runs" 2>/dev/null | wc -l)" -lt 10 ] || break
    sleep 0.05
done
kill -INT $!
wait $!
is $? 130 'Ctrl-C: exit code'
like "$(cat "$TEST_TMPDIR/said")" '^interrupted after 6 of 1000 runs under random schedules$' 'and what is known is printed'
like "$(cat "$TEST_TMPDIR/said")" ": the same results in 3 runs without Keel and 6 under random schedules" 'of the runs that were'
found crash "$(place crash 1)" crash
like "$said" '^  signal 6 \(Aborted\) instead of exit code 0 ' 'an end by a signal is reported'
found hang "$(place hang 1)" hang --timeout 5
like "$said" '^  no end within 5 s ' 'so is a run that hangs'

found reduction "$(place reduction 1)" reduction
like "$said" '^  that is rounding, .* with --tolerance=1e-1[0-5] it counts as the same$' 'a difference in the last digits is called rounding'
check -n 10 --tolerance 1e-9 -- "$unsafe" reduction
is "$status" 0 'a reduction is the same with a tolerance'
like "$said" "^'$unsafe': the same results in 3 runs without Keel and 10 under random schedules \(1 loop, 2 threads, seeds 1 to 10\)\$" \
    'which is said in a line'
is "$(wc -l <<<"$said")" 1 'in no more than that'
check -n 10 --ignore '^sum' -- "$unsafe" reduction
is "$status" 0 'or where its line is ignored'

check -n 20 -- "$unsafe" file "$TEST_TMPDIR/file"
is "$status" 0 'files are not compared'
check -n 20 -o "$TEST_TMPDIR/file" -- "$unsafe" file "$TEST_TMPDIR/file"
is "$status" 1 'unless they are named'
like "$said" "^  $TEST_TMPDIR/file line 2: " 'and then by their lines'

check -n 40 -- "$unsafe" both
is "$status" 1 'two loops that are wrong together: exit code'
like "$said" "^results differ when $(place 'both, first' 1) \(both\) and $(place 'both, second' 1) \(both\) are scheduled \([0-5] of 5 more runs\), and not when one of them is left out\$" \
    'both are named'

check -n 20 --as-written -- "$unsafe" words
is "$status" 3 'explicit clauses can be left alone'
like "$said" '^no loop of ' 'and then no loop is reached'

is "$(left_behind)" '' 'no file is left'

# --- programs that fail, hang or differ without Keel, and command lines that cannot be used ---

compile safe || exit

check -- "$unsafe" process
is "$status" 3 'a program that prints its number: exit code'
like "$said" "^'$unsafe' differs from run to run without Keel:\$" 'it is said to differ'
like "$said" "^  stdout line 2: 'process [0-9]+' instead of 'process [0-9]+'\$" 'where'
like "$said" '^  with one thread, too: a clock, a process number, or chance$' 'and not for its threads'
like "$said" '^  not compared: line 2 of stdout$' 'that line is left out'

# Of two lines, one differs by chance, one by the schedule.
mixed=$TEST_TMPDIR/mixed
printf '#!/bin/sh\ndate +%%N\nexec %s "$1"\n' "$unsafe" >"$mixed"
chmod +x "$mixed"
check -- "$mixed" thread
is "$status" 1 'a program that differs in another line, too: exit code'
like "$said" '^  not compared: line 1 of stdout$' 'the one line is left out'
like "$said" "^results differ when $(place thread 1) \(per_thread\) is scheduled" 'the other leads to its loop'
printf '#!/bin/sh\ndate +%%N\nexec %s\n' "$safe" >"$mixed"
check -n 5 -- "$mixed"
is "$status" 0 'where all other lines are the same: exit code'

check --plain-runs 20 -- "$unsafe" race
is "$status" 3 'a program that races: exit code'
like "$said" '^  not with one thread: what it does depends on which thread comes first$' 'it is said to race'

check -- sh -c 'exit 7'
is "$status $said" "3 'sh' ends with exit code 7 without Keel; nothing is checked" 'a program that fails'
check -- sh -c 'kill -SEGV $$'
is "$status $said" "3 'sh' ends with signal 11 (Segmentation fault) without Keel; nothing is checked" 'that crashes'
check --timeout 0.3 -- sleep 1000
is "$status $said" "3 'sleep' does not end within 0 s without Keel; nothing is checked (--timeout)" 'that hangs'
check -- "$TEST_TMPDIR/none"
is "$status $said" "127 keel: '$TEST_TMPDIR/none' cannot be run: No such file or directory" 'that is not there'

# refused PATTERN OPTION...
refused()
{
    check "${@:2}" -- touch "$TEST_TMPDIR/ran"
    is "$status" 2 "${*:2}: exit code"
    like "$said" "$1" "${*:2}: message"
    ok "${*:2}: nothing is run" test ! -e "$TEST_TMPDIR/ran"
}
refused "--runs: '0' is not a whole number from 1 to 1e\+06" -n 0
refused "--tolerance: 'x' is not a number from 0 to 1" --tolerance x
refused "--ignore: '\[': " --ignore '['
refused "--threads: '1.5' is not a whole number" -t 1.5
refused "--threads: '1e2' is not a whole number" -t 1e2
refused "--output: '.' is not a file" -o .
check
is "$status" 2 'no program'

# Ctrl-C: neither files nor processes are left.
"$keel" check -- sh -c "echo \$\$ >'$TEST_TMPDIR/number'; exec sleep 1000" >/dev/null &
for _ in $(seq 400); do
    [ -s "$TEST_TMPDIR/number" ] && break
    sleep 0.05
done
kill -TERM $!
wait $! 2>/dev/null
is "$?" 143 'a signal ends it'
is "$(ps -o pid= -p "$(cat "$TEST_TMPDIR/number")")" '' 'and the program'
is "$(left_behind)" '' 'no file is left'

done_testing
