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

# --- instances of regions ---
#
# Instances of regions are counted: of those that take microseconds not all are recorded, long ones are; teams that
# grow; threads that open their first regions at the same time.

regions=$(program regions)
report=$TEST_TMPDIR/report.json

# recorded WHAT [NAME=VALUE...]: runs the program; anything that is said.
recorded()
{
    rm -f "$TEST_TMPDIR"/report*
    under_keel KEEL_REPORT="$report" "${@:2}" "$regions" "$1" 2>&1
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

is "$(recorded short)$(figures region instances)" "$all" 'all instances count, and nothing is said'
ok 'those that are recorded stand for the others' iterations_stand_for_all
is "$(figures loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'long instances are all recorded, and loops in regions are none outside'
recorded short KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic
is "$(figures region instances)" "$all" 'where Keel schedules the loops'
is "$(figures loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'likewise'
recorded short KEEL_TRACE="$TEST_TMPDIR/trace.json"
is "$(figures region instances)" "$all" 'where a trace wants all of them'
is "$(grep -c '"cat":"region".*"tid":0,' "$TEST_TMPDIR/trace.json")" 40100 'which has them'

# --- a region whose teams grow ---
is "$(recorded growing KEEL_SCHEDULE=fac2)" 2640 'teams that grow: the program computes what it should'
said=$(perl -MJSON::PP -0777 -ne '
    my $process = decode_json($_)->{processes}[0];
    my ($region) = grep { $_->{kind} eq "region" } @{$process->{loop}};
    printf "%d times, %d threads, %s\n", $region->{instances}, $process->{threads},
        $region->{elapsed_s} <= $process->{elapsed_s} ? "within the run" : "longer than the run";
    my $threads = $process->{summary}{threads};
    print "$threads threads in the summary\n" if defined $threads;' "$report")
like "$said" '^40 times, 3 threads, within the run$' 'it is counted once each time'
unlike "$said" '^[4-9] threads' 'no more threads than the largest team has'

# --- none is lost while one of two threads prepares the report ---
for run in {1..10}; do
    output=$(recorded initial_threads KEEL_SCHEDULE=fac2)
    is "$output" '148500 148500' "results, run $run, and nothing is said"
    is "$(figures loop instances) $(figures loop iterations)" 'open_regions 60 open_regions 6000' "all loops are counted, run $run"
    is "$(figures region instances)" 'open_regions 60' "all regions are, run $run"
done

# --- the heap ---
#
# Keel leaves the heap of the program, and of libgomp, as it is when teams start, and the size from which blocks are
# mapped.

heap=$(program heap)
# Beside any library that has something per thread: some versions of glibc note where that is on the heap.
gcc -shared -fPIC -ftls-model=initial-exec -xc - -o "$TEST_TMPDIR/per_thread.so" <<<'__thread int per_thread;'
alone=$(LD_PRELOAD=$TEST_TMPDIR/per_thread.so "$heap")

like "$(xargs <<<"$alone")" '^[0-9]+ given back mapped$' 'without Keel'
same "$(under_keel "$heap")" "$alone" 'with Keel'
same "$(under_keel KEEL_REPORT="$TEST_TMPDIR/report" "$heap")" "$alone" 'with a report in a file'
same "$(under_keel KEEL_REPORT=1 "$heap" 2>/dev/null)" "$alone" 'with one on standard error'
for variable in KEEL_TRACE=trace.csv KEEL_EXPLAIN=1 KEEL_MEMORY=memory KEEL_SCHEDULE=rate; do
    is "$(cd "$TEST_TMPDIR" && under_keel KEEL_SCHEDULE=auto "$variable" "$heap" 2>/dev/null |
        tail -n 2 | xargs)" 'given back mapped' "$variable: memory that is freed"
done

done_testing
