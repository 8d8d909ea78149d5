#!/bin/bash
# keel topology: pictures of recorded machines, what this process may use, and what libgomp makes of the environment.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

for variable in ${!OMP_@} ${!GOMP_@} ${!HWLOC_@}; do
    unset "$variable"
done
tar xJf "$(keel_path tests/omp_ext/topology/recorded.tar.xz)" -C "$TEST_TMPDIR" || exit
online=$(getconf _NPROCESSORS_ONLN) allowed=$(nproc)
first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')

# picture NAME: of a recorded machine, without what follows.
picture()
{
    "$keel" topology --input "$TEST_TMPDIR/$1.xml" | sed '/^$/,$d; s/  *$//'
}

# team NAME: of a thread on each core there.
team()
{
    "$keel" topology --input "$TEST_TMPDIR/$1.xml" | sed -n '/^A TEAM/,/^$/{//!p}'
}

is "$(picture power256)" 'MACHINE                                                         PROCESSORS
NUMA node of 56 GiB                                             0-31
  package, L3 4 MiB, L2 256 KiB, L1 32 KiB, core, SMT 4  x 8    0-31
NUMA node of 63 GiB                                             32-63
  package, L3 4 MiB, L2 256 KiB, L1 32 KiB, core, SMT 4  x 8    32-63
group  x 2                                                      64-191
  NUMA node of 64 GiB  x 2                                      64-127, ...
    package, L3 4 MiB, L2 256 KiB, L1 32 KiB, core, SMT 4  x 8  64-95, ...
NUMA node of 64 GiB                                             192-223
  package, L3 4 MiB, L2 256 KiB, L1 32 KiB, core, SMT 4  x 8    192-223
NUMA node of 54 GiB                                             224-255
  package, L3 4 MiB, L2 256 KiB, L1 32 KiB, core, SMT 4  x 8    224-255' '256 processors, 8 NUMA nodes'
is "$(picture lakefield5)" 'MACHINE                                                         PROCESSORS
package, NUMA node of 3.7 GiB, L3 4 MiB                         0-4
  L2 1.5 MiB                                                    0-3
    L1 32 KiB, E core  x 4                                      0-3
  L2 512 KiB, L1 48 KiB, P core                                 4' 'cores of two kinds'
is "$(picture xeon32)" 'MACHINE                                                         PROCESSORS
package, NUMA node of 46 GiB, L3 11 MiB  x 2                    0-31
  L2 1 MiB, L1 32 KiB, core, SMT 2  x 8                         0-7,16-23, ...' 'like packages are folded'
is "$(HWLOC_SYNTHETIC='node:8 l3:4 core:4 pu:2' "$keel" topology | sed '/^$/,$d; s/  *$//')" \
    'MACHINE                                                         PROCESSORS
NUMA node of 1 GiB  x 8                                         0-255
  L3 16 MiB  x 4                                                0-31, ...
    core, SMT 2  x 4                                            0-7, ...' 'a made-up machine of HWLOC_SYNTHETIC'
deep='node:2 pack:1 l5:1 l4:1 l3:1 l2:1 l1d:1 core:1 pu:2'
like "$(HWLOC_SYNTHETIC=$deep "$keel" topology)" '^package, NUMA node of 1 GiB, .*\.\.\.  x 2  0-3$' 'a long line is cut'
like "$(HWLOC_SYNTHETIC='node:8 l3:4 core:4 pu:2' "$keel" topology)" \
    'stealing  threads 0-3, 4-7, 8-11, 12-15, ... share a cache' 'many caches are not all named'
is "$(HWLOC_XMLFILE=$TEST_TMPDIR/arm128.xml "$keel" topology)" \
    "$("$keel" topology --input "$TEST_TMPDIR/arm128.xml")" 'HWLOC_XMLFILE is as --input'
widest=$(for name in power256 lakefield5 xeon32 arm128; do "$keel" topology --input "$TEST_TMPDIR/$name.xml"; done |
    awk 'length > most { most = length } END { print most }')
ok "lines have at most 100 characters ($widest)" test "$widest" -le 100

is "$(team lakefield5)" '  places    threads 0-4 on 0-4, each in a place of its own
  weights   threads 0-3: 0.92 each
            thread 4: 1.32
            of wf2, steal and rate until a loop has been measured' 'weights of two kinds of cores'
is "$(team power256)" '  places    threads 0-63 on 0-255, each in a place of its own
  weights   all cores alike: loops begin with equal shares
  stealing  idle threads look in their NUMA node first' 'order of victims without caches in common'
like "$(team arm128)" 'stealing  threads 0-31, 32-63, 64-95, 96-127 share a cache: idle threads look there first,$' \
    'order of victims by caches'

# This machine.
is "$(taskset -c "$first" "$keel" topology | grep -E 'affinity|team|usable' | sed 's/no quota/-/; s/quota .*/-/' |
    grep -vE ' usable')" "  affinity  $first of $online; -
  team      1 thread, not bound" 'what taskset leaves'
[ "$online" = 1 ] ||
    like "$(taskset -c "$first" "$keel" topology)" "\(1 usable\)$" 'what taskset takes away shows in the picture'
like "$(OMP_NUM_THREADS=3 "$keel" topology)" '^  team      3 threads, not bound \(OMP_NUM_THREADS=3\)$' 'OMP_NUM_THREADS'
like "$(OMP_NUM_THREADS=$((online + 1)) "$keel" topology)" \
    "^  warning   $((online + 1)) threads on $allowed processors? take turns; OMP_NUM_THREADS=" 'more threads than processors'
output=$(OMP_NUM_THREADS=2 OMP_PROC_BIND=spread OMP_PLACES="{$first}" "$keel" topology)
like "$output" '^  team      2 threads, bound, spread \(' 'bound threads'
like "$output" "^  places    thread 0 on $first$" 'the first thread is where its place is'
like "$output" "^            thread 1 on $first$" 'the second thread, too'
like "$output" '2 threads are bound to 1 processor and take turns|2 threads on 1 processor take turns' 'a place that is too small'
like "$(OMP_PLACES=nonsense "$keel" topology 2>&1)" 'libgomp: Invalid value for environment variable OMP_PLACES' \
    "what libgomp says is passed on"
is "$(OMP_SCHEDULE=fac2 OMP_DISPLAY_ENV=true "$keel" topology 2>&1)" "$("$keel" topology)" \
    'OMP_SCHEDULE and OMP_DISPLAY_ENV change nothing'
like "$(OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$keel" topology)" \
    '^  job       rank 1 of 3, 2 of them on this machine$' 'a job of Open MPI'

# Bad input.
is "$(code "$keel" topology --input "$TEST_TMPDIR/none.xml")" 2 'a file that is not there is a usage error'
is "$(messages)" "keel: topology: $TEST_TMPDIR/none.xml: no machine of hwloc's, there is no such file" 'and named'
echo '<nothing/>' >"$TEST_TMPDIR/nothing.xml"
is "$(code "$keel" topology --input "$TEST_TMPDIR/nothing.xml")" 2 'a file that is no machine is a usage error'
like "$(messages)" "^keel: topology: $TEST_TMPDIR/nothing.xml: no machine of hwloc's" 'and named'
head -c 3000 "$TEST_TMPDIR/arm128.xml" >"$TEST_TMPDIR/cut.xml"
is "$(code "$keel" topology --input "$TEST_TMPDIR/cut.xml")" 2 'so is one that is cut off'
is "$(code "$keel" topology word)" 2 'words are usage errors'
install_to "$TEST_TMPDIR/place"
is "$(code "$TEST_TMPDIR/place/bin/keel" topology)" 1 'without its library'
like "$(messages)" '^keel: libkeel_topology.so is not there; looked for ' 'that is said'
cp "$(keel_path libkeel_topology.so)" "$TEST_TMPDIR/place/lib/keel/"
is "$("$TEST_TMPDIR/place/bin/keel" topology)" "$("$keel" topology)" 'with it, from another place'
is "$("$keel" topology >/dev/full 2>&1; echo $?)" 1 'a full device is an error'
done_testing
