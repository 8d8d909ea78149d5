#!/bin/bash
# What the library reads of processors, and where it expects the threads of a team.
source tests/support/tap.sh

# --- what hwloc finds, on machines that hwloc's authors have recorded (SOURCE in the archive says where) and on this ---

compare=$(program compare_processors)
cd "$TEST_TMPDIR" || exit
tar xJf "$(cd "$OLDPWD" && keel_path "$room/recorded.tar.xz")" || exit
is "$("$compare" lakefield5.xml lakefield5)" '5 processors, 0 differences' 'a P core and four E cores'
is "$("$compare" xeon32.xml xeon32)" '32 processors, 0 differences' '16 cores of 2 hardware threads'
find xeon32 -name core_cpus_list -delete
is "$("$compare" xeon32.xml xeon32)" '32 processors, 0 differences' 'the same with the files of Linux before 5.4'
is "$("$compare" arm128.xml arm128)" '128 processors, 0 differences' '128 cores with 4 NUMA nodes'
mv arm128/sys/devices/system/node/{online,without}
is "$("$compare" arm128.xml arm128)" '128 processors, 0 differences' 'the same with the nodes of new files'
mv arm128/sys/devices/system/node/{without,online}
rm arm128/sys/devices/system/node/has_cpu
is "$("$compare" arm128.xml arm128)" '128 processors, 0 differences' 'the same with the nodes of old files'
echo 512 >arm128/sys/devices/system/cpu/cpu3/cpu_capacity
is "$("$compare" arm128.xml arm128 | tail -1)" '128 processors, 254 differences' 'a slower core is seen'
rm arm128/sys/devices/system/node/online
like "$("$compare" arm128.xml arm128 | tail -1)" ' [0-9]{4,} differences' 'the nodes are read'
# By the kernel's files alone: hwloc asks processors, too, where a virtual machine has no files of caches.
like "$(env -u HWLOC_XMLFILE -u HWLOC_SYNTHETIC HWLOC_COMPONENTS=-x86 "$compare" '' /)" '^[0-9]+ processors, 0 differences$' \
    'this machine'
cd "$OLDPWD" || exit

# --- threads are expected where libgomp has bound them ---

program=$(program bound_teams)
mapfile -t usable < <(taskset -pc $$ | sed 's/.*: *//' | tr , '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
a=${usable[0]} b=${usable[1]:-${usable[0]}}

# list COUNT: places of one processor each, in turns
list()
{
    local i places=
    for ((i = 0; i < $1; i++)); do
        places+=",{$((i % 2 ? b : a))}"
    done
    printf '%s\n' "${places#,}"
}

for bind in true close spread primary; do
    for count in 1 2 3 4 5 7 11 16; do
        is "$(OMP_DYNAMIC=false OMP_PROC_BIND=$bind OMP_PLACES=$(list $count) "$program" 2>&1)" '' \
            "teams of 1 to 12 threads on $count places, $bind"
    done
done
is "$(env -u OMP_PLACES -u OMP_PROC_BIND "$program")" 'not bound' 'without binding there are no places'

done_testing
