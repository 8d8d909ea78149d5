#!/bin/bash
# keel check says what it cannot: programs that fail, hang or differ without Keel, and command lines that cannot be used.
source tests/support/tap.sh
source tests/omp_ext/command/check/check.sh
compile unsafe && compile safe || exit

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
