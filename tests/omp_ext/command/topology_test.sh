#!/bin/bash
# keel topology: what this process may use, what to set, and what libgomp makes of the environment.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

for variable in ${!OMP_@} ${!GOMP_@} ${!HWLOC_@}; do
    unset "$variable"
done
online=$(getconf _NPROCESSORS_ONLN) allowed=$(nproc)
first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')

# This machine.
is "$(taskset -c "$first" "$keel" topology | grep -E 'affinity|team' | sed 's/no quota/-/; s/quota .*/-/')" "  affinity  $first of $online; -
  team      1 thread, not bound" 'what taskset leaves'
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

like "$(taskset -c "$first" "$keel" topology)" '^  cores     1 on 1 NUMA node$' 'what is counted'
like "$(taskset -c "$first" "$keel" topology)" '^  threads   export OMP_NUM_THREADS=1$' 'what to set'

is "$(code "$keel" topology word)" 2 'words are usage errors'
is "$("$keel" topology >/dev/full 2>&1; echo $?)" 1 'a full device is an error'
done_testing
