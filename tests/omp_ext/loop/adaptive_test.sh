#!/bin/bash
# Loops that measure themselves execute each iteration exactly once, whatever changes from one instance to the next.
source tests/support/under_keel.sh

for schedule in rate auto af maf aid afs lds steal ich binlpt lpt; do
    few=few
    [[ "$(each_day 'auto lds' "$schedule")" != *$schedule* ]] || few=
    OMP_CANCELLATION=true KEEL_SCHEDULE=$schedule ok "adaptive under $schedule" passes adaptive $few
done
done_testing
