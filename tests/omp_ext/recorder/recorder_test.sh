#!/bin/bash
# Recordings of regions and loops agree with programs' own measurements, however the programs end.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
keel=$(keel_path keel)
measured=$(program measured)

# agree RECORDING: with the lines of the program.
agree()
{
    "$keel" report --json -o "$TEST_TMPDIR/compared.json" --from "$1"
    is "$("$(program compared.pl)" "$TEST_TMPDIR/compared.json" "$TEST_TMPDIR/lines" 2>&1)" agrees "$2"
}

# agrees NAME [NAME=VALUE...]: with the program's own clocks.
agrees()
{
    rm -f "$work"/report*
    under_keel KEEL_REPORT="$work/report" "${@:2}" "$measured" "$work/lines" _exit 2>"$work/messages"
    agree "$work/report.recording" "$1"
}

agrees 'all loops are libgomp'\''s'
for schedule in fac2 ss gss steal rate auto static wf2; do
    agrees "KEEL_SCHEDULE=$schedule" KEEL_SCHEDULE=$schedule KEEL_OVERRIDE=dynamic,guided
done
agrees 'one thread at a time' OMP_DYNAMIC=false KEEL_SCHEDULE=awf
is "$(cd "$work" && ls report* && cat messages)" report.recording 'which leaves its recording, and nothing is said'

# --- instances are counted: of those that take microseconds not all are recorded, long ones are ---

regions=$(program regions)
report=$TEST_TMPDIR/report.json

# recorded WHAT [NAME=VALUE...]: runs the program; anything that is said.
recorded()
{
    rm -f "$TEST_TMPDIR"/report*
    under_keel KEEL_REPORT="$report" "${@:2}" "$regions" "$1" 2>&1
}

# values KIND MEMBER: of all of the kind, by name.
values()
{
    perl -MJSON::PP -0ne 'print join " ", sort map { "$_->{function} $_->{'"$2"'}" }
        grep { $_->{kind} eq "'"$1"'" } @{decode_json($_)->{processes}[0]{loop}}' "$report"
}

# Recorded values of a loop are scaled to all instances of its region, except for rounding.
iterations_are_weighted()
{
    values loop iterations | awk '{ right = $1 == "alone" && $2 >= 99000 && $2 <= 101000 &&
        $5 == "with_loop" && $6 >= 99000 && $6 <= 101000 }
        END { exit !right }'
}

all='alone 10000 lasting 100 often 20000 with_loop 10000'

is "$(recorded short)$(values region instances)" "$all" 'all instances count, without a message'
ok 'recorded ones are weighted for the others' iterations_are_weighted
is "$(values loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'long instances are all recorded, and loops in regions are none outside'
recorded short KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic
is "$(values region instances)" "$all" 'where Keel schedules the loops'
is "$(values loop iterations | cut -d' ' -f3,4,7)" 'lasting 180' 'and of loops'
recorded short KEEL_TRACE="$TEST_TMPDIR/trace.json"
is "$(values region instances)" "$all" 'where a trace wants all of them'
is "$(grep -c '"cat":"region".*"tid":0,' "$TEST_TMPDIR/trace.json")" 40100 'which has them'

# --- a region whose teams grow ---
is "$(recorded growing KEEL_SCHEDULE=fac2)" 2640 'teams that grow: the program computes what it should'
is "$(values region instances)" 'growing 40' 'it is counted once each time'
said=$(perl -MJSON::PP -0ne '
    my $process = decode_json($_)->{processes}[0];
    my ($region) = grep { $_->{kind} eq "region" } @{$process->{loop}};
    print "$process->{summary}{threads} threads";
    print ", longer than the run" if $region->{elapsed_s} > $process->{elapsed_s};' "$report")
is "$said" '3 threads' 'which takes no longer than the run, and no more threads than the largest team has'

# --- none is lost while one of two threads prepares the report ---
for run in {1..10}; do
    output=$(recorded initial_threads KEEL_SCHEDULE=fac2)
    is "$output" '148500 148500' "results, run $run, and nothing is said"
    is "$(values loop instances) $(values loop iterations)" 'open_regions 60 open_regions 6000' "all loops are counted, run $run"
    is "$(values region instances)" 'open_regions 60' "all regions are, run $run"
done

# --- Keel leaves the heap as it is when teams start, and the size from which blocks are mapped ---

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

# --- at night: programs do the same while they are recorded ---

# unchanged PROGRAM [NAME=VALUE...]: nothing is wrong, nothing is said, and there is a report.
unchanged()
{
    local output
    output=$(OMP_CANCELLATION=true checked under_keel KEEL_REPORT="$TEST_TMPDIR/report" "${@:2}" "$(program "../gomp/$1")" 2>&1 |
        sed '/^keel: [a-z]*: no costs for a loop of /d')
    is "$output" '' "$*"
    [ -s "$TEST_TMPDIR/report" ]
    tap_result $? "$*: there is a report"
    rm -f "$TEST_TMPDIR"/report*
}

if nightly; then
    for name in nesting monotonic clauses ordered old_binaries cancellation iteration_spaces loop_forms \
        agreement host_threads forking; do
        unchanged $name
    done
    unchanged loop_forms KEEL_OVERRIDE=dynamic,guided
    unchanged agreement KEEL_OVERRIDE=dynamic
fi

# --- however a program ends, what was recorded so far is there ---

work=$TEST_TMPDIR/folder
mkdir "$work"
leaving=$(program leaving)

# left HOW [NAME=VALUE...]: the program's exit code and output; messages go to a file.
left()
{
    under_keel "${@:2}" "$leaving" "$1" 2>"$work/messages"
    printf 'exit %s\n' $?
}

# kept FILE: places of the recording with their instances and iterations.
kept()
{
    "$keel" report --json -o "$TEST_TMPDIR/kept.json" --from "$1"
    perl -MJSON::PP -0ne 'print join " ", sort map { "$_->{kind} $_->{instances}x$_->{iterations}" }
        grep { $_->{kind} ne "part" } @{decode_json($_)->{processes}[0]{loop}}' "$TEST_TMPDIR/kept.json"
}

files()
{
    (cd "$work" && find . -type f ! -name messages | sort | sed 's,^./,,' | paste -sd' ')
}

sum='sum 1596000'
good=$sum$'\nexit 3'
one='loop 20x8000 region 20x0'

for how in exit quick_exit; do
    under_keel KEEL_REPORT="$work/report" "$measured" "$TEST_TMPDIR/lines" $how
    is "$? $(files)" '3 report' "$how: the report is there, and no recording"
    like "$(cat "$work/report")" ' measured\.c:[0-9]+$' "$how: the report names loops"
    rm "$work"/report*
done
under_keel KEEL_REPORT="$work/report" "$measured" "$TEST_TMPDIR/lines" kill 2>/dev/null
is "$(files)" report.recording 'a program that is killed leaves its recording'
agree "$work/report.recording" 'it is right'
rm "$work"/report*

is "$(left loop KEEL_REPORT="$work/report")" "$good" 'the program is left alone'
is "$(files) $(cat "$work/messages")" 'report ' 'its report is there, without a message'
rm "$work"/report*
is "$(left loop KEEL_REPORT=1)" "$good" 'with a report on standard error'
like "$(cat "$work/messages")" 'leaving.c:[0-9]+' 'it names the loop'
is "$(left loop KEEL_REPORT=0; cat "$work/messages"; files)" "$good" 'KEEL_REPORT=0 asks for nothing, and no file is made'

is "$(left signal KEEL_REPORT="$work/report" 2>/dev/null)" "$sum"$'\nexit 137' 'killed by a signal'
is "$(kept "$work/report.recording")" "$one" 'what was recorded is there'
is "$(left signal_in_region KEEL_REPORT="$work/report" 2>/dev/null)" "$sum"$'\nexit 137' 'killed in a region'
is "$(kept "$work/report.recording")" "${one/region/region 1x0 region}" 'the running region counts'
is "$(files)" report.recording 'a later program has replaced the recording'
is "$(left exit_in_region KEEL_REPORT="$work/report")" "$good" 'exit() in a region'
is "$(files)" report 'leaves a report'
rm "$work"/report*

is "$(left exec KEEL_REPORT="$work/report")" "$sum"$'\n'"$good" 'a program that becomes another one'
is "$(files)" 'report report.recording' 'leaves its recording, and the other one its report'
is "$(kept "$work/report.recording")" "$one" 'the recording is whole'
rm "$work"/report*
is "$(left exec_shell KEEL_REPORT="$work/report")" "$good" 'a program that becomes a shell'
is "$(files) $(kept "$work/report.recording")" "report.recording $one" 'leaves its recording'
rm "$work"/report*

is "$(left fork KEEL_REPORT="$work/report.json")$(cat "$work/messages")" "$good" 'a program with a child'
is "$(files) $(grep -c child_loop "$work/report.json")" 'report.json 0' \
    'what the child does is not in the report'
rm "$work"/report*
is "$(left fork_first KEEL_REPORT="$work/report%p")$(cat "$work/messages")" "$good" 'a child that comes to a loop first'
like "$(files)" '^report[0-9]+ report[0-9]+$' 'processes that begin after a fork have reports of their own'
rm "$work"/report*

is "$(left close_all KEEL_REPORT="$work/report")$(files)" "$sum"$'\n'"${good}report" 'a program that closes all files'
rm "$work"/report*
is "$(left close_stderr KEEL_REPORT="$work/report")$(files)" "${good}report" 'a program without standard error'
rm "$work"/report*
is "$(left close_stderr KEEL_REPORT=1)" "$good" 'and a report that would go there'
is "$(cd "$work" && left elsewhere KEEL_REPORT=report)$(files)" "$sum"$'\n'"${good}report" 'a program that changes its folder'
rm "$work"/report*

is "$(left no_large_files KEEL_REPORT="$work/report")" "$good" 'files may not grow'
like "$(cat "$work/messages")" 'report.recording. cannot be written: File too large' 'a message says so'
is "$(files)" report 'the report is small enough'
rm -f "$work"/report*
is "$(left no_large_files_later KEEL_REPORT="$work/report")" "$sum"$'\n'"$good" 'files may not grow any more'
like "$(cat "$work/messages")" 'no room to record more places: File too large' 'another message says so'
like "$(cat "$work/report")" 'no room to record [0-9]+ more places' 'the report is there, and says so, too'
rm -f "$work"/report*
is "$(left many_places KEEL_REPORT="$work/report")$(cat "$work/messages")" "$good" 'many places'
is "$(left few_addresses KEEL_REPORT=1 2>/dev/null)" "$good" 'few addresses'
rm -f "$work"/report*

if mount -t tmpfs -o size=64k tmpfs "$work" 2>/dev/null; then
    is "$(under_keel KEEL_REPORT="$work/report" "$leaving" many_places 2>"$TEST_TMPDIR/messages"; echo "exit $?")" "$good" 'a full disk'
    like "$(cat "$TEST_TMPDIR/messages")" 'No space left' 'a message says so'
    umount "$work"
else
    skip 'a full disk' 'no file systems can be mounted here'
fi

done_testing
