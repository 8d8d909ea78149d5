#!/bin/bash
# Of regions that take microseconds not all instances are recorded, but all are counted; long ones are all recorded.
source tests/support/under_keel.sh

short=$(program short_regions)
report=$TEST_TMPDIR/report.json

# recorded [NAME=VALUE...]: runs the program; anything that is said.
recorded()
{
    rm -f "$TEST_TMPDIR"/report*
    under_keel KEEL_REPORT="$report" "$@" "$short" 2>&1
}

# figures KIND FIGURE: of all that are of the kind, by name.
figures()
{
    awk -F'[:,]' -v kind="$1" -v figure="$2" '
        /^     "kind"/ { of = $2 }
        /^     "function"/ { function_name = $2 }
        $0 ~ "^     \"" figure "\"" && of ~ kind { gsub(/[ "]/, "", function_name); print function_name, $2 + 0 }' "$report" |
        sort | paste -sd' '
}

# What is recorded of a loop is scaled to all instances of its region, but for rounding.
iterations_stand_for_all()
{
    figures loop iterations | awk '{ exit !($1 == "alone" && $2 >= 99000 && $2 <= 101000 &&
        $5 == "with_loop" && $6 >= 99000 && $6 <= 101000) }'
}

all='alone 10000 lasting 100 often 20000 with_loop 10000'

is "$(recorded)$(figures region instances)" "$all" 'all instances count, and nothing is said'
ok 'those that are recorded stand for the others' iterations_stand_for_all
is "$(figures loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'long instances are all recorded, and loops in regions are none outside'
recorded KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic
is "$(figures region instances)" "$all" 'where Keel schedules the loops'
is "$(figures loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'likewise'
recorded KEEL_TRACE="$TEST_TMPDIR/trace.json"
is "$(figures region instances)" "$all" 'where a trace wants all of them'
is "$(grep -c '"cat":"region".*"tid":0,' "$TEST_TMPDIR/trace.json")" 40100 'which has them'
done_testing
