#!/bin/bash
# keel view: which files it makes, what it says of those that it can't make, and what a page holds.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

write_trace=$(keel_path tests/omp_ext/command/write_trace.pl)
cd "$TEST_TMPDIR" || exit

ok 'a trace' "$write_trace" run.json ranks=2 threads=2 chunks=300
is "$(code "$keel" view run.json)" 0 'a page: exit code'
is "$(output)" run.html 'it is named by the trace'
is "$(messages)" '' 'and nothing else is said'
is "$(code "$keel" view -o other.html run.json)" 0 'with -o: exit code'
ok 'the same page' cmp run.html other.html
mkdir folder && cp run.json folder/far.json
is "$(code "$keel" view folder/far.json)" 0 'a trace elsewhere: exit code'
ok 'its page is here' test -s far.html

# One file, whatever the network.
is "$(grep -cE '(src|href|action)=|@import|url\(' run.html)" 0 'a page refers to nothing'
like "$(cat run.html)" "Content-Security-Policy\" content=\"default-src 'none'" 'and may not'
# Each script and style has its hash in the policy.
for kind in script style; do
    hash=$(sed -n "s/.*$kind-src 'sha256-\([^']*\)'.*/\1/p" run.html)
    made=$(perl -MDigest::SHA=sha256_base64 -0777 -ne '
        my @found = /<'"$kind"'>(.*?)<\/'"$kind"'>/sg; print sha256_base64($found[-1]), "="' run.html)
    is "$made" "$hash" "the policy allows the page's $kind by its hash"
done

# Names are names.
ok 'a trace with names that would break a page' "$write_trace" hostile.json names=hostile loops=4 chunks=2000
is "$(code "$keel" view hostile.json)" 0 'its page: exit code'
is "$(grep -o '<script' hostile.html | wc -l)" "$(grep -o '<script' run.html | wc -l)" 'no name begins a script'
is "$(grep -o '</script' hostile.html | wc -l)" "$(grep -o '</script' run.html | wc -l)" 'or ends one'
is "$(grep -c '<img' hostile.html)" 0 'or is an element'

cp run.json $'caf\xe9.json'
is "$(code "$keel" view $'caf\xe9.json')" 0 'a name that is not UTF-8: exit code'
like "$(cat $'caf\xe9.html')" '"title":"caf\?","end":' 'and its page'
perl -pe 's/"name":"thread [^"]*"/"name":"${\("x" x 1098)}\xc3\xa9"/' run.json >long.json
is "$(code "$keel" view long.json; grep -o '"process":' long.html | wc -l)" '0
4' 'names of threads that are cut within a character'

# The trace of a program.
build_loop
OMP_NUM_THREADS=2 KEEL_TRACE=real.json "$keel" run -s fac2 ./loop >/dev/null 2>&1
like "$(cat real.json)" '"cat":"chunk"' 'a program writes a trace'
is "$(code "$keel" view real.json)" 0 'its page: exit code'
is "$(messages)" '' 'and no message'
like "$(cat real.html)" '"names":\[.*"bare_loop\.c:[0-9]+"' 'with the name of its loop'

# Several files.
ok 'another trace' "$write_trace" second.json threads=3 chunks=200
is "$(code "$keel" view -o both.html run.json second.json)" 0 'two traces: exit code'
ok 'their page is larger' test "$(stat -c %s both.html)" -gt "$(stat -c %s run.html)"

# Ranks of a job, one of which left what can't be read.
cp run.json ranks.json.0 && mkdir ranks.json.1
is "$(code "$keel" view ranks.json)" 0 'a rank whose trace is a folder: exit code'
is "$(messages)" "keel: './ranks.json.1' cannot be read: Is a directory; it is left out" 'and message'
ok 'and a page of the others' test -s ranks.html

# What can't be done.
is "$(code "$keel" view)" 2 'no trace: exit code'
is "$(code "$keel" view nowhere.json)" 1 'no such trace: exit code'
is "$(messages)" "keel: 'nowhere.json' cannot be read: No such file or directory" 'and message'
ok 'and no page' test ! -e nowhere.html
is "$(code "$keel" view -o folder run.json)" 1 'a folder for a page: exit code'
is "$(messages)" "keel: 'folder' cannot be written: Is a directory" 'and message'
is "$(code "$keel" view -o /dev/full run.json)" 1 'a full disk: exit code'
is "$(messages)" "keel: '/dev/full' cannot be written: No space left on device" 'and message'
ok 'which is still there' test -c /dev/full
head -c 5000 run.json >cut.json
is "$(code "$keel" view cut.json)" 0 'a trace that is cut off: exit code'
like "$(messages)" "^keel: 'cut.json' ends within line [0-9]+; using what comes before$" 'and message'
ok 'and its page' test -s cut.html
done_testing
