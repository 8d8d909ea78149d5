#!/bin/bash
# KEEL_EXPLAIN tells at exit, on standard error, which loops took the time under which schedule, what was found out about them, and what
# to do.
source tests/support/under_keel.sh

explained=$(program ../site/explained)
work=$TEST_TMPDIR
line=$(grep -n '^#pragma omp parallel for' tests/omp_ext/site/explained.c | cut -d : -f 1)
place="explained\\.c:$line \\(explained_loop\\)"
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

# --- what is said of all loops ---
# A schedule, how it is told, and how many chunks a loop of 500 iterations has in a team of 3; of some that depends.
while read -r schedule told chunks; do
    text=$(explain "${schedule//_/ }" 20 500 3)
    like "$text" "^keel: $place, ${told//_/ }, 3 threads: $time in 20 instances of $time\$" "$schedule: place, schedule, threads, times"
    like "$text" "^keel:   [0-9]+ % of the loops' time; threads waited [0-9.]+ % of it; getting $chunks chunks took about [0-9.]+ %\$" \
        "$schedule: what was waited and how many chunks there were"
    is "$(cat "$work/out")" "$((20 * 500 * 499 / 2))" "$schedule: the output of the program is untouched"
done <<'END'
static static 60
ss ss 10000
css,8 css,8 1260
gss,1 gss,1 [0-9]+
fac2 fac2 [0-9]+
tss,50,10 tss,50,10 [0-9]+
wf2 wf2 [0-9]+
rate rate [0-9]+
af af [0-9]+
steal steal [0-9]+
awf-c awf-c [0-9]+
libgomp libgomp_dynamic,1 10000
END
text=$(OMP_SCHEDULE=guided,7 explain libgomp 20 500 3)
like "$text" "^keel: $place, libgomp guided,7, 3 threads: " "libgomp's own, with its chunks"
text=$(under_keel KEEL_EXPLAIN=1 "$explained" 20 500 3 2>&1 > "$work/out" | unbroken)
like "$text" "^keel: $place, libgomp dynamic,1, 3 threads: " 'nothing asked for'

# --- what Keel has measured ---
text=$(explain rate 20 500 3)
like "$text" "^keel:   measured: an iteration takes $time, from .* of that along the loop; speeds of the threads( $speed){3}; a chunk costs $time\$" \
    'rate: what was measured'
like "$text" '^keel:   blocks: begin at 0\.000( [01]\.[0-9]{3}){2} of the loop, since [0-9]+ instances?; moving them would gain' 'rate: blocks'
unlike "$text" 'auto|smallest chunk' 'rate: nothing of what it does not know'

text=$(explain rate:min=3 7 500 2)
like "$text" "^keel: $place, rate(,|:min=)3, 2 threads: $time in 7 instances" 'parameters are told'

text=$(explain rate:grain=50 1 500 3)
like "$text" "^keel: $place, rate:grain=50(: monotonic:rate:grain=50)?, 3 threads: $time in 1 instance\$" 'the grain is told'
# The 500 iterations take three threads no longer than three times what the loop takes; its units are 10.
whole=$(sed -n 's/.* threads: \(.*\) in 1 instance/\1/p' <<<"$text")
one=$(sed -n 's/.* an iteration takes \([^,]*\),.*/\1/p' <<<"$text")
ok "times are those of iterations: $one in $whole" awk -v whole="$whole" -v one="$one" '
    BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9
        split(whole, w, " "); split(one, o, " ")
        exit !(o[1] > 0 && o[1] * unit[o[2]] * 500 <= 6 * w[1] * unit[w[2]]) }'

text=$(explain af 20 500 3)
like "$text" "^keel:   measured: an iteration takes the threads $time, $time, $time\$" 'af: what was measured'
like "$text" '^keel:   smallest chunk: [0-9]+ iterations?, as long as getting 32 chunks; at most ' 'af: its smallest chunk'
text=$(explain awf 20 500 3)
like "$text" "^keel:   measured: an iteration takes the threads $time, $time, $time\$" 'awf: what was measured'

for schedule in fac gss fac2; do
    text=$(explain $schedule 20 500 3)
    like "$text" "^keel:   measured: an iteration takes $time, deviation $time; a chunk costs $time\$" "$schedule: what was measured"
    like "$text" '^keel:   smallest chunk: [0-9]+ iterations?, ' "$schedule: its smallest chunk"
done
text=$(explain gss,1 20 500 3)
unlike "$text" 'smallest chunk' 'a stated smallest chunk is not measured'
text=$(explain ss 20 500 3)
like "$text" "^keel:   measured: .*; a chunk costs $time\$" 'ss: what it costs'

# --- auto ---
# A run of some 60 ms, of which auto needs 10.
text=$(explain auto 300 500 2)
chosen=$(sed -n 's/^keel:   auto chose \([a-z0-9]*\) (.*/\1/p' <<<"$text")
like "${chosen:-none}" '^(static|mfsc|gss|tss|fac2|ss|steal|af|rate)$' 'auto: what it chose'
like "$text" "^keel: $place, auto(: [a-z0-9]+)?, 2 threads: " 'auto: it is what was asked for'
like "$text" "^keel:   auto chose $chosen \\([a-z, ]+\\), after measuring [0-9]+ times?(; it is [a-z ]+ again)?\$" 'auto: why'
predicted=$(sed -n 's/^keel:   predicted: //p' <<<"$text")
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
like "$text" "^keel:   seen: $chosen $time in [0-9]+ instances?, (as predicted|[0-9]+ % (more|less) than predicted|[0-9]+ times what was predicted)" 'auto: whether it came true'
until_said 'auto has chosen' KEEL_SCHEDULE=auto "$explained" 3 10 2
like "$text" "^keel:   auto has chosen nothing yet: 3 instances, $time in all, too little: it compares schedules once they have taken 10\.0 ms\$" \
    'auto: three short instances are too little, and it says so'
unlike "$text" 'predicted:|chose |seen:' 'auto: nothing is predicted from next to nothing'
until_said 'auto has chosen' KEEL_SCHEDULE=auto "$explained" 5 0 2
like "$text" '^keel:   auto has chosen nothing yet: no instance had iterations to measure$' 'auto: a loop without iterations'

# --- which loops, and in which order ---
loops=$(program loops)
text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=fac2 "$loops" 2>&1 > "$work/out" | unbroken)
like "$(sed -n 's/^keel: loops\.c:[0-9]* (\([a-z_]*\)), fac2, .*/\1/p' <<<"$text" | tr '\n' ' ')" '^longest_loop long_loop ' \
    'the longest loop comes first'
like "$text" "^keel: [1-9] more loops? took $time, [0-5] % of the loops' time\$" 'short ones are counted in one line'
is "$(tail -n 1 <<<"$text" | grep -c 'more loop')" 1 'which is the last'
shares=$(sed -n "s/^keel:   \([0-9]*\) % of the loops' time; .*/\1/p" <<<"$text" | tr '\n' ' ')
ok "their shares fall, and make up nearly all: $shares" awk -v shares="$shares" '
    BEGIN {
        count = split(shares, s, " ")
        for (i = 1; i <= count; i++) {
            if (i > 1 && s[i] > s[i - 1]) exit 1
            sum += s[i]
        }
        exit !(count >= 2 && sum >= 94 && sum <= 102)
    }'

# --- advice ---
until_said 'try steal' KEEL_SCHEDULE=ss "$loops" fine
like "$text" '^keel:   advice: (chunks cost as much as iterations|getting chunks takes [0-9]+ % of the time): try steal,[0-9]+ \(up to .* less\)$' \
    'a loop of a few ns an iteration, one at a time, gets a hint'
until_said 'keel cflags' "$loops" built
like "$text" '^keel: loops\.c:[0-9]+ \(built_loop\), a parallel region, 2 threads: ' 'a loop with static shares of the compiler is told of'
like "$text" '^keel:   advice: if it is a loop with static shares: compile with `keel cflags`, then try fac2 \(up to .* less\)$' \
    'and how it comes under Keel, as one thread has nearly all of its work'

# --- names and columns ---
names=$(program names)
text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto "$names" 2>&1 > "$work/out")
like "$text" '^keel: names\.cc:[0-9]+ \(tissue::Grid::relax\), auto' 'a method of a C++ template goes by its name'
unlike "$text" '_Z|_omp_fn|<' 'as a person would write it'
unlike "$text" '.{101}' 'no line is longer than 100 columns'
ok 'a paragraph has at most a dozen lines' awk '/^keel: [^ ]/ { lines = 0; ++paragraphs } ++lines > 12 { long = 1 } END { exit !paragraphs || long }' <<<"$text"
if command -v gfortran > "$work/found"; then
    gfortran -g -O2 -fopenmp -J "$work" tests/omp_ext/explain/names.f90 -o "$work/names_f"
    text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=fac2 "$work/names_f" 2>&1 > "$work/out")
    like "$text" '^keel: names\.f90:[0-9]+ \((tissue::)?relax\), fac2' 'a procedure of a Fortran module goes by its name'
    unlike "$text" '_MOD_' 'not by that of the linker'
fi

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
