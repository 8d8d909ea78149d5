#!/bin/bash
# A program whose threads are bound begins with shares as its cores are expected to be fast. The cores are this
# machine's; what the system says of them is the test's.
source tests/support/under_keel.sh

program=$(program first_chunks)
other=$(program other_machine.so)
mapfile -t usable < <(taskset -pc $$ | sed 's/.*: *//' | tr , '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
[ ${#usable[@]} -ge 2 ] || plan skip_all 'two processors are needed'
a=${usable[0]} b=${usable[1]}

# machine NAME FIRST SECOND CACHES: the two processors with these capacities, and one cache or two.
machine()
{
    local folder=$TEST_TMPDIR/$1 i=0 cpu caches=$4
    for cpu in $a $b; do
        mkdir -p "$folder/cpu/cpu$cpu"/{topology,cache/index0}
        echo "$cpu" >"$folder/cpu/cpu$cpu/topology/core_cpus_list"
        echo 3 >"$folder/cpu/cpu$cpu/cache/index0/level"
        [ "$caches" = 1 ] && echo "$a,$b" >"$folder/cpu/cpu$cpu/cache/index0/shared_cpu_list"
        [ "$caches" = 2 ] && echo "$cpu" >"$folder/cpu/cpu$cpu/cache/index0/shared_cpu_list"
        i=$((i + 1))
        echo "${@:i+1:1}" >"$folder/cpu/cpu$cpu/cpu_capacity"
    done
    mkdir -p "$folder/node/node0"
    echo 0 >"$folder/node/online"
    echo "$a,$b" >"$folder/node/node0/cpulist"
}

machine hybrid 1024 512 1
machine alike 1024 1024 1
machine two_caches 1024 1024 2

# on MACHINE [NAME=VALUE...] COMMAND...
on()
{
    local folder=$TEST_TMPDIR/$1
    shift
    : >"$folder/opened"
    timeout "$tap_patience_s" env LD_PRELOAD="$other $library" KEEL_TEST_MACHINE="$folder" "$@" 2>&1
}

# sizes MACHINE [NAME=VALUE...] COMMAND...: of the first chunks.
sizes()
{
    on "$@" | awk '{ print $3 - $2 }' | xargs
}

# starts: where they begin.
starts()
{
    on "$@" | awk '{ print $2 }' | xargs
}

places="{$a},{$b}"
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_PLACES="$places" "$program" 2 1200)" '400 200' 'wf2 on bound threads'
like "$(cat "$TEST_TMPDIR/hybrid/opened")" cpu_capacity 'capacities are read'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_PROC_BIND=spread OMP_PLACES="$places" "$program" 2 1200)" '400 200' \
    'wf2 on threads bound by OMP_PROC_BIND'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_PLACES="{$b},{$a}" "$program" 2 1200)" '200 400' 'the other way round'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 GOMP_CPU_AFFINITY="$a $b" "$program" 2 1200)" '400 200' \
    'wf2 on threads bound by GOMP_CPU_AFFINITY'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_PLACES="$places" "$program" 4 1200)" '200 200 100 100' \
    'two threads on each core'
is "$(sizes hybrid OMP_SCHEDULE=wf2 OMP_PLACES="$places" "$program" 2 1200)" '400 200' 'by OMP_SCHEDULE'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 KEEL_WEIGHTS=1,1 OMP_PLACES="$places" "$program" 2 1200)" '300 300' \
    'KEEL_WEIGHTS rules'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 "$program" 2 1200)" '300 300' 'threads that are not bound are alike'
unlike "$(cat "$TEST_TMPDIR/hybrid/opened")" cpu_capacity 'capacities are not read for them'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_PROC_BIND=false OMP_PLACES="$places" "$program" 2 1200)" '300 300' \
    'places that threads are not bound to do not count'
is "$(sizes hybrid KEEL_SCHEDULE=wf2 OMP_MAX_ACTIVE_LEVELS=2 OMP_PROC_BIND=close,close OMP_PLACES="$places" "$program" 2 1200 nested)" \
    '300 300' 'a team within a team is not looked at'
is "$(sizes alike KEEL_SCHEDULE=wf2 OMP_PLACES="$places" "$program" 2 1200)" '300 300' 'cores alike'
is "$(starts hybrid KEEL_SCHEDULE=steal:min=1 OMP_PLACES="$places" "$program" 2 1200)" '0 800' 'blocks of steal'
same "$(starts alike KEEL_SCHEDULE=steal:min=1 OMP_PLACES="$places" "$program" 2 1200)" \
    "$(starts hybrid KEEL_SCHEDULE=steal:min=1 "$program" 2 1200)" 'blocks of steal on cores alike'
same "$(starts hybrid KEEL_SCHEDULE=afs:min=1 OMP_PLACES="$places" "$program" 2 1200)" \
    "$(starts hybrid KEEL_SCHEDULE=afs:min=1 "$program" 2 1200)" 'blocks of afs stay equal'
on hybrid KEEL_SCHEDULE=fac2 OMP_PLACES="$places" "$program" 2 1200 >/dev/null
unlike "$(cat "$TEST_TMPDIR/hybrid/opened")" cpu_capacity 'nor for schedules that do not ask'

# Threads 0 and 1 are on one processor, 2 and 3 on the other.
is "$(on two_caches KEEL_SCHEDULE=steal OMP_PLACES="$places" "$program" 4 12000 alone)" 2 \
    'an idle thread takes from the one that shares its cache'
is "$(on alike KEEL_SCHEDULE=steal OMP_PLACES="$places" "$program" 4 12000 alone)" 1 \
    'with one cache, from the first of the fullest'

# Whole loops, whoever takes from whom.
for schedule in steal afs lds ich rate auto wf2; do
    for name in hybrid two_caches; do
        ok "$schedule runs each iteration once, $name" \
            checked on "$name" KEEL_SCHEDULE=$schedule OMP_PLACES="$places" "$program" 7 100000
    done
done
done_testing
