#!/bin/bash
# Commands of bench/ on one processor: they run what they say, and print what they say.
source tests/bench/command.sh

# --- demo: bench/demo runs every schedule, and prints and draws what it says ---

bench demo demo_dir/program
picture=$TEST_TMPDIR/folder/rows.png
usual=(--threads 2 --repeat 1 --pictures 1 --size 60 --output "$picture")

# size_of PNG: signature, width and height, as its first bytes tell.
size_of()
{
    local bytes
    read -ra bytes <<<"$(od -An -v -tu1 -N24 "$1" | tr '\n' ' ')"
    printf '%s %d %d\n' "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" \
        $((bytes[18] * 256 + bytes[19])) $((bytes[22] * 256 + bytes[23]))
}

# cell LABEL COLUMN: from the right, 1 is the last column.
cell()
{
    awk -v label="$1" -v column="$2" 'index($0, label " ") == 1 { print $(NF + 1 - column) }' <<<"$table"
}

succeeds
like "$table" '^schedule +time \[ms\] +/ libgomp static +/ libgomp dynamic +imbalance \[%\] +chunks$' 'the table has its heading'
is "$(grep -c '^keel: run' <<<"$messages")" 1 'away from a terminal, progress is a line a run'
like "$table" '^Divided equally \(libgomp static\), rows keep the busiest thread busy [0-9]+ % longer than the mean;$' \
    'a sentence says what is shown'
for schedule in $("$(keel_path keel)" list --names); do
    like "$table" "^$schedule( +$number){4} +[0-9]+\$" "$schedule has its row"
done
for expected in 'libgomp static:2' 'libgomp dynamic:60' ss:60 gss:6; do # gss: 30, 15, 8, 4, 2 and 1
    is "$(cell "${expected%:*}" 1)" "${expected#*:}" "${expected%:*}: its chunks of 60 rows"
done
is "$(cell 'libgomp static' 4)" 1.000 "libgomp's static is compared with itself"
is "$(size_of "$picture")" '89504e470d0a1a0a 136 60' 'the picture is a PNG of two panels'

KEEL_SCHEDULE=css,7 prints_csv --schedules 'ss css,30'
is "$(grep -cE ',[0-9.]+(e[+-][0-9]+)?,(ms|%|1)$' <<<"$table")" 25 'CSV has five metrics for each of the five schedules'
like "$table" '^demo,mandelbrot; threads=2,"css,30",chunks,2,1$' 'a variant with a comma is quoted'

succeeds --dry-run --output "$TEST_TMPDIR/none.png"
like "$messages" 'runs 1 times under each schedule with 2 threads, .*; nothing is done$' '--dry-run says what would be done'
ok 'and does nothing' test ! -e "$TEST_TMPDIR/none.png"

refuses "--threads 'none' is not a whole number" --threads none
refuses "--built '$TEST_TMPDIR' has no folder bench" --built "$TEST_TMPDIR"

# --- dispatch: bench/dispatch times every schedule beside its baselines, and prints what it says ---

bench dispatch dispatch_dir/sampler
usual=(--repeat 1 --sweeps 2)

succeeds --threads 2
like "$table" '^command: bench/dispatch .*--sweeps 2' 'the command line is printed'
like "$table" '^variant +as +chunks +ns/chunk +1st quartile +3rd quartile +/ dynamic,1 +/ guided +/ fetch-add$' 'chunks have their heading'
like "$table" '^variant +as +chunks +ns/loop +1st quartile +3rd quartile +/ dynamic +/ static$' 'starts have their heading'
like "$table" '^bare fetch-add +N = 2000 +2000 .* 1\.000$' 'the bare counter gives a chunk per iteration'
like "$table" '^libgomp dynamic,1 +N = 2000 +2000 .* 1\.000 +[0-9.]+ +[0-9.]+$' "libgomp's dynamic does too"
like "$table" '^ss +ss, N = 2000 +2000 ' 'so does ss'
like "$table" '^gss +gss, N = 2\^60 +61 ' 'gss halves what is left, and has one chunk more'
like "$table" '^static +static,500, N = 1000000 +2000 ' 'static has chunks of 500'
like "$messages" '^keel: 2 thread\(s\): round 1 of 1$' 'away from a terminal, progress comes in lines'

KEEL_SCHEDULE=tss prints_csv --threads 1,2
for schedule in static ss css gss tss tfss fac2 fac wf2 fsc mfsc tap bold fiss viss pls rnd; do
    is "$(grep -cE "^dispatch,(chunk|parallel for|for nowait|for); threads=[12],$schedule,median," <<<"$table")" 8 \
        "$schedule, one and two threads: a chunk and three kinds of start are timed"
done
like "$table" '^dispatch,"idle chunk, schedule\(runtime\); threads=2",loaded,ratio to not loaded,[0-9.e+-]+,1$' 'a library that nothing is asked of is compared with none'
unlike "$(tail -n +2 <<<"$table")" ',(-[0-9.]+|0),[^,]*$' 'every value is positive'

refuses "--threads '1,two' is not a list" --threads 1,two

# --- load: bench/load computes and sleeps as it is told, and accounts for the CPU time that it takes. What else the
# machine does may keep it waiting for the core, so that it may get less than it wants. ---

bench load load_dir/program
usual=()

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
