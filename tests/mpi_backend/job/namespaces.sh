# For tests across hosts: each a network, a UTS and a PID namespace of its own, that is, its own
# addresses, its own name and its own processes, wired to a bridge in a further namespace where the
# test itself runs.
#
#   namespaces_enter -> hosts_start 3 -> hosts_run 2 PROGRAM -> end of the script, the kernel cleans up
#
# Nothing has a name outside of these namespaces. They live as long as processes in them, and those
# end with the script, however it ends.
source tests/support/mpirun.sh

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

# A process that is the host until the script's end closes the pipe.
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
