#!/bin/bash
# However a program ends, what was recorded so far is there, and the program does what it does without Keel.
source tests/support/under_keel.sh

work=$TEST_TMPDIR/folder
mkdir "$work"
leaving=$(program leaving)
compared=$(program compared)
measured=$(program measured)

# left HOW [NAME=VALUE...]: the program's exit code and output; messages go to a file.
left()
{
    under_keel "${@:2}" "$leaving" "$1" 2>"$work/messages"
    printf 'exit %s\n' $?
}

# kept FILE: places of the recording with their instances and iterations.
kept()
{
    "$compared" "$1" | awk '/^(region|loop) / { print $1, $4, $5 }' | sort | uniq -c | awk '{ $1 = $1; print }' | paste -sd' '
}

files()
{
    (cd "$work" && find . -type f ! -name messages | sort | sed 's,^./,,' | paste -sd' ')
}

good=$'sum 499500\nexit 3'
one='1 loop instances=1 iterations=1000 1 region instances=1 iterations=0'

for how in exit quick_exit; do
    under_keel KEEL_REPORT="$work/report" "$measured" "$TEST_TMPDIR/lines" $how
    is "$? $(files)" '3 report' "$how: the report is there, and no recording"
    like "$(cat "$work/report")" ' measured\.c:[0-9]+$' "$how: the report names loops"
    rm "$work"/report*
done
under_keel KEEL_REPORT="$work/report" "$measured" "$TEST_TMPDIR/lines" kill 2>/dev/null
is "$(files)" report.recording 'a program that is killed leaves its recording'
ok 'it is right' checked "$compared" "$work/report.recording" "$TEST_TMPDIR/lines"
rm "$work"/report*

is "$(left loop KEEL_REPORT="$work/report")" "$good" 'the program is left alone'
is "$(files) $(cat "$work/messages")" 'report ' 'its report is there, and nothing is said'
rm "$work"/report*
is "$(left loop KEEL_REPORT=1)" "$good" 'with a report on standard error'
like "$(cat "$work/messages")" 'leaving.c:[0-9]+' 'it names the loop'
is "$(left loop KEEL_REPORT=0; cat "$work/messages"; files)" "$good" 'KEEL_REPORT=0 asks for nothing, and no file is made'

is "$(left signal KEEL_REPORT="$work/report" 2>/dev/null)" $'sum 499500\nexit 137' 'killed by a signal'
is "$(kept "$work/report.recording")" "$one" 'what was recorded is there'
is "$(left signal_in_region KEEL_REPORT="$work/report" 2>/dev/null)" $'sum 499500\nexit 137' 'killed in a region'
like "$(kept "$work/report.recording")" '^1 loop instances=1 iterations=1000 2 region instances=1 iterations=0$' \
    'the region that runs counts'
is "$(files)" report.recording 'a later program has replaced the recording'
is "$(left exit_in_region KEEL_REPORT="$work/report")" "$good" 'exit() in a region'
is "$(files)" report 'leaves a report'
rm "$work"/report*

is "$(left exec KEEL_REPORT="$work/report")" $'sum 499500\nsum 499500\nexit 3' 'a program that becomes another one'
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

is "$(left close_all KEEL_REPORT="$work/report")$(files)" "${good}report" 'a program that closes all files'
rm "$work"/report*
is "$(left close_stderr KEEL_REPORT="$work/report")$(files)" "${good}report" 'a program without standard error'
rm "$work"/report*
is "$(left close_stderr KEEL_REPORT=1)" "$good" 'and a report that would go there'
is "$(cd "$work" && left elsewhere KEEL_REPORT=report)$(files)" "${good}report" 'a program that changes its folder'
rm "$work"/report*

is "$(left no_large_files KEEL_REPORT="$work/report")" "$good" 'files may not grow'
like "$(cat "$work/messages")" 'report.recording. cannot be written: File too large' 'that is told'
is "$(files)" report 'the report is small enough'
rm -f "$work"/report*
is "$(left no_large_files_later KEEL_REPORT="$work/report")" $'sum 499500\nsum 499500\nexit 3' 'files may not grow any more'
like "$(cat "$work/messages")" 'no room to record more places: File too large' 'that is told, too'
like "$(cat "$work/report")" 'no room to record [0-9]+ more places' 'the report is there, and says so, too'
rm -f "$work"/report*
is "$(left many_places KEEL_REPORT="$work/report")$(cat "$work/messages")" "$good" 'many places'
is "$(left few_addresses KEEL_REPORT=1 2>/dev/null)" "$good" 'few addresses'
rm -f "$work"/report*

# --- what is no recording ---
for text in '' 'KEELREC' '{"keel_report": 1}'; do
    printf '%s' "$text" >"$work/other"
    is "$("$compared" "$work/other" 2>&1)" 'compared: is no recording' "not a recording: '$text'"
done
is "$("$compared" "$work" 2>&1)" "compared: can't be read: it is not a regular file" 'a folder'

if mount -t tmpfs -o size=64k tmpfs "$work" 2>/dev/null; then
    is "$(under_keel KEEL_REPORT="$work/report" "$leaving" many_places 2>"$TEST_TMPDIR/messages"; echo "exit $?")" "$good" 'a full disk'
    like "$(cat "$TEST_TMPDIR/messages")" 'No space left' 'is told of'
    umount "$work"
else
    skip 'a full disk' 'no file systems can be mounted here'
fi

done_testing
