#!/bin/bash
# What is recorded of regions and loops agrees with what the program has measured itself, whoever schedules its loops.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
compared=$(program compared)
measured=$(program measured)

# agrees NAME [NAME=VALUE...]: with the program's own clocks.
agrees()
{
    rm -f "$work"/report*
    under_keel KEEL_REPORT="$work/report" "${@:2}" "$measured" "$work/lines" _exit 2>"$work/messages"
    ok "$1" checked "$compared" "$work/report.recording" "$work/lines"
}

agrees 'all loops are libgomp'\''s'
for schedule in fac2 ss gss steal rate auto static wf2; do
    agrees "KEEL_SCHEDULE=$schedule" KEEL_SCHEDULE=$schedule KEEL_OVERRIDE=dynamic,guided
done
agrees 'one thread at a time' OMP_DYNAMIC=false KEEL_SCHEDULE=awf
is "$(cd "$work" && ls report* && cat messages)" report.recording 'which leaves its recording, and nothing is said'

done_testing
