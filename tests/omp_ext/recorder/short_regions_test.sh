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

is "$(counted)" '3000 20000' 'all instances count'
is "$(counted KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic)" '3000 20000' 'where Keel schedules the loops'
is "$(counted KEEL_TRACE="$TEST_TMPDIR/trace.json")" '3000 20000' 'where a trace wants all of them'
is "$(grep -c '"cat":"region".*"tid":0,' "$TEST_TMPDIR/trace.json")" 23000 'which has them'
done_testing
