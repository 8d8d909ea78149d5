#!/bin/bash
# Ranks on hosts of their own: messages between them go through the network, and what happens where machines are gone.
source tests/support/mpirun.sh

# --- hosts ---
#
# Each a network, a UTS and a PID namespace of its own, that is, its own
# addresses, its own name and its own processes, wired to a bridge in a further namespace where the
# test itself runs.
#
#   namespaces_enter -> hosts_start 3 -> hosts_run 2 PROGRAM -> end of the script, the kernel cleans up
#
# Nothing has a name outside of these namespaces. They live as long as processes in them, and those
# end with the script, however it ends.

subnet=10.77.0
hosts=()

# namespaces_options: what unshare needs here to make namespaces; fails where it may not.
namespaces_options()
{
    local options
    for options in '--net --uts' '--user --map-root-user --net --uts'; do
        if unshare $options unshare --pid --fork --mount-proc true 2>/dev/null; then
            printf '%s\n' "$options"
            return
        fi
    done
    return 1
}

# namespaces_enter "$@": goes on with the script in namespaces of its own, by starting it again;
# skips the test where that is not allowed.
namespaces_enter()
{
    local options output
    [ "${1:-}" != inside ] || return 0
    command -v ip >/dev/null || plan skip_all 'there is no command ip (package iproute2)'
    options=$(namespaces_options) || plan skip_all 'network namespaces are not allowed here (no CAP_SYS_ADMIN)'
    output=$(unshare $options sh -ec 'ip link add name x type bridge; ip link add name y type veth peer name z' \
        2>&1) || plan skip_all "bridges or pairs of devices are not allowed here: $output"
    exec unshare $options "$0" inside
}

# in_host HOST COMMAND... With its root, too: a namespace's own is not that of a test in a chroot.
in_host()
{
    nsenter --target "$(<"$TEST_TMPDIR/hosts/$1")" --net --uts --pid --mount --root --wd "${@:2}"
}

# A process that stands for the host until the script's end closes the pipe.
host_hold()
{
    local first
    unshare --net --uts --pid --fork --kill-child --mount-proc sh -c 'hostname "$1" && exec cat' - "$1" \
        <"$TEST_TMPDIR/alive" >/dev/null {alive}>&- &
    until first=$(<"/proc/$!/task/$!/children") && [ -n "$first" ]; do
        kill -0 $! || return 1
        sleep 0.02
    done
    printf '%s\n' $first >"$TEST_TMPDIR/hosts/$1"
    until in_host "$1" hostname 2>/dev/null | grep -qx "$1"; do
        kill -0 $! || return 1
        sleep 0.02
    done
}

# host_start NUMBER: named host NUMBER, with the NUMBERth address of the subnet.
host_start()
{
    local name=host$1
    host_hold "$name" || return 1
    ip link add name "to_$name" type veth peer name wire netns "$(<"$TEST_TMPDIR/hosts/$name")"
    ip link set "to_$name" master switch up
    in_host "$name" ip address add "$subnet.$1/24" dev wire
    in_host "$name" ip link set wire up
    in_host "$name" ip link set lo up
    hosts+=("$name")
}

# hosts_start COUNT
hosts_start()
{
    local number
    hostname switch
    ip link set lo up
    ip link add name switch type bridge
    ip address add "$subnet.254/24" dev switch
    ip link set switch up

    mkdir "$TEST_TMPDIR/hosts"
    mkfifo "$TEST_TMPDIR/alive"
    exec {alive}<>"$TEST_TMPDIR/alive"
    for ((number = 1; number <= $1; number++)); do
        host_start "$number" || return 1
    done
    write_agent >"$TEST_TMPDIR/agent"
    chmod +x "$TEST_TMPDIR/agent"
}

# In place of ssh: mpirun gives it a host and what the shell there has to run.
write_agent()
{
    printf '#!/bin/bash\nTEST_TMPDIR=%q\n' "$TEST_TMPDIR"
    declare -f in_host
    printf 'in_host "$1" sh -c "${*:2}"\n'
}

# Standard input without what mpirun says when an agent has made itself a group's leader before
# mpirun does.
without_race()
{
    grep -v 'plm:rsh: Warning: setpgid.* failed in parent with errno=Permission denied'
}

mpirun_options=() # further ones

# hosts_run RANKS [NAME=VALUE...] PROGRAM [ARGUMENT...]: with this many ranks on each host, numbered
# host by host. Open MPI 5 has its jobs started by PRRTE, which has variables of its own.
hosts_run()
{
    local slots=("${hosts[@]/%/:$1}")
    PRTE_MCA_plm=ssh PRTE_MCA_plm_ssh_agent=$TEST_TMPDIR/agent PRTE_MCA_plm_ssh_no_tree_spawn=1 \
        PRTE_MCA_prte_leave_session_attached=1 PRTE_MCA_prte_if_include=$subnet.0/24 \
        OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=$TEST_TMPDIR/agent \
        OMPI_MCA_plm_rsh_no_tree_spawn=1 OMPI_MCA_orte_leave_session_attached=1 \
        OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=$subnet.0/24 \
        OMPI_MCA_oob_tcp_if_include=$subnet.0/24 \
        mpi_launch "${mpirun_options[@]}" --host "$(IFS=, && printf '%s' "${slots[*]}")" --map-by slot env "${@:2}" \
        2> >(without_race >&2)
}

# hosts_keel RANKS [NAME=VALUE...] PROGRAM [ARGUMENT...]: the same with libkeel.so preloaded.
hosts_keel()
{
    hosts_run "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "${@:2}"
}

# --- three hosts: ranks on three hosts: each is a node of its own, and messages between them go through the network ---

namespaces_enter "$@"

# Bytes that a host has sent to the others.
sent()
{
    in_host "$1" cat /proc/self/net/dev | awk '$1 == "wire:" { print $10 }'
}

hosts_start 3 || exit
is "$(in_host host2 ip -4 -o address show dev wire | awk '{ print $4 }')" 10.77.0.2/24 'a host has its address'
is "$(ip -o link show | grep -c ': wire')" 0 'and its own devices'
is "$(hosts_run 1 hostname 2>&1 | sort)" $'host1\nhost2\nhost3' 'and its own name'

# quiet NAME COMMAND...: it succeeds and says nothing.
quiet()
{
    local output status
    output=$("${@:2}" 2>&1)
    status=$?
    is "$status $output" '0 ' "$1"
}

before=$(sent host3)
quiet 'explicit shared loops, one rank per host' hosts_run 1 "$(program ../loop/shared_explicit)" schedules
ok 'messages go through the network' test $(($(sent host3) - before)) -gt 100000 # to start ranks takes 3000 bytes
quiet 'explicit shared loops, two ranks per host' hosts_run 2 "$(program ../loop/shared_explicit)" schedules flight
quiet 'shared loops of teams' hosts_keel 2 OMP_NUM_THREADS=2 "$(program ../loop/shared_openmp)" funneled policies

# --- machines that are gone, with all their ranks: others find that by the deadline, or as MPI tells ---

faults=$(program faults)
host='\([^)]+\)'

# job [NAME=VALUE...] SHAPE FAULT...: a rank on each of the hosts; sets `said`.
job()
{
    local word variables=() words=()
    for word in "$@"; do
        if [[ $word = *=* ]]; then variables+=("$word"); else words+=("$word"); fi
    done
    said=$(hosts_run 1 "${variables[@]}" "$faults" "${words[@]}" 2>&1)
}

# goes_on LEFT LOST SHAPE FAULT...: MPI tells, or ranks of the same machine.
goes_on()
{
    job "${@:3}"
    is "$(grep -cE "^rank [0-3]: code 0, 12 steps, $1 ranks, lost $2, back at [0-9]$" <<<"$said")" "$1" \
        "${*:3}: it goes on, and it is known who has ended" || diag "$said"
    unlike "$said" '^line' "${*:3}: nothing is wrong"
}

mpirun_options=("${recovery[@]}")
# Where mpirun is, as that of Open MPI 4.1 does not return where several ranks of another machine end.
machines=("${hosts[@]}") hosts=(switch switch host2 host3)
goes_on 3 1 loop kill,1,work,2
goes_on 3 0 rows kill,0,end,2
if [ "${recovery[0]}" != --with-ft ]; then
    job KEEL_MPI_ON_LATE=fail KEEL_MPI_DEADLINE=5 loop kill,1,work,2 kill,3,making,0
    like "$said" 'rank [02] \([^)]+\) has waited [5-9]\.0 s while the communicator of those that are left was made, which MPI' \
        'a machine ends while MPI makes a communicator: others say that they wait, and end'
    unlike "$said" '^rank [02]: code' 'and do not go on'
fi
hosts=("${machines[@]}")
if [ "${recovery[0]}" = --with-ft ]; then
    goes_on 2 1 loop kill,1,work,2
    goes_on 1 '0 2' loop kill,0,work,2 kill,2,work,2
    goes_on 2 2 objects kill,2,work,2
    like "$said" "learns in MPI_[A-Z][a-z_]+ of rank 2 \\(host3\\), which has ended" 'it is said who has ended'
else
    for shape in loop rows; do
        job KEEL_MPI_ON_LATE=fail KEEL_MPI_DEADLINE=5 $shape kill,1,work,2
        is "$(grep -cE '^rank [02]: code 11,' <<<"$said")" 2 "$shape, a machine ends: others get KEEL_MPI_LATE" || diag "$said"
        like "$said" "for rank 1 \\(host2\\) to come there, or to answer \\(KEEL_MPI_DEADLINE\\); it waits no longer" 'and say for whom'
    done
fi

# A machine that is cut off: nobody can tell who is, so that nobody goes on without another one.
cut_off()
{
    until grep -q ': under way' "$TEST_TMPDIR/said"; do
        sleep 0.1
    done
    ip link set to_host2 down
    sleep 8
    ip link set to_host2 up
}
mpirun_options=()
: >"$TEST_TMPDIR/said"
cut_off &
hosts_run 1 KEEL_MPI_DEADLINE=2 KEEL_TEST_NAP_US=20000 "$faults" loop >"$TEST_TMPDIR/said" 2>&1
wait $!
said=$(<"$TEST_TMPDIR/said")
is "$(grep -c 'code 0, 12 steps, 3 ranks, lost, back at -1$' <<<"$said")" 3 'a machine cut off for four deadlines: all of them wait' ||
    diag "$said"
like "$said" "has waited [0-9.]+ s .*for rank [0-2] $host" 'and say for whom'

done_testing
