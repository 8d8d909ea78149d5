#!/bin/bash
# Everything builds without a compiler warning.
source tests/support/tap.sh

cd "$(keel_root)" || exit
export -n TEST_TMPDIR # Bazel would put its output there
ok 'bazel build --config=ci //...' bazel build --config=ci --keep_going --noshow_progress //...
done_testing
