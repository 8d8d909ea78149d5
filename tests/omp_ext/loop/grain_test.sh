#!/bin/bash
# Loops that are taken over keep to the chunk size of their clause, and to the grain that a schedule states, under every schedule.
source tests/support/under_keel.sh

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
done_testing
