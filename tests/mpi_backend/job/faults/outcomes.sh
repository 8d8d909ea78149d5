# What comes of a rank that is killed, or stopped, in mid-job. Sourced from the workspace root.
source tests/support/mpirun.sh

faults=$(program faults)
places='loop gather balance movement objects pipeline'

# try_fault DEADLINE PLACE FAULT VICTIM [MPIRUN-OPTION...]: sets `said` and `status`. Three ranks.
try_fault()
{
    said=$(mpi_launch "${@:5}" -n 3 env KEEL_MPI_DEADLINE="$1" KEEL_MPI_BALANCE="$balance" "$faults" "$2" "$3" "$4" 2>&1)
    status=$?
}

# others_with VICTIM CODE: how many of the others got it. A stopped rank goes on when mpirun ends it, and may say so, too.
others_with()
{
    grep -v "^rank $1: " <<<"$said" | grep -cE "^rank [0-2]: $2, "
}

# survivors_fail NAME VICTIM PATTERN CODE: both others got the code, and a message named the victim and its host.
survivors_fail()
{
    local name=$1 victim=$2
    like "$said" "$3" "$name: a message names rank $victim and its host"
    is "$(others_with "$victim" "$4")" 2 "$name: both other ranks get an error" || diag "$said"
    unlike "$said" '^line' "$name: nothing that was computed is wrong"
}

host='\([^)]+\)'

# loss_of RANK: a pattern of what is said where it has ended; with ULFM, MPI may tell first.
loss_of()
{
    printf '%s' "(for rank $1 \([^)]+, process [0-9]+\)|learns in MPI_[A-Z][a-z_]+ of rank $1 \([^)]+\)), which has ended; nothing is shared"
}

# killed PLACE VICTIM: mpirun ends nothing by itself, and returns 0 in Open MPI 4.1 whatever ranks return.
killed()
{
    try_fault 600 "$1" kill "$2" "${recovery[@]}"
    survivors_fail "$1, rank $2 is killed" "$2" "$(loss_of "$2")" 16
}

# stopped PLACE VICTIM: for good. On a machine that is very busy ranks may be late before; once more, then.
stopped()
{
    local deadline_s
    for deadline_s in 0.5 3 3; do
        try_fault "$deadline_s" "$1" stop "$2"
        ! grep -q 'stopped by a signal' <<<"$said" || [ "$(others_with "$2" 11)" != 2 ] || break
    done
    survivors_fail "$1, rank $2 is stopped" "$2" "for rank $2 $host, stopped by a signal \(KEEL_MPI_DEADLINE\); it waits no longer" 11
    ok "$1, rank $2 is stopped: the job fails" test "$status" != 0
}

# ended PLACE VICTIM: stopped for good, until the others end it. On a machine with much else to do its
# kernel may be first, half a deadline later: not where that is long.
ended()
{
    local deadline_s
    for deadline_s in 0.5 3 20; do
        try_fault "$deadline_s" "$1" stop "$2" "${recovery[@]}" -x KEEL_MPI_ON_LATE=end
        ! grep -q "has been stopped by a signal .* ends it" <<<"$said" || break
    done
    like "$said" "rank $2 \([^)]+, process [0-9]+\) has been stopped by a signal for [0-9.]+ s; rank [0-9] ends it" "$1, rank $2 is stopped: it is ended, and a message says so"
    survivors_fail "$1, rank $2 is ended" "$2" "$(loss_of "$2")" 16
}

# outlasted PLACE VICTIM: the others wait for longer than the deadline, until it goes on.
outlasted()
{
    try_fault 1 "$1" pause "$2" -x KEEL_MPI_ON_LATE=wait
    is "$status" 0 "$1, rank $2 is waited for: the job goes on" || diag "$said"
    is "$(grep -c ': well$' <<<"$said")" 3 "$1, rank $2 is waited for: all is right" || diag "$said"
    like "$said" "has waited [0-9.]+ s .*for .*rank $2 $host" "$1, rank $2 is waited for: it is said" || diag "$said"
}

# killed_plainly PLACE VICTIM: mpirun ends the job.
killed_plainly()
{
    try_fault 600 "$1" kill "$2"
    ok "$1, rank $2 is killed under plain mpirun: the job fails" test "$status" != 0
    like "$said" 'signal 9|Killed' "$1, rank $2 is killed under plain mpirun: it says so"
}

# paused PLACE VICTIM: for less than the deadline.
paused()
{
    try_fault 600 "$1" pause "$2"
    is "$status" 0 "$1, rank $2 is stopped for a while: the job goes on"
    is "$(grep -c ': well$' <<<"$said")" 3 "$1, rank $2 is stopped for a while: all is right" || diag "$said"
}
