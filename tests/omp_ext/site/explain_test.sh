#!/bin/bash
# KEEL_EXPLAIN tells at exit, on standard error, in the report: what was measured of each loop, what follows from that, and what `auto`
# predicted, chose and saw.
source tests/support/under_keel.sh

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
until_said 'try steal' KEEL_SCHEDULE=ss "$(program fine_loop)"
like "$text" 'fine_loop: ss -> (chunks cost as much as iterations|getting chunks takes [0-9]+ % of the time): try steal,[0-9]+ \(up to .* less\)$' \
    'a loop of a few ns an iteration, one at a time, gets a hint'

# --- when it is said ---
# A loop without iterations tells nothing about itself.
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
