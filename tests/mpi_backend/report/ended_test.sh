#!/bin/bash
# A job that is ended by SIGTERM to mpirun, as a batch system does where its time is up: what ranks have recorded and traced until
# then is there. Nothing of Keel's runs in the time between SIGTERM and SIGKILL.
source tests/support/mpirun.sh

out=$TEST_TMPDIR
folder=$(dirname "$(keel_path libkeel.so)")
mkdir "$out/ready"

# A trace grows while the program runs.
traces_have_loops()
{
    [ "$(grep -l '"cat":"loop"' "$out"/trace.json.* 2>/dev/null | wc -l)" = 2 ]
}

# comes COMMAND...: waits until it succeeds.
comes()
{
    for _ in $(seq $((tap_patience_s * 10))); do
        "$@" && return
        sleep 0.1
    done
    diag "has not come: $*"
    return 1
}

mpi_shows 2 LD_PRELOAD="$folder/libkeel.so" OMP_NUM_THREADS=2 KEEL_REPORT="$out/report.json" KEEL_TRACE="$out/trace.json" \
    "$(program ended)" "$out/ready" >"$out/output" 2>&1 &
job=$!
ok 'the job runs' comes test -s "$out/ready/0" -a -s "$out/ready/1"
ok 'its traces grow' comes traces_have_loops
kill -TERM "$(cat "$out/ready/0")"
wait $job
ok 'it fails' test $? != 0

is "$(cd "$out" && echo report.json*)" 'report.json.0.recording report.json.1.recording' 'each rank leaves its recording'
said=$("$folder/keel" report --from "$out"/report.json.*.recording 2>&1)
like "$said" '2 ranks \(marked \*\): ended by a signal, _exit\(\) or exec\(\); this is what was recorded until then' 'keel report says that they have been ended'
like "$said" 'ended\.c:[0-9]+' 'and where the loop stands'
like "$said" '^ +1 on .* \*' 'and tells of each rank'
is "$(for file in "$out"/trace.json.*; do perl -MJSON::PP -0ne 'print scalar(@{decode_json($_)}) > 0 ? "valid " : "empty "' "$file"; done)" \
    'valid valid ' 'their traces are valid JSON'
done_testing
