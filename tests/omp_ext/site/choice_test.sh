#!/bin/bash
# Who chooses the schedule of a loop, and what is printed of it.
source tests/support/under_keel.sh

# --- the program's teams of one show where chunks begin ---

show=$(program show_chunks)
by_25='0 25 50 75'
by_30='0 30 60 90'
by_40='0 40 80'
runtime_loops='combined separate wide monotonic nonmonotonic serial ordered'
dynamic_loops='dynamic dynamic_separate dynamic_wide dynamic_ordered dynamic_wide_ordered dynamic_conditional monotonic_dynamic'
guided_loops='guided guided_separate guided_wide guided_ordered guided_wide_ordered guided_conditional monotonic_guided'

# all_loops CHUNKS LOOP...: what show_chunks prints when every LOOP has these chunks.
all_loops()
{
    printf "%s: $1\n" "${@:2}"
}

# line_of TEXT: the line of show_chunks.c that holds it.
line_of()
{
    grep -nF "/* $1 */" "$(keel_path tests/omp_ext/site/show_chunks.c)" | cut -d: -f1
}

# shows NAME WANTED COMMAND...: what the command prints, standard error included.
shows()
{
    same "$("${@:3}" 2>&1)" "$2" "$1"
}

# --- every family of entry points ---
shows 'KEEL_SCHEDULE reaches every runtime loop' "$(all_loops "$by_25" $runtime_loops)" \
    under_keel KEEL_SCHEDULE=css,25 "$show" $runtime_loops
shows 'factoring by halves has the chunks of its definition' "$(all_loops '0 50 75 88 94 97 99' $runtime_loops)" \
    under_keel KEEL_SCHEDULE=fac2 "$show" $runtime_loops
shows 'a minimum chunk is common to all schedules' 'combined: 0 50 75 95' \
    under_keel KEEL_SCHEDULE=fac2 KEEL_MIN_CHUNK=20 "$show" combined
shows 'min in the schedule ranks over KEEL_MIN_CHUNK' 'combined: 0 50 75 88 98' \
    under_keel KEEL_SCHEDULE=fac2:min=10 KEEL_MIN_CHUNK=20 "$show" combined

shows 'a grain is common to all schedules' 'combined: 0 60 80' \
    under_keel KEEL_SCHEDULE=fac2 KEEL_GRAIN=20 "$show" combined
shows 'grain in the schedule ranks over KEEL_GRAIN' 'combined: 0 70' \
    under_keel KEEL_SCHEDULE=fac2:grain=35 KEEL_GRAIN=20 "$show" combined
shows 'a clause and a grain are both kept to' 'dynamic: 0 80' \
    under_keel KEEL_SCHEDULE=ss KEEL_GRAIN=16 KEEL_OVERRIDE=dynamic "$show" dynamic

shows 'a modifier does not make a rule of a schedule with named parameters' 'combined: 0 50 75 88 98' \
    under_keel KEEL_SCHEDULE='monotonic:fac2:min=10' "$show" combined

# --- KEEL_OVERRIDE ---
shows 'explicit clauses are libgomp'"'"'s' "$(all_loops "$by_40" $dynamic_loops; all_loops 0 $guided_loops)" \
    under_keel KEEL_SCHEDULE=css,25 "$show" $dynamic_loops $guided_loops
# Their clauses say 40 and 60, so that 50 becomes 80 and, as that ends the loop, 100.
shows 'KEEL_OVERRIDE=dynamic leaves guided loops alone' "$(all_loops '0 80' $dynamic_loops; all_loops 0 $guided_loops)" \
    under_keel KEEL_SCHEDULE=css,50 KEEL_OVERRIDE=dynamic "$show" $dynamic_loops $guided_loops
shows 'KEEL_OVERRIDE=guided leaves dynamic loops alone' "$(all_loops "$by_40" $dynamic_loops; all_loops '0 60' $guided_loops)" \
    under_keel KEEL_SCHEDULE=css,50 KEEL_OVERRIDE=guided "$show" $dynamic_loops $guided_loops
shows 'KEEL_OVERRIDE takes over both' "$(all_loops '0 80' $dynamic_loops; all_loops '0 60' $guided_loops)" \
    under_keel KEEL_SCHEDULE=css,50 KEEL_OVERRIDE=dynamic,guided "$show" $dynamic_loops $guided_loops
shows 'KEEL_OVERRIDE without a schedule changes nothing' "$(all_loops "$by_40" $dynamic_loops)" \
    under_keel KEEL_OVERRIDE=dynamic,guided "$show" $dynamic_loops

# --- OMP_SCHEDULE ---
shows 'OMP_SCHEDULE may name a schedule of Keel' "$(all_loops '0 50 75 91' $runtime_loops)" \
    under_keel OMP_SCHEDULE=fac2,16 "$show" $runtime_loops
shows 'children of the program see OMP_SCHEDULE as it was' fac2,16 \
    under_keel OMP_SCHEDULE=fac2,16 bash -c 'printenv OMP_SCHEDULE'
shows 'a program of its own kind inherits it, too' 'combined: 0 50 75 91' \
    under_keel OMP_SCHEDULE=fac2,16 bash -c "$show combined"
shows 'omp_set_schedule rules over OMP_SCHEDULE' "combined: $(seq -s ' ' 0 3 99)" \
    under_keel OMP_SCHEDULE=fac2,16 "$show" set_dynamic_3 combined
shows 'OMP_SCHEDULE=dynamic,30 is libgomp'"'"'s' "$(all_loops "$by_30" $runtime_loops)" \
    under_keel OMP_SCHEDULE=dynamic,30 "$show" $runtime_loops
shows 'OMP_SCHEDULE=monotonic:dynamic,30 is libgomp'"'"'s' "$(all_loops "$by_30" combined)" \
    under_keel OMP_SCHEDULE=monotonic:dynamic,30 "$show" combined
shows 'without Keel it is the same' "$(all_loops "$by_30" $runtime_loops)" \
    env OMP_SCHEDULE=dynamic,30 "$show" $runtime_loops

# --- nothing asked for ---
all="$runtime_loops $dynamic_loops $guided_loops two_loops"
shows 'a library that is not asked for anything changes nothing' "$("$show" $all 2>&1)" under_keel "$show" $all
shows 'KEEL_SCHEDULE=libgomp changes nothing' "$("$show" $all 2>&1)" under_keel KEEL_SCHEDULE=libgomp "$show" $all
shows 'KEEL_SCHEDULE=libgomp leaves OMP_SCHEDULE to libgomp' "$(all_loops "$by_30" $runtime_loops)" \
    under_keel KEEL_SCHEDULE=libgomp OMP_SCHEDULE=dynamic,30 "$show" $runtime_loops

# --- who ranks over whom ---
shows 'KEEL_SCHEDULE ranks over OMP_SCHEDULE' "combined: $by_25" \
    under_keel KEEL_SCHEDULE=css,25 OMP_SCHEDULE=fac2 "$show" combined
shows 'KEEL_SCHEDULE ranks over omp_set_schedule' "combined: $by_25" \
    under_keel KEEL_SCHEDULE=css,25 "$show" set_dynamic_3 combined
shows 'KEEL_SCHEDULE ranks over keel_set_schedule' $'ask: 2\n'"combined: $by_25" \
    under_keel KEEL_SCHEDULE=css,25 "$show" ask:fac2 combined
shows 'keel_set_schedule ranks over OMP_SCHEDULE' $'ask: 0\n'"combined: $by_25" \
    under_keel OMP_SCHEDULE=fac2 "$show" ask:css,25 combined
shows 'of keel_set_schedule and omp_set_schedule the later holds' \
    $'ask: 0\n'"combined: $(seq -s ' ' 0 3 99)"$'\nask: 0\n'"combined: $by_40" \
    under_keel "$show" ask:css,25 set_dynamic_3 combined ask:css,40 combined

# --- rules for single loops ---
shows 'rules pick loops by function and by line' \
    "$(printf '%s\n' "combined: $by_25" 'separate: 0 20 40 60 80' "wide: $by_30" "two_loops: 0 80 0 50")" \
    under_keel KEEL_SCHEDULE="css,25; separate=css,20; show_chunks.c:$(line_of 'the wide loop')=css,30; show_chunks.c:$(line_of 'the first of two')=css,40" \
    "$show" combined separate wide two_loops
shows 'the first rule that means a loop decides' "separate: $by_40" \
    under_keel KEEL_SCHEDULE="separate=css,40; show_chunks.c:$(line_of 'the separate loop')=css,20" "$show" separate
shows 'a rule may leave a loop to libgomp' "$(printf '%s\n' "separate: $by_30" "combined: $by_25")" \
    under_keel OMP_SCHEDULE=dynamic,30 KEEL_SCHEDULE='css,25; separate=libgomp' "$show" separate combined
shows 'rules alone leave the other loops to libgomp' "$(printf '%s\n' "separate: $by_25" "combined: $by_30")" \
    under_keel OMP_SCHEDULE=dynamic,30 KEEL_SCHEDULE='separate=css,25' "$show" separate combined
shows 'rules rank over keel_set_schedule, which holds elsewhere' \
    "$(printf '%s\n' 'ask: 0' "separate: $by_25" "combined: $by_40")" \
    under_keel KEEL_SCHEDULE='separate=css,25' "$show" ask:css,40 separate combined
shows 'a rule means a serial loop' "serial: $by_40" under_keel KEEL_SCHEDULE='serial=css,40' "$show" serial
shows 'rules reach loops with explicit clauses only by KEEL_OVERRIDE' "dynamic_separate: $by_40" \
    under_keel KEEL_SCHEDULE='dynamic_separate=css,25' "$show" dynamic_separate
shows 'rules reach them by KEEL_OVERRIDE' "dynamic_separate: 0 80" \
    under_keel KEEL_SCHEDULE='dynamic_separate=css,50' KEEL_OVERRIDE=dynamic "$show" dynamic_separate

# --- measured schedules ---
for schedule in fac fsc tap bold; do
    chunks=$(under_keel KEEL_SCHEDULE=$schedule "$show" combined)
    is "$chunks" 'combined: 0 50 75 88 94 97 99' "$schedule measures the first instance in halves"
done
# The measurement is done once, and a team of one has nothing to balance.
for schedule in fac fsc tap bold; do
    chunks=$(under_keel KEEL_SCHEDULE=$schedule "$show" combined combined combined)
    same "$(sed -n 2p <<<"$chunks")" "$(sed -n 3p <<<"$chunks")" "$schedule keeps what it has measured"
done
is "$(under_keel KEEL_SCHEDULE=fsc "$show" combined combined | tail -n 1)" 'combined: 0' \
    'fsc runs as measured from the second instance on'

# --- the mark for keel run ---
mark=$TEST_TMPDIR/mark
: > "$mark"
same "$(under_keel KEEL_SEEN="$mark" "$show" combined; cat "$mark")" "$("$show" combined)" 'no mark when libgomp schedules every loop'
under_keel KEEL_SEEN="$mark" KEEL_SCHEDULE=gss "$show" $all > /dev/null
is "$(cat "$mark")" 1 'one mark when Keel schedules loops'

# --- KEEL_EXPLAIN: what was measured of each loop, and what `auto` predicted, chose and saw ---

explained=$(program explained)
work=$TEST_TMPDIR
time='[0-9.]+ (ns|us|ms|s)'
speed='[0-9]\.[0-9]{2}'

# explain SCHEDULE ARGUMENT...: what is said about a run, its lines made whole; its output goes to $work/out.
explain()
{
    under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE="$1" "$explained" "${@:2}" 2>&1 > "$work/out" | unbroken
}

# Other programs on the machine may make more of a difference than the loop does, but not each time.
# until_said PATTERN NAME=VALUE... ARGUMENT...: sets `text`.
until_said()
{
    for _ in 1 2 3 4 5 6; do
        text=$(under_keel KEEL_EXPLAIN=1 "${@:2}" 2>&1 > "$work/out" | unbroken)
        grep -qE "$1" <<<"$text" && return
    done
}

# --- what Keel has measured ---
text=$(explain rate 20 500 3)
like "$text" "^ +measured: an iteration takes $time, from .* of that along the loop; speeds of the threads( $speed){3}; a chunk costs $time\$" \
    'rate: what was measured'
like "$text" '^ +blocks: begin at 0\.000( [01]\.[0-9]{3}){2} of the loop, since [0-9]+ instances?; moving them would gain' 'rate: blocks'
unlike "$text" 'auto|smallest chunk' 'rate: nothing of what it does not know'

text=$(explain rate:grain=50 1 500 3)
# The 500 iterations take three threads no longer than three times what the loop takes; its units are 10.
whole=$(awk '/ explained\.c:/ && !/region/ { print $2 }' <<<"$text")
one=$(sed -n 's/.* an iteration takes \([^,]*\),.*/\1/p' <<<"$text")
ok "times are those of iterations: $one in $whole s" awk -v whole="$whole" -v one="$one" '
    BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9
        split(one, o, " ")
        exit !(o[1] > 0 && o[1] * unit[o[2]] * 500 <= 6e9 * whole) }'

text=$(explain af 20 500 3)
like "$text" "^ +measured: an iteration takes the threads $time, $time, $time\$" 'af: what was measured'
like "$text" '^ +smallest chunk: [0-9]+ iterations?, as long as getting 32 chunks; at most ' 'af: its smallest chunk'
text=$(explain awf 20 500 3)
like "$text" "^ +measured: an iteration takes the threads $time, $time, $time\$" 'awf: what was measured'

for schedule in fac gss fac2; do
    text=$(explain $schedule 20 500 3)
    like "$text" "^ +measured: an iteration takes $time, deviation $time; a chunk costs $time\$" "$schedule: what was measured"
    like "$text" '^ +smallest chunk: [0-9]+ iterations?, ' "$schedule: its smallest chunk"
done
text=$(explain gss,1 20 500 3)
unlike "$text" 'smallest chunk' 'a stated smallest chunk is not measured'
text=$(explain ss 20 500 3)
like "$text" "^ +measured: .*; a chunk costs $time\$" 'ss: what it costs'

# --- auto ---
# A run of some 60 ms, of which auto needs 10.
text=$(explain auto 300 500 2)
chosen=$(sed -n 's/^ *auto chose \([a-z0-9]*\) (.*/\1/p' <<<"$text")
like "${chosen:-none}" '^(static|mfsc|gss|tss|fac2|ss|steal|af|rate)$' 'auto: what it chose'
like "$text" "^ +auto chose $chosen \\([a-z, ]+\\), after measuring [0-9]+ times?(; it is [a-z ]+ again)?\$" 'auto: why'
predicted=$(sed -n 's/^ *predicted: //p' <<<"$text")
is "$(grep -oE '\b(static|mfsc|gss|tss|fac2|ss|steal|af|rate)\b' <<<"$predicted" | sort | tr '\n' ' ')" \
    'af fac2 gss mfsc rate ss static steal tss ' 'auto: forecasts of all that it compared'
ok 'auto: the best forecast first' awk -v text="$predicted" '
    BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9
        count = split(text, words, /[ ,;:]+/)
        for (i = 1; i < count; i++)
            if (words[i] ~ /^[0-9.]+$/ && words[i + 1] in unit) {
                time = words[i] * unit[words[i + 1]]
                if (time < 0.99 * last) exit 1
                last = time; times++
            }
        exit times < 2 }'
like "$text" "^ +seen: $chosen $time in [0-9]+ instances?, (as predicted|[0-9]+ % (more|less) than predicted|[0-9]+ times what was predicted)" 'auto: whether it came true'
until_said 'auto has chosen' KEEL_SCHEDULE=auto "$explained" 3 10 2
like "$text" "^ +auto has chosen nothing yet: 3 instances, $time in all, too little: it compares schedules once they have taken 10\.0 ms\$" \
    'auto: three short instances are too little, and it says so'
unlike "$text" 'predicted:|chose |seen:' 'auto: nothing is predicted from next to nothing'
until_said 'auto has chosen' KEEL_SCHEDULE=auto "$explained" 5 0 2
like "$text" '^ +auto has chosen nothing yet: no instance had iterations to measure$' 'auto: a loop without iterations'

# --- advice ---
until_said 'try steal' KEEL_SCHEDULE=ss "$explained" fine
like "$text" 'fine_loop: ss -> (chunks cost as much as iterations|getting chunks takes [0-9]+ % of the time): try steal,[0-9]+ \(up to .* less\)$' \
    'a loop of a few ns an iteration, one at a time, gets a hint'

# --- when it is said ---
# Nothing is known of a loop without iterations.
unlike "$(explain rate 5 0 2)" 'measured|blocks' 'a loop without iterations'
for value in '' 0; do
    is "$(under_keel KEEL_EXPLAIN=$value KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1 | grep -v "^keel: KEEL_EXPLAIN: it is empty")" \
        $((5 * 100 * 99 / 2)) "nothing is said with KEEL_EXPLAIN='$value'"
done
is "$(under_keel KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1)" $((5 * 100 * 99 / 2)) 'nothing is said without KEEL_EXPLAIN'
is "$(under_keel KEEL_EXPLAIN=yes KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1 > "$work/out")" \
    "keel: KEEL_EXPLAIN: 'yes' is not 0 or 1; nothing is explained" 'a value that means nothing is named once'
is "$(under_keel KEEL_EXPLAIN=yes KEEL_SCHEDULE=nonsense KEEL_MEMORY=/ "$(program ../process/host)" 2>&1)" '0 extensions, 0 failures' \
    'a process that comes to no loop says nothing, also if its environment is wrong'

done_testing
