#!/bin/bash
# Programs that ask for thread numbers, or have data for each thread, are distinguished from those that cannot see how large a team is.
source tests/support/tap.sh

sources=$(dirname "$(keel_path "$room/team_sizes.c")")
root=${sources%/tests/*}
cd "$root" || exit
out=$TEST_TMPDIR

# sees COMPILER... : what the program says that it makes
sees()
{
    "$1" -O2 -fopenmp -I. "${@:2}" -o "$out/program" "$sources/team_sizes.c" mpi_backend/calls/thread_numbers.c &&
        "$out/program"
}

for level in -O0 -O2; do
    is "$(sees gcc $level)" blind "$level: loops with schedule(runtime), and the most threads there may be"
    is "$(sees gcc $level -DNUMBER)" sees "$level: a thread number"
    is "$(sees gcc $level -DSETS)" 'blind, sets' "$level: it says itself how large its teams are to be"
    is "$(sees gcc $level -DSHARES)" sees "$level: static shares, which are computed from it"
    is "$(sees gcc $level -DTHREADPRIVATE)" sees "$level: threadprivate data"
    is "$(sees gcc $level -DTHREADPRIVATE -fPIC -ftls-model=global-dynamic)" sees "$level: threadprivate data by another way"
done
is "$(sees gcc -static-libgcc -Wl,-z,now)" blind 'linked otherwise'

# A library of the program's with regions of its own
gcc -O2 -fopenmp -shared -fPIC -DNUMBER -Dmain=other -I. -o "$out/libother.so" "$sources/team_sizes.c" mpi_backend/calls/thread_numbers.c
is "$(sees gcc -Wl,--no-as-needed "$out/libother.so" -Wl,-rpath,"$out")" sees 'a library that asks'
gcc -O2 -fopenmp -shared -fPIC -Dmain=other -I. -o "$out/libother.so" "$sources/team_sizes.c" mpi_backend/calls/thread_numbers.c
is "$("$out/program")" blind 'and one that does not'

# and without
for kind in 'int other(void) { return omp_get_thread_num(); }' 'static __thread int kept; int other(void) { return kept++; }'; do
    printf '#include <omp.h>\n%s\n' "$kind" | gcc -O2 -fopenmp -shared -fPIC -x c -o "$out/libother.so" -
    is "$("$out/program")" sees "a library that has no regions, but is called in those of the program: $kind"
done
done_testing
