#!/bin/bash
# Where Keel expects the threads of a team is where libgomp has bound them.
source tests/support/tap.sh

program=$(program team_places)
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
