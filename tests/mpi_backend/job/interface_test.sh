#!/bin/bash
# What programs see of the library and of the launcher: how ranks are started, keel_mpi.h and other versions of it, and
# where messages go.
source tests/support/mpirun.sh

# --- how ranks are started: how ranks of tests are started on this machine ---

is "$(mpi_shows 2 KEEL_TEST=of_ranks sh -c 'echo "$KEEL_TEST"' 2>&1)" $'of_ranks\nof_ranks' 'ranks get the variables'
like "$(mpi_keel 1 sh -c 'echo "$LD_PRELOAD"')" '/omp_ext/libkeel\.so$' 'libkeel.so is for the ranks'
# MPICH's launcher itself may end by SIGPIPE where ranks end at once.
mpi_shows 2 sh -c 'sleep 0.2; exit 1' >/dev/null 2>&1
is "$?" 1 'the exit status is that of the ranks'

folder=$(mpi_shows 1 printenv TMPDIR)
like "$folder" '^/tmp/keel_mpi\.' 'mpirun has a folder of its own'
ok 'which is removed' test -n "$folder" -a ! -e "$folder"

# --- the interface: keel_mpi.h: its version, what its codes mean, structures of other versions, and a libkeel.so of
# another release ---

interface=$(keel_path tests/mpi_backend/job/interface)
header=$(keel_path mpi_backend/include/keel_mpi.h)

# number NAME: of #define NAME NUMBER.
number()
{
    sed -n "s/^#define $1 \([0-9]*\)$/\1/p" "$header"
}

prints 'the version of the library is that of its header' '' checked \
    "$interface" version "$(number KEEL_MPI_VERSION_MAJOR)" "$(number KEEL_MPI_VERSION_MINOR)"

codes=$(sed -n '/^    KEEL_MPI_OK = 0,/,/^};/s/^    KEEL_MPI_[A-Z_]* = \([0-9]*\).*/\1/p' "$header")
is "$(wc -w <<<"$codes")" "$(($(tail -n 1 <<<"$codes") + 1))" 'codes have no gaps'
# shellcheck disable=SC2086
prints 'each code has a sentence of its own' '' checked "$interface" codes $codes

refused='keel: keel_mpi_\(loop_report\|rows_report\|pipeline_report\|rows_items\)(): struct_size is [0-9]*, expected sizeof of the structure; nothing is done'
for ranks in 1 2 3; do
    output=$(mpi_run "$ranks" OMP_NUM_THREADS=1 "$interface" sizes 2>&1)
    ok "$ranks ranks: structures of any size" test "$?" = 0
    is "$(sed "/^$refused$/d" <<<"$output")" '' "$ranks ranks: nothing else is said"
    is "$(grep -c "^$refused$" <<<"$output")" 11 "$ranks ranks: sizes that can't be right are refused"
done

other=$TEST_TMPDIR/libother_keel.so
gcc -shared -fPIC -xc - -o "$other" <<'END'
#include <stdint.h>
const void *keel_lending_meet(uint32_t version, uint32_t *newest);
const void *keel_lending_meet(uint32_t version, uint32_t *newest)
{
    *newest = 9;
    return version == 9 ? newest : 0;
}
END
output=$(mpi_run 2 LD_PRELOAD="$other" OMP_NUM_THREADS=1 "$interface" unshared 2>&1)
ok 'loops run whole with a libkeel.so of another release' test "$?" = 0
is "$output" "keel: libkeel.so and libkeel_mpi.so are not of one release (libkeel.so lends loops by version 9, expected 3), so no loop can be shared among ranks; it runs whole on every rank" 'one message says so'

# A library is changed beside a program that loads it; those for MPICH have it inside.
if [[ $0 != *_mpich ]]; then
    other=$TEST_TMPDIR/libkeel_mpi.so
    own=$(ldd "$interface" | sed -n 's/.*libkeel_mpi.so.* => \(.*\) (.*/\1/p')
    sed 's/keel_mpi sources [0-9]/keel_mpi sources x/' "$own" >"$other"
    output=$(mpi_run 3 OMP_NUM_THREADS=1 OTHER="$other" INTERFACE="$interface" sh -c '
        [ "$OMPI_COMM_WORLD_RANK" != 1 ] || export LD_PRELOAD=$OTHER
        exec "$INTERFACE" apart' 2>&1)
    ok 'ranks with libraries of different versions share nothing' test "$?" = 0
    is "$(grep -c 'of different versions' <<<"$output") $(head -n 1 <<<"$output")" \
        '1 keel: ranks have come with libkeel_mpi.so of different versions, expected one; nothing is shared among them' \
        'one message says why'
fi

# --- messages go to the handler of the program, that of libkeel.so or of libkeel_mpi.so, and to standard error without
# one ---

messages=$(keel_path tests/mpi_backend/job/messages)
libkeel=$(keel_path omp_ext/libkeel.so)

# heard MESSAGES NAME [VARIABLE=VALUE...] ARGUMENT...: nothing is wrong, and so many messages are on standard error.
heard()
{
    prints "$2" "$(yes 'keel: MPI is not initialised; nothing is shared among ranks' | head -n "$1")" \
        checked timeout "$tap_patience_s" env "${@:3}"
}

for by in keel mpi; do
    heard 1 "$by: handed to the handler" LD_PRELOAD="$libkeel" "$messages" "$by" handed
    heard 2 "$by: within the handler" LD_PRELOAD="$libkeel" "$messages" "$by" within
    heard 0 "$by: several threads" LD_PRELOAD="$libkeel" "$messages" "$by" threads
    heard 0 "$by: in a child" LD_PRELOAD="$libkeel" "$messages" "$by" forked
done
heard 1 'handlers of both' LD_PRELOAD="$libkeel" "$messages" keel both
heard 0 'messages of libkeel.so' KEEL_SCHEDULE=binlpt LD_PRELOAD="$libkeel" "$messages" keel libkeel
for check in 'handed 1' 'within 2' 'threads 0' 'forked 0'; do
    heard "${check#* }" "without libkeel.so: ${check% *}" "$messages" mpi "${check% *}"
done

done_testing
