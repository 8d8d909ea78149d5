#!/bin/bash
# keel_mpi.h: its version, what its codes mean, structures of other versions, and a libkeel.so of another release.
source tests/support/mpirun.sh

interface=$(keel_path tests/mpi_backend/job/interface)
header=$(keel_path mpi_backend/include/keel_mpi.h)

# silent NAME COMMAND...: a program of checks says that they passed, and prints nothing.
silent()
{
    local output status passed
    passed=$(passed_file)
    output=$(KEEL_TEST_PASSED=$passed "${@:2}" 2>&1)
    status=$?
    [ "$status" = 0 ] && [ -z "$output" ] && all_passed "$passed" 1 >&2
    tap_result $? "$1" && return
    diag "exit status: $status"
    diag "$output"
}

# number NAME: of #define NAME NUMBER.
number()
{
    sed -n "s/^#define $1 \([0-9]*\)$/\1/p" "$header"
}

silent 'the version of the library is that of its header' \
    "$interface" version "$(number KEEL_MPI_VERSION_MAJOR)" "$(number KEEL_MPI_VERSION_MINOR)"

codes=$(sed -n '/^    KEEL_MPI_OK = 0,/,/^};/s/^    KEEL_MPI_[A-Z_]* = \([0-9]*\).*/\1/p' "$header")
is "$(wc -w <<<"$codes")" "$(($(tail -n 1 <<<"$codes") + 1))" 'codes have no gaps'
# shellcheck disable=SC2086
silent 'each code has a sentence of its own' "$interface" codes $codes

refused='keel: keel_mpi_\(loop_report\|rows_report\|pipeline_report\|rows_items\)(): struct_size is [0-9]*, expected sizeof of the structure; nothing is done'
for ranks in 1 2 3; do
    output=$(mpi_run "$ranks" OMP_NUM_THREADS=1 "$interface" sizes 2>&1)
    ok "$ranks ranks: structures of any size" test "$?" = 0
    is "$(sed "/^$refused$/d" <<<"$output")" '' "$ranks ranks: nothing else is said"
    is "$(grep -c "^$refused$" <<<"$output")" 11 "$ranks ranks: sizes that can't be right are refused"
done

other=$(keel_path tests/mpi_backend/job/libother_keel.so)
output=$(mpi_run 2 LD_PRELOAD="$other" OMP_NUM_THREADS=1 "$interface" unshared 2>&1)
ok 'loops run whole with a libkeel.so of another release' test "$?" = 0
is "$output" "keel: libkeel.so and libkeel_mpi.so are not of one release (libkeel.so lends loops by version 9, expected 3), so no loop can be shared among ranks; it runs whole on every rank" 'one message says so'
done_testing
