#!/bin/bash
# tests/support/tap.sh: what passes passes, and nothing that fails can pass, for a TAP reader and for the exit status alike.
source tests/support/tap.sh

# run SCRIPT: leaves output and status of a test of its own.
run()
{
    output=$(bash -c "source tests/support/tap.sh; $1" 2>"$TEST_TMPDIR/remarks")
    status=$?
    remarks=$(<"$TEST_TMPDIR/remarks")
}

run 'ok "one" true; is a a "two"; like abc b. "three"; unlike abc x "four"; same a a "five"
    ok "six" checked eval "echo passed it checks=1 >\$KEEL_TEST_PASSED"; prints "seven" "b
a" printf "a\nb\n"; done_testing'
is "$output" $'ok 1 - one\nok 2 - two\nok 3 - three\nok 4 - four\nok 5 - five\nok 6 - six\nok 7 - seven\n1..7' 'successful checks are numbered and counted'
is "$status" 0 'success exits with 0'
is "$remarks" '' 'success is silent'

for check in 'ok "named" false' 'is a b "named"' 'like a b "named"' 'unlike a a "named"' 'unlike "" a "named"' 'same a b "named"' 'same "" "" "named"' \
    'ok "named" checked true' 'prints "named" "" false' 'prints "named" a echo b' 'prints "named" "" eval "echo a >&2"'; do
    run "$check; ok later true; done_testing"
    like "$output" '^not ok 1 - named$' "'$check' is reported as failed"
    is "$status" 1 "'$check' makes the script fail"
done

run 'ok named bash -c "echo reason; exit 7"; done_testing'
like "$remarks" '^# reason$' 'output of a failed command is shown'
like "$remarks" '^# exit status: 7$' 'status of a failed command is shown'

run 'is "two
lines" "other" named; done_testing'
unlike "$remarks" '^[^#]' 'each line of a remark is a comment'

run 'plan 2; ok one true; done_testing'
is "$status" 1 'fewer checks than planned make the script fail'

run 'ok one true; exit 0'
is "$status" 1 'a script that stops before done_testing fails'
unlike "$output" '^1\.\.' 'and leaves out the plan'

run 'done_testing'
is "$status" 1 'a script without checks fails'

run 'skip one "no compiler"; done_testing'
is "$output" $'ok 1 - one # SKIP no compiler\n1..1' 'a skipped check says why'

run 'plan skip_all "no compiler"; ok one false; done_testing'
is "$output" '1..0 # SKIP no compiler' 'a skipped script says why'
is "$status" 0 'and succeeds'

run 'beside eval "sleep 0.2; ok one true; is a a two"; beside ok three true; ok four true; together; done_testing'
is "$output" $'ok 1 - four\nok 2 - one\nok 3 - two\nok 4 - three\n1..4' 'checks beside others are taken over in order'
is "$status" 0 'and succeed'
run 'beside ok one sh -c "echo reason; false"; together; done_testing'
is "$output" $'not ok 1 - one\n1..1' 'one that fails there fails'
like "$remarks" '^# reason$' 'with its remarks'
is "$status" 1 'and the script with it'
for script in 'beside true; together' 'beside eval "ok one true; exit 0"; together' 'beside ok one true'; do
    run "ok other true; $script; done_testing"
    is "$status" 1 "$script: the script fails"
done

is "$(cd "$TEST_TMPDIR" && keel_path tests/support/tap.sh)" "$TEST_SRCDIR/$TEST_WORKSPACE/tests/support/tap.sh" \
    'keel_path gives the absolute path in the runfiles'
run 'path=$(keel_path no/such/file); ok one true; done_testing'
is "$remarks" '# no/such/file: no such file; is it in the data of this test?' 'keel_path names a missing file'
is "$status" 1 'and makes the script fail'

done_testing
