#!/bin/bash
# Ranks on hosts of their own: messages between them go through the network, and what happens where machines are gone.
source tests/mpi_backend/job/namespaces.sh

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

before=$(sent host3)
prints 'explicit shared loops, one rank per host' '' hosts_run 1 "$(program ../loop/shared_explicit)" schedules
ok 'messages go through the network' test $(($(sent host3) - before)) -gt 100000 # to start ranks takes 3000 bytes
prints 'explicit shared loops, two ranks per host' '' hosts_run 2 "$(program ../loop/shared_explicit)" schedules flight
prints 'shared loops of teams' '' hosts_keel 2 OMP_NUM_THREADS=2 "$(program ../loop/shared_openmp)" funneled policies

# --- machines that are gone, with all their ranks: others find that by the deadline, or from MPI ---

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

# goes_on LEFT LOST SHAPE FAULT...: MPI reports it, or ranks of the same machine.
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

# A machine that is cut off: no rank knows which one, so that none goes on without another one.
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
