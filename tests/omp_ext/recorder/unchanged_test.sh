#!/bin/bash
# Programs do the same while they are recorded: constructs of all kinds, whoever schedules them.
source tests/support/under_keel.sh

# recorded PROGRAM [NAME=VALUE...]: nothing is wrong, nothing is said, and there is a report.
recorded()
{
    local output
    output=$(OMP_CANCELLATION=true checked under_keel KEEL_REPORT="$TEST_TMPDIR/report" "${@:2}" "$(program "../gomp/$1")" 2>&1 |
        sed '/^keel: [a-z]*: no costs for a loop of /d')
    is "$output" '' "$*"
    [ -s "$TEST_TMPDIR/report" ]
    tap_result $? "$*: there is a report"
    rm -f "$TEST_TMPDIR"/report*
}

for name in nesting monotonic tasks clauses ordered doacross old_binaries cancellation iteration_spaces loop_forms \
    agreement host_threads forking; do
    recorded $name
done
recorded loop_forms KEEL_OVERRIDE=dynamic,guided
recorded agreement KEEL_OVERRIDE=dynamic
done_testing
