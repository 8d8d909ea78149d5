#!/bin/bash
# Where the report of a process goes, and what keeps it from getting there.
source tests/support/tap.sh

sample=$(program write_sample)
at=$TEST_TMPDIR/at
mkdir "$at"
export TMPDIR=$TEST_TMPDIR
for variable in ${!OMPI_@} ${!PMIX_@} ${!PMI_@} ${!SLURM_@} ${!MV2_@}; do
    unset "$variable"
done

head_line='keel: report of ./hydro on alpha, 2 threads, 10.00 s'

is "$("$sample" 0 1 2>&1 >/dev/null | head -n 1)" "$head_line" 'without a file it goes to standard error'
is "$("$sample" 0 1 2>/dev/null)" written 'and not to standard output'
is "$("$sample" 0 1 "$at/text" 2>&1; head -n 1 "$at/text")" "written"$'\n'"$head_line" 'a file'
is "$("$sample" 0 1 "$at/report.json" 2>&1)$(perl -MJSON::PP -0ne 'print decode_json($_)->{processes}[0]{program}' "$at/report.json")" \
    written./hydro 'JSON by its name'
is "$(ls "$at")" $'report.json\ntext' 'nothing else is left beside them'

ln -s text "$at/link"
inode=$(stat -c %i "$at/text")
is "$("$sample" 0 1 "$at/link")$(readlink "$at/link")" writtentext 'a link stays'
[ "$(stat -c %i "$at/text")" != "$inode" ]
tap_result $? 'it was replaced as a whole'

# --- what is no regular file ---

mkfifo "$at/pipe"
cat "$at/pipe" >"$at/read" &
said=$(timeout "$tap_patience_s" "$sample" 0 1 "$at/pipe")
wait
is "$said"$'\n'"$(head -n 1 "$at/read")" "written"$'\n'"$head_line" 'a named pipe'
[ -p "$at/pipe" ]
tap_result $? 'which is a pipe still'
is "$("$sample" 0 1 /dev/stdout | head -n 1)" "$head_line" 'what the process writes to anyway'
{ echo before; "$sample" 0 1 /dev/stdout; echo after; } >"$at/own"
is "$(sed -n '1p;2p;$p' "$at/own")" "before"$'\n'"$head_line"$'\nafter' 'the same in a file, between what others write'
{ echo before; "$sample" 0 1 "$at/own"; } >"$at/own"
is "$(sed -n '1p;2p;$p' "$at/own")" "before"$'\n'"$head_line"$'\nwritten' 'also by its own name'

# --- failures ---

fails()
{
    is "$("$sample" 0 1 "$1" 2>&1)" "keel: KEEL_REPORT: '$1' cannot be written: $2; there is no report"$'\n'"$2" "$3"
}

fails /nowhere/report 'No such file or directory' 'a folder that is not there'
fails /dev/full 'No space left on device' 'a full disk'
mkdir "$at/folder"
fails "$at/folder" 'Is a directory' 'a folder'
mkfifo "$at/unread"
is "$(timeout "$tap_patience_s" "$sample" 0 1 "$at/unread" 2>&1)" \
    "keel: KEEL_REPORT: '$at/unread' cannot be written: nobody reads it; there is no report"$'\nNo such device or address' 'a pipe without a reader'
cp "$at/text" "$at/kept"
is "$(ulimit -f 1; "$sample" 0 1 "$at/kept" 2>&1 | cat)" \
    "keel: KEEL_REPORT: '$at/kept' cannot be written: File too large; there is no report"$'\nFile too large' 'a file that may not grow'
ok 'leaves what was there' cmp "$at/text" "$at/kept"
is "$(ls "$at" | grep -c '\.new-')" 0 'and nothing beside it'
is "$("$sample" 0 1 '' 2>/dev/full)" 'No space left on device' 'standard error that is full'
is "$("$sample" 0 1 2>&-)" 'Bad file descriptor' 'or closed'
done_testing
