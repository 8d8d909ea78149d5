#!/bin/bash
# Everything builds without a compiler warning.
source tests/tap.sh

cd "$(keel_root)" || exit
ok 'bazel build --config=ci //...' bazel build --config=ci --keep_going --noshow_progress //...
done_testing
