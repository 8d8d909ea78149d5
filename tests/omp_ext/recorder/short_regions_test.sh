#!/bin/bash
# Of regions that take microseconds not all instances are recorded, but all are counted.
source tests/support/under_keel.sh

short=$(program short_regions)

# counted [NAME=VALUE...]: the numbers of instances of its two regions.
counted()
{
    rm -f "$TEST_TMPDIR"/report*
    under_keel KEEL_REPORT="$TEST_TMPDIR/report.json" "$@" "$short" 2>&1
    awk -F'[:,]' '/"kind"/ { kind = $2 } /"instances"/ && kind ~ /region/ { print $2 + 0 }' "$TEST_TMPDIR/report.json" |
        sort -n | paste -sd' '
}

# What is recorded of a loop is scaled to all instances of its region, but for rounding.
iterations_stand_for_all()
{
    awk -F'[:,]' '/"kind"/ { kind = $2 } /^     "iterations"/ && kind ~ /loop/ { all = $2 }
        END { exit !(all >= 99000 && all <= 101000) }' "$TEST_TMPDIR/report.json"
}

is "$(counted)" '10000 20000' 'all instances count'
ok 'those that are recorded stand for the others' iterations_stand_for_all
is "$(counted KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic)" '10000 20000' 'where Keel schedules the loops'
is "$(counted KEEL_TRACE="$TEST_TMPDIR/trace.json")" '10000 20000' 'where a trace wants all of them'
is "$(grep -c '"cat":"region".*"tid":0,' "$TEST_TMPDIR/trace.json")" 30000 'which has them'
done_testing
