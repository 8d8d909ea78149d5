#!/bin/bash
# What cannot be used in the environment, and programs with a decimal comma.
source tests/support/under_keel.sh

# --- it is named in one message that says what happens instead; the program runs on, rightly ---

show=$(program ../site/show_chunks)

# says MESSAGE CHUNKS NAME=VALUE...: the program prints these chunks, exits with 0, and standard error holds this one line.
says()
{
    local output status
    output=$(under_keel "${@:3}" "$show" combined separate 2> "$TEST_TMPDIR/messages")
    status=$?
    is "$status
$(cat "$TEST_TMPDIR/messages")
$output" "0
keel: $1
combined: $2
separate: $2" "${*:3}"
}

one_by_one=$(seq -s ' ' 0 99)
halves='0 50 75 88 94 97 99'
by_25='0 25 50 75'
largest=9223372036854775807
largest_grain=18446744073709551615

# Without a schedule, libgomp's own is OMP_SCHEDULE's, here: dynamic,25.
unscheduled='OMP_SCHEDULE=dynamic,25'

# --- schedules ---
says "KEEL_SCHEDULE: 'gss' is a second schedule for all loops; ignored" "$by_25" KEEL_SCHEDULE='css,25; gss'

# --- parameters ---
says "KEEL_SCHEDULE: chunk '0' is not a whole number from 1 to $largest; using the schedule's default" "$one_by_one" \
    KEEL_SCHEDULE=css,0
says "KEEL_MIN_CHUNK: '0' is not a whole number from 1 to $largest; measured costs decide" "$halves" \
    KEEL_MIN_CHUNK=0 KEEL_SCHEDULE=fac2
says "KEEL_GRAIN: '0' is not a whole number from 1 to $largest_grain; using 1" "$halves" \
    KEEL_GRAIN=0 KEEL_SCHEDULE=fac2
says "OMP_SCHEDULE: min '0' is not a whole number from 1 to $largest; using 1" "$halves" OMP_SCHEDULE=fac2,0

# --- weights ---
says "KEEL_WEIGHTS: '1,a' is not a list of up to 1024 numbers from 1e-6 to 1e6; using equal weights" "$halves" \
    KEEL_WEIGHTS=1,a KEEL_SCHEDULE=wf2
is "$(under_keel KEEL_WEIGHTS=1,2,3 KEEL_SCHEDULE=wf2 "$(program ../site/explained)" 3 200 2 2>&1)" \
    $'keel: KEEL_WEIGHTS: 3 weights, but a team has 2 threads; using equal weights for teams of another size\n59700' \
    'weights that do not match the team, reported once'
for threads in 1 3; do
    is "$(under_keel KEEL_WEIGHTS=1,2,3 KEEL_SCHEDULE=wf2 "$(program ../site/explained)" 1 200 $threads 2>&1)" 19900 \
        "weights that match the team, or a team of one: $threads"
done

# --- rules ---
says "KEEL_SCHEDULE: rule '=gss' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE; ignored" "$by_25" \
    KEEL_SCHEDULE='=gss; css,25'
says "KEEL_SCHEDULE: unknown schedule 'gsss', nearest is 'gss'; the rule is ignored" "$by_25" \
    KEEL_SCHEDULE='css,25; combined=gsss'
says "KEEL_SCHEDULE: unknown schedule ''; the rule is ignored" "$by_25" \
    KEEL_SCHEDULE='css,25; combined='
is "$(under_keel KEEL_SCHEDULE='css,25; nowhere=gss,2,3' "$show" combined 2>&1 >/dev/null | head -n 1)" \
    "keel: KEEL_SCHEDULE: gss takes at most 1 value by position; '3' is ignored" 'too many values in a rule'
is "$(under_keel KEEL_SCHEDULE='css,25; separate=gsss; separate=css,40' "$show" separate 2>/dev/null)" \
    'separate: 0 40 80' 'a rule that is ignored does not hide the next one'
rules=$(printf 'nowhere%d=gss;' {1..65})
is "$(under_keel KEEL_SCHEDULE="$rules css,25" "$show" combined 2>&1 >/dev/null | head -n 1)" \
    "keel: KEEL_SCHEDULE: 'nowhere65=gss' is one rule more than 64; ignored" 'too many rules'

# --- variables ---
says "KEEL_SCHEDUL: no such variable, nearest is 'KEEL_SCHEDULE'; ignored" "$by_25" KEEL_SCHEDUL=gss KEEL_SCHEDULE=css,25
is "$(under_keel KEEL_MPI_ANYTHING=1 KEEL_SCHEDULE=css,25 "$show" combined 2>&1)" "combined: $by_25" \
    'variables of the library across nodes are not unknown'

# --- nothing ---
for variable in KEEL_MIN_CHUNK KEEL_SCHEDULE KEEL_OVERRIDE KEEL_WEIGHTS KEEL_MEMORY KEEL_EXPLAIN KEEL_TRACE KEEL_SEEN; do
    for value in '' ' '; do
        says "$variable: it is empty, and counts as not set" "$by_25" OMP_SCHEDULE=dynamic,25 $variable="$value"
    done
done

# --- each wrong thing has its own message, in order ---
is "$(under_keel KEEL_MIN_CHUNK=x KEEL_OVERRIDE=dynamik,guided KEEL_X=1 KEEL_SCHEDULE='gsx; f:0=gss' $unscheduled "$show" combined 2>&1)" \
    "keel: KEEL_MIN_CHUNK: 'x' is not a whole number from 1 to $largest; measured costs decide
keel: KEEL_SCHEDULE: unknown schedule 'gsx', nearest is 'gss'; using libgomp's own schedule
keel: KEEL_SCHEDULE: rule 'f:0=gss' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE; ignored
keel: KEEL_OVERRIDE: 'dynamik' is not static, dynamic, guided or nonmonotonic; ignored
keel: KEEL_X: no such variable; ignored
combined: $by_25" 'several wrong things'

# --- the mark that cannot be left ---
is "$(under_keel KEEL_SEEN=/nonexistent/mark KEEL_SCHEDULE=css,25 "$show" combined 2>&1)" "combined: $by_25" \
    'a mark that cannot be left does no harm'
touch "$TEST_TMPDIR/mark"
is "$( (ulimit -f 0 && under_keel KEEL_SEEN="$TEST_TMPDIR/mark" KEEL_SCHEDULE=css,25 "$show" combined 2>&1) | cat)" \
    "combined: $by_25" 'nor one that is longer than files may be'

# --- messages that cannot be written ---
mkfifo "$TEST_TMPDIR/pipe"
exec {reader}<>"$TEST_TMPDIR/pipe" {unread}>"$TEST_TMPDIR/pipe" {reader}<&-
is "$(under_keel KEEL_SCHEDULE=gsss KEEL_REPORT=1 $unscheduled "$show" combined 2>&$unread; echo $?)" "combined: $by_25
0" 'standard error has no reader'
exec {unread}>&-
is "$( (ulimit -f 0 && under_keel KEEL_SCHEDULE=gsss $unscheduled "$show" combined 2>"$TEST_TMPDIR/messages"; echo $?) | cat)" \
    "combined: $by_25
0" 'standard error is a file as long as files may be'

# --- a decimal comma: what Keel reads and writes has a point, as everywhere else ---

set_locale=$(keel_path tests/support/set_locale.so)
memory=$TEST_TMPDIR/memory
make_locale de_DE UTF-8
make_locale ps_AF UTF-8 # its decimal point takes two bytes

# in_locale NAME [NAME=VALUE...] COMMAND...: under Keel, with the locale's numbers.
in_locale()
{
    under_keel LC_ALL="$1.UTF-8" LD_PRELOAD="$library:$set_locale" "${@:2}"
}

# shares LOCALE [NAME=VALUE...]: iterations that each of two threads begins with under wf2.
shares()
{
    in_locale "$@" "$(program ../places/first_chunks)" 2 1000 2>&1 | awk '/^[01] / { print $3 - $2 }' | xargs
}

for locale in de_DE ps_AF; do
    is "$(shares $locale KEEL_SCHEDULE=wf2 KEEL_WEIGHTS=0.5,1.5)" '125 375' "$locale: weights"
    is "$(shares $locale KEEL_SCHEDULE=wf2 KEEL_WEIGHTS=' 1.5e-1 , .45')" '125 375' "$locale: weights with blanks"
    is "$(shares $locale KEEL_SCHEDULE='wf2; nowhere=fac:mu=1.5,sigma=.5' KEEL_WEIGHTS=0.5,1.5)" '125 375' "$locale: parameters"
    text=$(in_locale $locale KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto "$(program ../site/explained)" 20 500 2 2>&1 >/dev/null | unbroken)
    like "$text" 'speeds of the threads [0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2}; a chunk' "$locale: explanations have points"
    unlike "$text" '[0-9],[0-9]|٫' "$locale: and nothing else"

    rm -f "$memory"
    is "$(in_locale $locale KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: a memory is kept"
    is "$(grep -c '٫' "$memory")" 0 "$locale: with points"
    is "$(under_keel KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: which is read elsewhere"
    is "$(in_locale $locale KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: and comes back"

    is "$(in_locale $locale KEEL_TRACE="$TEST_TMPDIR/trace" KEEL_SCHEDULE=gss OMP_NUM_THREADS=2 "$(program ../loop/traced)" in_region 2>&1
        sed -E '1d; s/^[^,]*,[0-9]+,[01],[0-9]+,[0-9]+,[0-9]+$/fields/' "$TEST_TMPDIR/trace" | uniq)" fields "$locale: a trace has its fields"
done

done_testing
