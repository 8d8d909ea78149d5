#!/bin/bash
# Ranks that are alone on their machines end, or are stopped: the others see it, and go on.
source tests/mpi_backend/job/namespaces.sh
namespaces_enter "$@"

faults=$(program faults)
mpirun_options=("${recovery[@]}")

# goes_on LEFT LOST SHAPE FAULT... -- [NAME=VALUE...]
goes_on()
{
    local left=$1 lost=$2 words=()
    shift 2
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    said=$(hosts_run 1 "${@:2}" "$faults" "${words[@]}" 2>&1)
    is "$(grep -cE "^rank [0-2]: code 0, 12 steps, $left ranks, lost $lost, back at [0-9]$" <<<"$said")" "$left" \
        "${words[*]}: it goes on, and it is known who has ended" || diag "$said"
    unlike "$said" '^line' "${words[*]}: nothing is wrong"
}

hosts_start 3 || exit
goes_on 2 1 loop kill,1,work,2 --
goes_on 1 '0 2' loop kill,0,work,2 kill,2,work,2 --
goes_on 2 0 rows kill,0,end,2 --
goes_on 2 2 objects kill,2,work,2 --
waits='waits .* for rank 2 \(host3, process [0-9]+\)'
[ "${recovery[0]}" != --with-ft ] || waits="($waits|learns in MPI_[A-Z][a-z_]+ of rank 2 \\(host3\\))"
like "$said" "keel: rank [01] \\(host[12]\\) $waits, which has ended" 'it is said who waits for whom'

# Long enough for a rank that is not stopped, but has to wait for a processor.
goes_on 2 1 loop stop,1,work,2 -- KEEL_MPI_ON_LATE=end KEEL_MPI_DEADLINE=10

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
hosts_run 1 KEEL_MPI_WATCH=on KEEL_MPI_DEADLINE=2 KEEL_TEST_NAP_US=20000 "$faults" loop >"$TEST_TMPDIR/said" 2>&1
wait $!
said=$(<"$TEST_TMPDIR/said")
is "$(grep -c 'code 0, 12 steps, 3 ranks, lost, back at -1$' <<<"$said")" 3 'a machine cut off for four deadlines: all of them wait' ||
    diag "$said"
like "$said" 'has waited [0-9.]+ s' 'for it'
mpirun_options=("${recovery[@]}")

said=$(hosts_run 1 KEEL_MPI_ON_LATE=end "$faults" loop 2>&1)
is "$(grep -c 'lost, back at -1$\|has returned$' <<<"$said")" 6 'nobody has ended: all goes well, and MPI ends as ever' || diag "$said"
done_testing
