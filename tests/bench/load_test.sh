#!/bin/bash
# bench/load computes and sleeps as it is told, and accounts for the CPU time that it takes. What
# else the machine does may keep it waiting for the core, so that it may get less than it wants.
name=load program=load_dir/program
source tests/bench/command.sh

# holds EXPRESSION: as awk sees it.
holds()
{
    awk "BEGIN { exit !($1) }"
}

# field NUMBER ROW
field()
{
    cut -d, -f"$1" <<<"$2"
}

# Phases are long, for it may wake up late.
rows=$(run --period 1 --on 0.4 --seconds 2 --log)
is $? 0 'a load ends by itself'
is "$(head -n 1 <<<"$rows")" 'unix_s,state,cpu_s,computing_s' 'its rows have a heading'
is "$(tail -n +2 <<<"$rows" | cut -d, -f2 | tr '\n' ' ')" 'on off on off end ' 'it computes and sleeps in turns'
last=$(tail -n 1 <<<"$rows")
ok 'it computes as long as it should, more or less' holds "$(field 4 "$last") > 0.4 && $(field 4 "$last") < 1.2"
begun=$(field 3 "$(sed -n 2p <<<"$rows")")
ok 'and gets no more CPU time than that' holds "$(field 3 "$last") - $begun <= $(field 4 "$last") + 0.05"
ok 'but some' holds "$(field 3 "$last") - $begun > 0"
slept=$(awk -F, '$2 == "off" { begun = $3; next } begun != "" { sum += $3 - begun; begun = "" } END { print sum }' <<<"$rows")
ok 'sleeping takes none' holds "$slept < 0.02"

rows=$(run --period 0.1 --on 0.1 --seconds 0.5)
is "$(grep -c . <<<"$rows")" 2 'without --log there is one row'
ok 'it computes all the time where --on is the period' holds "$(field 4 "$(tail -n 1 <<<"$rows")") >= 0.45"
rows=$(run --period 0.1 --on 0 --seconds 0.3)
ok 'and never where it is 0' holds "$(field 4 "$(tail -n 1 <<<"$rows")") == 0"
rows=$(run --period 10 --on 4 --start off --seconds 0.3 --every 0.1)
is "$(tail -n +2 <<<"$rows" | cut -d, -f2 | sort -u | tr '\n' ' ')" 'end off ' '--start off: it begins by sleeping'
ok '--every: it writes rows now and then' test "$(grep -c off <<<"$rows")" -ge 2

# The script becomes the program: a signal goes to the one who computes.
for option in --on=10 --on=0; do
    rm -f "$TEST_TMPDIR/rows" # of the one before
    "$command" --built "$built" --period 10 "$option" >"$TEST_TMPDIR/rows" &
    pid=$!
    until grep -qs unix_s "$TEST_TMPDIR/rows"; do
        sleep 0.02
    done
    kill $pid
    wait $pid
    is $? 0 "SIGTERM ends it, $option"
    like "$(tail -n 1 "$TEST_TMPDIR/rows")" '^[0-9.]+,end,[0-9.]+,[0-9.]+$' "with its figures, $option"
done

# Who starts one for a measurement may end first.
PID_FILE=$TEST_TMPDIR/pid bash -c '"$0" "$@" & echo $! >"$PID_FILE"; sleep 0.2; kill -KILL $$' \
    "$built/bench/load_dir/program" 0 0.01 0.005 on 0 -1 1 >/dev/null 2>&1
for ((left = 20 * tap_patience_s; left > 0; left--)); do
    state=$(sed 's/.*) //; s/ .*//' "/proc/$(<"$TEST_TMPDIR/pid")/stat" 2>/dev/null) # none, or a zombie
    [[ $state == [RSD] ]] || break
    sleep 0.05
done
ok 'a load ends with its parent' test "$left" -gt 0

usual=(--seconds 1)
like "$(run --core 100000 2>&1)" '^keel: bench/load: cannot run on core 100000; nothing is run$' 'a core that is not there'
refuses "--core '-1' is not a whole number" --core -1
refuses "--period '0' is not a number" --period 0
refuses "--on '1s' is not a number" --on 1s
refuses '--on 3 is more than --period 2' --period 2 --on 3
refuses "--start 'later' is not one of on off" --start later
refuses "bench/load: unrecognized option '--fast'" --fast
refuses "bench/load: 'fast' is not an option" fast
done_testing
