#!/bin/bash
# Bytes of all kinds do no harm to a reader. Sourced with TARGET RUNS OPTIONS SOURCE-OR-LIBRARY..., where TARGET.c is for
# libFuzzer and TARGET_driver makes texts. Sources may be patterns.
source tests/fuzz/fuzz.sh

target=$1 runs=$2 options=$3
shift 3
# shellcheck disable=SC2068
fuzz "$(keel_path "${target}_driver")" "$runs" "$options" "$target.c" $@
done_testing
