#!/bin/bash
# Programs of 32 bits are refused in words when they are compiled.
source tests/support/tap.sh

# errors_of FLAG FILE: what the compiler says of it. Its own headers for such programs may be absent.
errors_of()
{
    gcc "$1" -std=gnu11 -fsyntax-only -iquote . -x c "$2" 2>&1 | sed -n 's/.*error: #error "\(.*\)"$/\1/p'
}

for flag in -m32 -mx32; do
    is "$(errors_of $flag omp_ext/include/keel.h)" \
        'Keel takes loops of 64-bit programs only; compile this one without -m32 or -mx32' "keel.h with $flag"
    is "$(errors_of $flag mpi_backend/include/keel_mpi.h)" \
        'Keel shares loops of 64-bit programs only; compile this one without -m32 or -mx32' "keel_mpi.h with $flag"
    is "$(errors_of $flag schedules/arithmetic/arithmetic.h)" \
        'Keel is for 64-bit programs only; compile it without -m32 or -mx32' "its own sources with $flag"
done
is "$(errors_of -m64 omp_ext/include/keel.h)" '' 'nothing is said with -m64'
done_testing
