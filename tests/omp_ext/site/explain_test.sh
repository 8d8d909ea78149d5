#!/bin/bash
# KEEL_EXPLAIN tells at exit, on standard error, which loops ran under which schedule and what was found out about them.
source tests/support/under_keel.sh

explained=$(program explained)
work=$TEST_TMPDIR
line=$(grep -n '^#pragma omp parallel for' tests/omp_ext/site/explained.c | cut -d : -f 1)
place="explained\\.c:$line \\(explained_loop\\)"
time='[0-9.e+]+ (ns|us|ms|s)'
speed='[0-9]\.[0-9]{2}'
candidates='static mfsc gss tss fac2 ss steal af rate'

# explain SCHEDULE ARGUMENT...: what is said about a run; its output goes to $work/out.
explain()
{
    under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE="$1" "$explained" "${@:2}" 2>&1 > "$work/out"
}

# --- what is said ---
text=$(explain rate 20 500 3)
like "$text" "^keel: $place, rate, 3 threads: 20 instances, mean $time\$" 'rate: place, schedule, threads, instances'
like "$text" "^keel:   measured: an iteration takes $time, costs along the loop .* of the mean, speeds( $speed){3}, a chunk costs $time\$" \
    'rate: what was measured'
like "$text" '^keel:   blocks: begin at 0\.000( [01]\.[0-9]{3}){2} of the loop; where they are since [0-9]+ instances' 'rate: blocks'
is "$(grep -vc 'static shares take' <<<"$text")" 3 'rate: nothing else'
is "$(cat "$work/out")" "$((20 * 500 * 499 / 2))" 'the output of the program is untouched'

text=$(explain rate:min=3 7 500 2)
like "$text" "^keel: $place, rate(,|:min=)3, 2 threads: 7 instances, mean $time\$" 'parameters are told'

text=$(explain rate:grain=50 1 500 3)
like "$text" "^keel: $place, rate:grain=50, 3 threads: 1 instances, mean $time\$" 'the grain is told'
# The 500 iterations take three threads no longer than three times what the loop takes; its units are 10.
whole=$(sed -n 's/.* instances, mean //p' <<<"$text")
one=$(sed -n 's/.* an iteration takes \([^,]*\),.*/\1/p' <<<"$text")
ok "times are those of iterations: $one in $whole" awk -v whole="$whole" -v one="$one" '
    BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9
        split(whole, w, " "); split(one, o, " ")
        exit !(o[1] * unit[o[2]] * 500 <= 6 * w[1] * unit[w[2]]) }'

text=$(explain af 20 500 3)
like "$text" "^keel: $place, af, 3 threads: 20 instances, mean $time\$" 'af: place, schedule, threads, instances'
like "$text" "^keel:   measured: an iteration takes the threads $time, $time, $time\$" 'af: what was measured'
like "$text" '^keel:   smallest chunk: [0-9]+ iterations, which last as long as 32 claims; ' 'af: its smallest chunk'
is "$(grep -vc 'static shares take' <<<"$text")" 3 'af: nothing else'

text=$(explain awf 20 500 3)
like "$text" "^keel: $place, awf, 3 threads\$" 'awf: place, schedule, threads'
like "$text" "^keel:   measured: an iteration takes the threads $time, $time, $time\$" 'awf: what was measured'

text=$(explain fac 20 500 3)
like "$text" "^keel: $place, fac\$" 'fac: place, schedule'
like "$text" "^keel:   measured: an iteration takes $time, deviation $time, a chunk costs $time\$" 'fac: what was measured'
like "$text" '^keel:   smallest chunk: [0-9]+ iterations, ' 'fac: its smallest chunk'
is "$(grep -vc 'static shares take' <<<"$text")" 3 'fac: nothing else'

text=$(explain gss 20 500 3)
like "$text" '^keel:   smallest chunk: [0-9]+ iterations, ' 'gss: its smallest chunk'
text=$(explain gss,1 20 500 3)
is "$(grep -c . <<<"$text")" 2 'a stated smallest chunk is not measured'
text=$(explain ss 20 500 3)
like "$text" "^keel:   measured: .*, a chunk costs $time, claims take [0-9]+ % of the time\$" 'ss: what it costs'

text=$(explain auto 100 500 2)
like "$text" "^keel: $place, auto, 2 threads: 100 instances, mean $time\$" 'auto: place, schedule, threads, instances'
like "$text" "^keel:   predicted: $(sed "s/ /,\\ /g; s/,\\ /, /g; s/[a-z0-9]\\+/& $time/g" <<<"$candidates")\$" 'auto: forecasts of all'
like "$text" "^keel:   chosen: ($(tr ' ' '|' <<<"$candidates")|nothing yet) \\([a-z ]+\\), after measuring [0-9]+ times?\$" 'auto: the choice'
text=$(explain auto 1 10 2)
like "$text" "^keel: $place, auto, 2 threads: 1 instances, mean $time\$" 'auto: one instance'
unlike "$text" 'predicted|chosen|seen' 'auto: nothing is predicted from next to nothing'

# A loop without iterations is no instance, and tells nothing about itself.
is "$(explain rate 5 0 2 | sed "s/explained\\.c:$line /PLACE /")" 'keel: PLACE (explained_loop), rate, 2 threads' 'a loop without iterations'

# --- when it is said ---
for value in '' 0; do
    is "$(under_keel KEEL_EXPLAIN=$value KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1 | grep -v "^keel: KEEL_EXPLAIN: it is empty")" \
        $((5 * 100 * 99 / 2)) "nothing is said with KEEL_EXPLAIN='$value'"
done
is "$(under_keel KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1)" $((5 * 100 * 99 / 2)) 'nothing is said without KEEL_EXPLAIN'
is "$(under_keel KEEL_EXPLAIN=yes KEEL_SCHEDULE=rate "$explained" 5 100 2 2>&1 > "$work/out")" \
    "keel: KEEL_EXPLAIN: 'yes' is not 0 or 1; nothing is explained" 'a value that means nothing is named once'
is "$(explain static 5 100 2)" '' 'nothing is said of schedules that measure nothing'
is "$(explain libgomp 5 100 2)" '' "nor of libgomp's"
is "$(under_keel KEEL_EXPLAIN=yes KEEL_SCHEDULE=nonsense KEEL_MEMORY=/ "$(program ../process/host)" 2>&1)" '0 extensions, 0 failures' \
    'a process that comes to no loop says nothing, also if its environment is wrong'
done_testing
