#!/bin/bash
# Commands of bench/ on one processor: they run what they say, and print what they say; and a program of theirs, which
# computes the same under every schedule.
source tests/bench/bench_command.sh

# --- demo: bench/demo runs every schedule, and prints and draws what it says ---

bench demo demo_dir/draw
picture=$TEST_TMPDIR/folder/rows.png
usual=(--threads 2 --repeat 1 --pictures 1 --size 60 --output "$picture")

# size_of PNG: signature, width and height, by its first bytes.
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

KEEL_SCHEDULE=css,7 succeeds --schedules 'ss css,30'
is "$(grep -cE "^(libgomp )?[a-z]+(,30)?( +$number){5}$" <<<"$table")" 5 'five schedules have a row'
is "$(cell css,30 1)" 2 'a schedule has the parameters that it is given'

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

KEEL_SCHEDULE=tss succeeds --threads 1,2
for schedule in static ss css gss tss tfss fac2 fac wf2 fsc mfsc tap bold fiss viss pls rnd; do
    is "$(grep -cE "^$schedule +$schedule[^ ]* .*[0-9]" <<<"$table")" 6 \
        "$schedule, one and two threads: a chunk and two kinds of start are timed"
done
is "$(row 'a chunk, 2 threads (chunk, schedule(runtime))' loaded | grep -cE " $number$")" 1 'a library that nothing is asked of is compared with none'
unlike "$table" ' (-[0-9.]+|0|0\.0+|nan|inf)( |$)' 'every value is positive'

refuses "--threads '1,two' is not a list" --threads 1,two

# --- load: what bench/rows and bench/imbalance measure beside computes and sleeps as requested, and accounts for the CPU
# time that it takes ---

load=$(keel_path bench/support/competing_load)

# field N ROW
field()
{
    cut -d, -f"$1" <<<"$2"
}

# Phases are long, for it may wake up late. A signal ends it in the first one, the second one, or the third one.
loads()
{
    "$load" 0 "$1" "$2" "$3" >"$TEST_TMPDIR/rows" &
    pid=$!
    sleep "$4"
    kill $pid
    wait $pid
    is $? 0 "SIGTERM ends it: ${*:1:3}"
    rows=$(<"$TEST_TMPDIR/rows")
    is "$(head -n 1 <<<"$rows")" 'unix_s,state,cpu_s,computing_s' 'its rows have a heading'
    last=$(tail -n 1 <<<"$rows")
    like "$last" '^[0-9.]+,end,[0-9.]+,[0-9.]+$' 'and its figures at the end'
}

loads 1 0.4 10 1.7
is "$(tail -n +2 <<<"$rows" | cut -d, -f2 | tr '\n' ' ')" 'on off on off end ' 'it computes and sleeps in turns'
ok 'it computes as long as it should, more or less' holds "$(field 4 "$last") > 0.4 && $(field 4 "$last") < 1.2"
begun=$(field 3 "$(sed -n 2p <<<"$rows")")
ok 'and gets no more CPU time than that' holds "$(field 3 "$last") - $begun <= $(field 4 "$last") + 0.05"
ok 'but some' holds "$(field 3 "$last") - $begun > 0"
slept=$(awk -F, '$2 == "off" { begun = $3; next } begun != "" { sum += $3 - begun; begun = "" } END { print sum }' <<<"$rows")
ok 'sleeping takes none' holds "$slept < 0.02"

loads 0.1 0.1 -1 0.6
is "$(grep -c . <<<"$rows")" 2 'without a log there is one row'
ok 'it computes all the time where that is the period' holds "$(field 4 "$last") >= 0.45"
loads 10 0 0.1 0.5
ok 'and never where it is to sleep' holds "$(field 4 "$last") == 0"
ok 'it writes rows now and then' test "$(grep -c off <<<"$rows")" -ge 2

# Who starts one for a measurement may end first.
PID_FILE=$TEST_TMPDIR/pid bash -c '"$0" "$@" & echo $! >"$PID_FILE"; sleep 0.2; kill -KILL $$' \
    "$load" 0 0.01 0.005 -1 >/dev/null 2>&1
for ((left = 20 * tap_patience_s; left > 0; left--)); do
    state=$(sed 's/.*) //; s/ .*//' "/proc/$(<"$TEST_TMPDIR/pid")/stat" 2>/dev/null) # none, or a zombie
    [[ $state == [RSD] ]] || break
    sleep 0.05
done
ok 'a load ends with its parent' test "$left" -gt 0

like "$("$load" 100000 1 1 -1 2>&1)" '^keel: the competing load cannot run on core 100000$' 'a core that is not there'

# --- fine: bench/fine runs each program plainly, with the plugin and under schedules ---

bench fine fine_dir/drawn
usual=(--repeat 2 --threads 2)

KEEL_SCHEDULE=ss succeeds --programs 'loops hydro' --schedules 'static fac2'
like "$messages" '^keel: hydro, round 2 of 2$' 'away from a terminal, progress comes in lines'
for what in loops hydro; do
    like "$table" "^$what +time, us +of plain$" "$what has its table"
done
for variant in 'plugin, no Keel' 'plugin, Keel, nothing asked for' static fac2; do
    is "$(grep -cE "^$variant( +$number){2}$" <<<"$table")" 2 "$variant has a row in each"
done
is "$(grep -cE "^plain +$number +1\.000$" <<<"$table")" 2 'the plain build is compared with itself'

succeeds --programs 'late start rows34_runtime' --schedules rate
like "$table" "^rate, uneven at once( +$number){2}$" 'a loop that becomes uneven is beside one that is from the beginning'
like "$table" "^start +time, us +of plain$" 'processes have their table'
like "$table" "^runtime, no Keel( +$number){2}$" 'schedule(runtime) has its rows'
drawn()
{
    run --programs drawn --draws 2 --repeat 1 --schedules static --seed "$1" "${@:2}" 2>/dev/null
}
shapes='^(region|orphaned|lasting|nested|hosts)( +[0-9]+){3}'
table=$(drawn 7)
like "$table" '^drawn, seed 7$' 'the seed is printed'
is "$(grep -cE "$shapes( +$number){3}$" <<<"$table")" 2 'each drawn program has a line'
for line in mean worst; do
    like "$table" "^$line( +$number){3}$" "and there is their $line"
done
is "$(drawn 7 | grep -oE "$shapes")" "$(grep -oE "$shapes" <<<"$table")" 'a seed draws the same programs again'
ok 'another one draws others' [ "$(drawn 8 | grep -oE "$shapes")" != "$(grep -oE "$shapes" <<<"$table")" ]

# The median of an odd and of an even number of rounds, with a time that is longer as a text.
source bench/support/setup.sh
is "$(awk "$awk_median"'BEGIN { print median("9 100 10"), median(" 9 100 10 20"), median("7") }')" '10 15 7' \
    'the median is the one in the middle, or the mean of the two'

refuses "--programs 'lops' is not one of loops short .* drawn; nothing is run" --programs lops

# --- hydro: a code with pairs of nowait loops gives the same energy to the last digit under every schedule, beside a
# competing program, and with a thread that is held up in the first loop of each pair ---

library=$(keel_path omp_ext/libkeel.so)
keel=$(keel_path keel)
hydro=$(keel_path bench/apps/hydro)
taken=$(keel_path bench/apps/hydro_keel)
careless=$(keel_path bench/apps/hydro_nowait)
for variable in ${!KEEL_@} ${!OMP_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive KEEL_WEIGHTS=1,2

# energy PROGRAM [NAME=VALUE...]
energy()
{
    local program=$1
    shift
    timeout 50 env "$@" "$program" 400 60 500 2>/dev/null | grep '^energy'
}

expected=$(energy "$hydro" OMP_NUM_THREADS=1)
like "$expected" '^energy 1\.[0-9]{10,}$' 'the energy has all its digits'
is "$(energy "$hydro")" "$expected" 'static shares of the plain build keep pairs together'
is "$(energy "$taken")" "$expected" 'and those of the build with the plugin'
like "$(nm -u "$taken")" keel_worksharing_begin 'the plugin takes the other loops'

# It ends with this script, however that ends.
nice -n 19 bash -c "while [ -e /proc/$$ ]; do :; done" &
spinning=$!
wrong=0
for schedule in $("$keel" list --names); do
    is "$(energy "$taken" LD_PRELOAD="$library" KEEL_SCHEDULE="$schedule")" "$expected" "the same energy under $schedule"
    [ "$(energy "$careless" LD_PRELOAD="$library" KEEL_SCHEDULE="$schedule")" = "$expected" ] || wrong=$((wrong + 1))
done
kill "$spinning"
# Whether these go wrong is a matter of time, so nothing depends on it.
diag "with --nowait, which is not true of this code, $wrong schedules gave another energy"

done_testing
