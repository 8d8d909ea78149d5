#!/bin/bash
# keel report --from: reports and recordings in files, shown again and brought together.
source tests/support/tap.sh
source tests/omp_ext/command/report/report.sh

sample=$(keel_path tests/omp_ext/report/write_sample)
at=$TEST_TMPDIR/at
mkdir "$at"
"$sample" 0 1 "$at/one.json" >/dev/null
for rank in 0 1 3; do "$sample" $rank 4 "$at/job.json" a >/dev/null; done

is "$(code "$keel" report --from "$at/one.json")$(messages)" 0 'a report goes to standard output'
like "$(output)" '^keel: report of ./hydro on alpha, 2 threads, 10.00 s$' 'as text'
unlike "$(output)" 'draw\.c:7' 'what matters little is left out'
is "$(code "$keel" report --all --from "$at/one.json"; output | grep -c 'draw\.c:7')" $'0\n1' '--all'
is "$(code "$keel" report --top 1 --from "$at/one.json"; output | grep -c 'draw\.c:9')" $'0\n0' '--top'
is "$(code "$keel" report --json --from "$at/one.json"; output | cmp - "$at/one.json" && echo same)" $'0\nsame' '--json gives what was read'
is "$(code "$keel" report -o "$at/text" --from "$at/one.json"; head -c 15 "$at/text")$(output)" $'0\nkeel: report of' 'into a file'

is "$(code "$keel" report --from "$at"/job.json.parts-a/*)" 0 'parts of ranks'
like "$(output)" '^keel: report of ./hydro: 3 of 4 ranks on 2 nodes, 6 threads' 'are merged'
like "$(output)" '^nothing is known of rank 2: killed, or recorded elsewhere$' 'the missing one is named'
is "$(code "$keel" report -o "$at/job.json" --from "$at"/job.json.parts-a/*; figures "$at/job.json" 'map { $_->{rank} } @{$_->{processes}}')" $'0\n0 1 3' 'in order'
is "$(code "$keel" report --from "$at/one.json" "$at/one.json"; output | grep -c '^keel: report of')" $'0\n2' 'two programs stay two'
for job in b a; do for rank in 0 1; do "$sample" $rank 3 "$at/two" $job; done; done >/dev/null
is "$(code "$keel" report -o "$at/two.json" --from "$at"/two.parts-b/1* "$at"/two.parts-a/* "$at"/two.parts-b/0*
    figures "$at/two.json" 'map { "$_->{job}$_->{rank}" } @{$_->{processes}}')" $'0\na0 a1 b0 b1' 'parts of two jobs that come mixed'
for rank in {0..38..2}; do "$sample" $rank 40 "$at/many" a; done >/dev/null
is "$(code "$keel" report --from "$at"/many.parts-a/*)" 0 'a job of which every second rank is missing'
like "$(output)" '^nothing is known of ranks 1, 3, 5, .*[0-9], \.\.\.: killed, or recorded elsewhere$' 'names as many as there is room for'

# A recording, of a program that was killed.
KEEL_REPORT=$at/killed.json OMP_NUM_THREADS=2 LD_PRELOAD=$(keel_path libkeel.so) "$reported" kill >/dev/null 2>&1
is "$(ls "$at" | grep killed)" 'killed.json.recording' 'a program that is killed leaves its recording'
is "$(code "$keel" report --from "$at/killed.json.recording")" 0 'which is read'
like "$(output)" '^ended by a signal, _exit\(\) or exec\(\); this is what was recorded until then$' 'and shown'

# --- bad input ---

head -c 500 "$at/one.json" >"$at/cut.json"
is "$(code "$keel" report --from "$at/cut.json" "$at/one.json")" 1 'a damaged file'
like "$(messages)" "^keel: '$at/cut.json' is damaged or no report of Keel: no JSON at line [0-9]+, column [0-9]+; it is left out$" 'is told'
like "$(output)" '^keel: report of ./hydro on alpha' 'and the others are shown'
is "$(code "$keel" report --from "$at/nowhere")$(messages)" "1keel: '$at/nowhere' can't be read: No such file or directory; it is left out" 'a file that is not there'
is "$(code "$keel" report --from "$at")$(messages)" "1keel: '$at' can't be read: it is not a regular file; it is left out" 'a folder'
head -c 400 "$at/killed.json.recording" >"$at/cut.recording"
is "$(code "$keel" report --from "$at/cut.recording")$(messages)" "1keel: '$at/cut.recording' is a damaged recording; it is left out" 'a recording without its header'
is "$(code "$keel" report --from)" 2 'no file at all'
is "$("$keel" report --from "$at/one.json" 2>&1 >/dev/full)" "keel: '/dev/stdout' cannot be written: No space left on device" 'standard output that is full'
done_testing
