#!/bin/bash
# Ranks that are alone on their machines end, or are stopped: the others see it, and go on.
source tests/mpi_backend/job/namespaces.sh
namespaces_enter "$@"

survivors=$(program survivors)
mpirun_options=("${recovery[@]}")

# goes_on LOST WHEN VICTIM [NAME=VALUE...]
goes_on()
{
    local left=$((3 - $(tr , '\n' <<<"$3" | grep -c .)))
    said=$(hosts_run 1 "${@:4}" "$survivors" "$2" "$3" 2>&1)
    is "$(grep -c "round 1: code 0, $left ranks, exact$" <<<"$said")" "$left" "$2, without $3: it goes on and is exact" ||
        diag "$said"
    is "$(grep -c ": lost $1$" <<<"$said")" "$left" "$2, without $3: it is known who has ended" || diag "$said"
    unlike "$said" '^line' "$2, without $3: nothing is wrong"
}

hosts_start 3 || exit
goes_on 1 loop 1
goes_on '0 2' loop 0,2
goes_on 0 rows 0
goes_on 2 objects 2
waits='waits .* for rank 2 \(host3, process [0-9]+\)'
[ "${recovery[0]}" != --with-ft ] || waits="($waits|learns in MPI_[A-Z][a-z_]+ of rank 2 \\(host3\\))"
like "$said" "keel: rank [01] \\(host[12]\\) $waits, which has ended" 'it is said who waits for whom'

# Long enough for a rank that is not stopped, but has to wait for a processor.
goes_on 1 stop 1 KEEL_MPI_ON_LATE=end KEEL_MPI_DEADLINE=10

# A machine that is cut off: nobody can tell who is, so that nobody goes on without another one.
cut_off()
{
    until grep -q 'round 1: ' "$TEST_TMPDIR/said"; do
        sleep 0.1
    done
    ip link set to_host2 down
    sleep 8
    ip link set to_host2 up
}
mpirun_options=()
: >"$TEST_TMPDIR/said"
cut_off &
hosts_run 1 KEEL_MPI_WATCH=on KEEL_MPI_DEADLINE=2 "$survivors" slow 9 9 >"$TEST_TMPDIR/said" 2>&1
wait $!
said=$(<"$TEST_TMPDIR/said")
is "$(grep -c 'round 2: code 0, 3 ranks, exact$' <<<"$said")" 3 'a machine cut off for four deadlines: all of them wait' ||
    diag "$said"
like "$said" 'has waited [0-9.]+ s' 'for it'
mpirun_options=("${recovery[@]}")

said=$(hosts_run 1 KEEL_MPI_ON_LATE=end "$survivors" loop 9 2>&1)
is "$(grep -c 'exact$\|lost$\|has returned$' <<<"$said")" 9 'nobody has ended: all goes well, and MPI ends as ever' ||
    diag "$said"
done_testing
