#!/bin/bash
# What a process reads of the cores that it may use, and processors of 32 bits.
source tests/support/tap.sh

# --- cores, as taskset, libgomp's places and a real control group limit them ---

show=$(program show_cores) team=$(program show_team_cores)
online=$(getconf _NPROCESSORS_ONLN)
allowed=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//') # a processor that this test may use

read -r seen_online seen_allowed quota <<<"$("$show")"
is "$seen_online" "$online" 'the online processors'
is "$seen_allowed" "$allowed" 'the processors of the affinity mask'
is "$(taskset -c "$first" "$show")" "$online 1 $quota" 'one processor under taskset'
is "$(OMP_PROC_BIND=true OMP_PLACES=threads "$team")" "$online $allowed $quota
$online $allowed $quota" 'a bound initial thread does not hide the places of its team'
is "$(OMP_PROC_BIND=true OMP_PLACES="{$first}" "$team" | tail -1)" "$online 1 $quota" 'one place of one processor'

# A group of our own with a group in it, removed at the end.
group=
remove_group()
{
    [ -z "$group" ] || rmdir "$group/inner" "$group"
}
trap 'status=$?; remove_group; (exit "$status"); tap_at_exit' EXIT

mount_of()
{
    awk -v kind="$1" '{
        for (i = 7; $i != "-"; i++);
        if (kind == "cgroup2" ? $(i + 1) == kind : $(i + 1) == "cgroup" && $(i + 3) ~ /(^|,)cpu(,|$)/) { print $5; exit }
    }' /proc/self/mountinfo
}

make_group()
{
    local parent=$1 name=$1/keel_cores_test.$$
    [ -n "$parent" ] && mkdir "$name" "$name/inner" 2>/dev/null || return
    group=$name
}

# in_group FOLDER COMMAND...: runs it in that group.
in_group()
(
    echo "$BASHPID" >"$1/cgroup.procs" || exit
    shift
    exec "$@"
)

if make_group "$(mount_of cgroup)" && [ -e "$group/cpu.cfs_quota_us" ]; then
    echo 50000 >"$group/cpu.cfs_quota_us"
    limit='cpu.cfs_quota_us of version 1'
elif remove_group && group='' && make_group "$(mount_of cgroup2)" &&
    echo +cpu 2>/dev/null >"${group%/*}/cgroup.subtree_control" && [ -e "$group/cpu.max" ]; then
    echo '50000 100000' >"$group/cpu.max"
    limit='cpu.max of version 2'
else
    limit=
fi
if [ -n "$limit" ]; then
    diag "the limit is $limit"
    is "$(in_group "$group" "$show")" "$online $allowed 0.5" 'a quota of half a core'
    is "$(in_group "$group/inner" "$show")" "$online $allowed 0.5" 'the quota of the group above'
else
    skip 'a quota of half a core' 'no control group with a quota can be made here'
    skip 'the quota of the group above' 'no control group with a quota can be made here'
fi

# --- 32 bits: programs of 32 bits are refused in words when they are compiled ---

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
