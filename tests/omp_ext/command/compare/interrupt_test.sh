#!/bin/bash
# keel compare and Ctrl-C: what is known is printed, and no program and no file is left.
source tests/support/tap.sh
source tests/omp_ext/command/compare/compare.sh

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
