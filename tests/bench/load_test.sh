#!/bin/bash
# bench/load computes and sleeps as it is told, and accounts for the CPU time that it takes. What
# else the machine does may keep it waiting for the core, so that it may get less than it wants.
source tests/support/tap.sh

load=$(keel_path bench/load)
built=$(keel_path bench/load_dir/program)
built=${built%/bench/*}

run_load()
{
    timeout "$tap_patience_s" "$load" --built "$built" "$@"
}

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
rows=$(run_load --period 1 --on 0.4 --seconds 2 --log)
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

rows=$(run_load --period 0.1 --on 0.1 --seconds 0.5)
is "$(grep -c . <<<"$rows")" 2 'without --log there is one row'
ok 'it computes all the time where --on is the period' holds "$(field 4 "$(tail -n 1 <<<"$rows")") >= 0.45"
rows=$(run_load --period 0.1 --on 0 --seconds 0.3)
ok 'and never where it is 0' holds "$(field 4 "$(tail -n 1 <<<"$rows")") == 0"
rows=$(run_load --period 10 --on 4 --start off --seconds 0.3 --every 0.1)
is "$(tail -n +2 <<<"$rows" | cut -d, -f2 | sort -u | tr '\n' ' ')" 'end off ' '--start off: it begins by sleeping'
ok '--every: it writes rows now and then' test "$(grep -c off <<<"$rows")" -ge 2

# The script becomes the program: a signal goes to the one who computes.
for option in --on=10 --on=0; do
    rm -f "$TEST_TMPDIR/rows" # of the one before
    "$load" --built "$built" --period 10 "$option" >"$TEST_TMPDIR/rows" &
    pid=$!
    until grep -qs unix_s "$TEST_TMPDIR/rows"; do
        sleep 0.02
    done
    kill $pid
    wait $pid
    is $? 0 "SIGTERM ends it, $option"
    like "$(tail -n 1 "$TEST_TMPDIR/rows")" '^[0-9.]+,end,[0-9.]+,[0-9.]+$' "with its figures, $option"
done

# refuses STATUS MESSAGE OPTION...
refuses()
{
    local messages
    messages=$(run_load --seconds 1 "${@:3}" 2>&1 >/dev/null)
    is $? "$1" "${*:3}: it is refused"
    like "$messages" "^keel: bench/load: $2" "${*:3}: the message says why"
}

refuses 1 'cannot run on core 100000; nothing is run' --core 100000
refuses 2 "--core '-1' is not a whole number" --core -1
refuses 2 "--period '0' is not a number of seconds from 0.001" --period 0
refuses 2 "--period 'nan' is not a number" --period nan
refuses 2 "--on '1s' is not a number of seconds from 0" --on 1s
refuses 2 '--on 3 is more than --period 2' --period 2 --on 3
refuses 2 "--start 'later' is not on or off" --start later
refuses 2 "unrecognized option '--fast'" --fast
refuses 2 "'fast' is not an option" fast
refuses 2 '--built needs a folder' --built
like "$(run_load --help)" '^usage: bench/load' '--help prints the usage'
clear_help run_load
done_testing
