#!/bin/bash
# Ranks on three hosts: each is a node of its own, and messages between them go through the network.
source tests/mpi_backend/job/namespaces.sh
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

done_testing
