#!/bin/bash
# Loops that measure themselves, grain, and the trace in CSV.
source tests/support/under_keel.sh

# --- each iteration exactly once, whatever changes from one instance to the next ---

for schedule in rate auto af maf aid afs lds steal ich binlpt lpt; do
    few=few
    [[ "$(each_day 'auto lds' "$schedule")" != *$schedule* ]] || few=
    OMP_CANCELLATION=true KEEL_SCHEDULE=$schedule ok "adaptive under $schedule" passes adaptive $few
done

# --- loops keep to the chunk size of their clause, and to the grain that a schedule states ---

export KEEL_OVERRIDE=dynamic,guided

schedules='static ss css,5 gss tss tfss fac2 fac wf2 fsc mfsc tap bold fiss viss pls rnd awf awf-b awf-c awf-d awf-e af maf aid
    rate afs lds steal ich binlpt lpt auto'
with_grains='steal:grain=6 gss:grain=64 rate:grain=10 fac:grain=9 css,10:grain=16 tss,300,20:grain=4 awf-c:grain=5 binlpt:grain=12
    static,3:grain=8 fac2:min=30,grain=7 ss:grain=1000 auto:grain=4 aid,10:grain=3 af:grain=18446744073709551615'

# With fewer team sizes, too, by day.
for schedule in $schedules $(each_day 'steal:grain=6 css,10:grain=16 tss,300,20:grain=4 binlpt:grain=12 static,3:grain=8' "$with_grains"); do
    passes grain forms $schedule
done
for schedule in $schedules; do
    passes grain bitmap $schedule # 200 rounds, nightly 2,000
done
passes grain costs binlpt binlpt,5 lpt lpt:grain=10,min=25 binlpt:grain=6
passes grain task_reduction $schedules
passes grain no_size $schedules
passes grain longest $schedules $with_grains

unset KEEL_OVERRIDE

# --- KEEL_TRACE in CSV has the chunks of the trace in JSON (../trace), and shares what the program writes to ---

program=$(program traced)
trace=$TEST_TMPDIR/trace.csv
export OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=2

# traced PART [NAME=VALUE...]: what the program says; its trace goes to $trace.
traced()
{
    rm -f "$trace"
    under_keel KEEL_TRACE="$trace" "${@:2}" "$program" "$1" 2>&1
}

# instances: COUNT x ITERATIONS of the instances in the trace that have all their iterations once, and what is wrong.
instances()
{
    tail -n +2 "$trace" | sort -t, -k1,1 -k2,2n -k4,4n | awk -F, '
        NF != 6 || $4 >= $5 || $6 < 0 || $6 > 60e9 || $3 >= 3 { print "wrong: " $0 }
        $2 != instance || $1 != loop { if (NR > 1) seen[at]++; loop = $1; instance = $2; at = 0 }
        $4 != at { print "not once: " $0 }
        { at = $5 }
        END { seen[at]++; for (n in seen) print seen[n] "x" n }' | sort | tr '\n' ' '
}

for schedule in rate gss; do
    is "$(traced in_region KEEL_SCHEDULE="$schedule")$(instances)" '3x30 3x50 ' \
        "$schedule: all iterations of all instances are in the trace, and nothing is said"
done
is "$(head -n 1 "$trace")" 'loop,instance,thread,first,last,time_ns' 'the first line names the fields'
is "$(tail -n +2 "$trace" | cut -d, -f1 | sort -u)" "$(awk '/pragma omp for/ { print NR + 1 }' tests/omp_ext/loop/traced.c | head -n 2 |
    sed 's/.*/traced.c:& (in_region)/' | sort)" 'loops have their places in the source for names'

is "$(traced forking_first KEEL_SCHEDULE=ss)$(instances)" '1x100 ' \
    'children that are forked are not traced, also where they come to a loop first'
is "$(traced cancelled KEEL_SCHEDULE=static OMP_CANCELLATION=true)$(awk -F, '$4 == 0' "$trace" | wc -l)" 4 \
    'chunks that are cancelled are traced'
is "$(traced in_region)$(instances)" '3x30 3x50 ' "libgomp's loops are traced"

many='keel: KEEL_TRACE: limit of 1000000 chunks reached; later ones are left out'
rm -f "$trace"

# --- files that are open already, and pipes ---
at=$TEST_TMPDIR
# entries FILE: how many iterations it has, with the header before them.
entries()
{
    awk -F, '/^loop,instance,thread,first,last,time_ns$/ { header++ } /^traced\.c:/ { sum += $5 - $4 } END { print header "x" sum }' "$1"
}
for name in /dev/stdout /dev/fd/1 "$at/out"; do
    printf 'before\n' >"$at/out"
    under_keel KEEL_TRACE="$name" KEEL_SCHEDULE=gss "$program" printing >>"$at/out" 2>"$at/messages"
    is "$(head -n 4 "$at/out" | tr '\n' ' ')$(entries "$at/out")$(cat "$at/messages")" \
        'before loop,instance,thread,first,last,time_ns first last 1x100' "$name: what is there and what the program writes stays"
done
under_keel KEEL_TRACE=/dev/stdout KEEL_SCHEDULE=gss "$program" printing 2>&1 | cat >"$at/out"
is "$(sed -n 2,3p "$at/out" | tr '\n' ' ')$(entries "$at/out")$(wc -l <"$at/out")" "first last 1x100$((3 + $(grep -c '^traced' "$at/out")))" \
    'standard output is a pipe'
under_keel KEEL_TRACE=/dev/stderr KEEL_SCHEDULE=gss "$program" printing 2>&1 >/dev/null | cat >"$at/out"
is "$(entries "$at/out")" 1x100 'standard error is a pipe'
is "$(under_keel KEEL_TRACE=/dev/fd/7 KEEL_SCHEDULE=gss "$program" printing 2>&1 7>"$at/out")$(entries "$at/out")" $'first\nlast1x100' \
    'any descriptor'
is "$(under_keel KEEL_TRACE=/dev/fd/77 KEEL_SCHEDULE=gss "$program" printing 2>&1)" \
    "keel: KEEL_TRACE: '/dev/fd/77' cannot be written: Bad file descriptor; nothing is traced"$'\nfirst\nlast' 'one that is not open: message'

mkfifo "$at/pipe"
timeout "$tap_patience_s" cat "$at/pipe" >"$at/out" &
is "$(traced many KEEL_TRACE="$at/pipe" KEEL_SCHEDULE=ss 2>&1)" "$many" 'too many chunks for a named pipe with a reader: message'
wait $!
is "$(wc -l <"$at/out")" 1000001 'a named pipe with a reader: it gets everything'

done_testing
