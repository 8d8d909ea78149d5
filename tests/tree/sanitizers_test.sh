#!/bin/bash
# The tests of every day pass in an address and undefined behaviour build, and those tagged so in a thread sanitizer build.
source tests/support/tap.sh

cd "$(keel_root)" || exit
results=$TEST_TMPDIR/results
export -n TEST_TMPDIR # Bazel would put its output there

# sanitized CONFIG: one check per test of that configuration. Bazel's exit status 4 says that no test wanted it.
sanitized()
{
    local label state status
    bazel test --config="$1" --test_env=KEEL_TEST_SEED --keep_going --noshow_progress "${labels[@]}" >"$results" 2>"$results.err"
    status=$?
    while read -r label state _ _; do
        case $label in
        //*) is "${state/(cached)/PASSED}" PASSED "$1 $label" ;;
        esac
    done <"$results"
    case $status in
    0 | 3) ;;
    4) skip "$1" 'no test asks for it' ;;
    *) is "$status" 0 "$1 builds" ;;
    esac
    [ "$status" = 0 ] || [ "$status" = 4 ] || diag "$(tail -n 200 "$results.err" "$results")"
}

# Tests tagged `manual` say nothing about the product, or call Bazel themselves.
mapfile -t labels < <(bazel query --noshow_progress --ui_event_filters=-info,-progress \
    "set($(tests/run --list)) except attr(tags, '[\[ ]manual[,\]]', tests(//...))" </dev/null)
ok 'there are tests of every day' test ${#labels[@]} -gt 100

sanitized asan
sanitized tsan
done_testing
