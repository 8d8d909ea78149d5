#!/bin/bash
# Machines that are gone, with all their ranks: others find that by the deadline, or as MPI tells.
source tests/mpi_backend/job/namespaces.sh
namespaces_enter "$@"

faults=$(program faults)
host='\([^)]+\)'
hosts_start 3 || exit

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
