#!/bin/bash
# Built for aarch64 and run by qemu: each iteration of a loop is executed exactly once under every schedule, and the
# processor's counter is the clock.
source tests/support/under_keel.sh

command -v qemu-aarch64 >/dev/null || plan skip_all 'qemu-aarch64 is not there (.ci/install cross)'

library=$(keel_path aarch64/omp_ext/libkeel.so)
emulated=(timeout "$tap_patience_s" qemu-aarch64 -L /usr/aarch64-linux-gnu)

# The library is for the program's loader, not for qemu.
under_keel()
{
    "${emulated[@]}" -E LD_PRELOAD="$library" "$@"
}

is "$(od -An -tu2 -j18 -N2 "$library" | tr -d ' ')" 183 'the library is for aarch64'
ok 'the counter is the clock' checked "${emulated[@]}" "$(program ../../../aarch64/tests/omp_ext/machine/processor_counter)"
room=aarch64/tests/omp_ext/gomp
passes iteration_spaces
passes loop_forms
done_testing
