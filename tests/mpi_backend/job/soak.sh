#!/bin/bash
# Runs jobs that are drawn, in most of which a rank is stopped or killed, and judges what comes of it.
set -u

usage()
{
    cat <<'USAGE'
usage: tests/soak [--seed S] [--job J] [--jobs N] [--for SECONDS] [--keep FILE]

Jobs of shared loops, rows, sweeps or objects, on 2 to 6 ranks of 1 to 4 threads, under
schedules and policies of any kind. In most of them one or two ranks are killed, stopped
for good, or for less or more than KEEL_MPI_DEADLINE, under any KEEL_MPI_ON_LATE. Each
iteration must have been executed once, results must be right, what the mode promises to
keep must be there, and no rank may hang, or hide what it met.

  --seed S       from 1 to 999999999; default: 1. It is printed
  --job J        that job alone, with all that it says
  --jobs N       end with job N; default: 1000
  --for SECONDS  begin no job after so many
  --keep FILE    a line for each job goes there; those there already, of the same seed,
                 are not run again. What a job that failed has said goes to FILE.SEED.JOB
USAGE
}

die()
{
    printf 'keel: tests/soak: %s; nothing is run\n' "$*" >&2
    exit 2
}

seed=1 job='' jobs=1000 limit='' kept=''
while [ $# != 0 ]; do
    case $1 in
    --seed | --job | --jobs | --for)
        [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || die "$1 '${2:-}' is not a whole number"
        case $1 in
        --seed) seed=$2 ;;
        --job) job=$2 ;;
        --jobs) jobs=$2 ;;
        --for) limit=$2 ;;
        esac
        shift
        ;;
    --keep) : 2>/dev/null >>"${2:-}" || die "--keep '${2:-}' can't be written" && kept=$(realpath "$2") && shift ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done
cd "$(dirname "$0")/../../.." || exit

source tests/support/mpirun.sh
trap - EXIT # this is no test in TAP
faults=$(keel_path tests/mpi_backend/job/faults) && libkeel=$(keel_path omp_ext/libkeel.so) ||
    die 'build //tests/mpi_backend/job:faults before'

# one_of WORD...: sets `drawn` to one of them.
one_of()
{
    local place=$((RANDOM % $# + 1))
    drawn=${!place}
}

# draw_fault: adds one to `words`, for another rank than `victim` was.
draw_fault()
{
    victim=$(((victim + 1 + RANDOM % (ranks - 1)) % ranks))
    one_of work work end step pack
    [ "$drawn" != pack ] || [[ $shape = rows || $shape = any || $shape = objects ]] || drawn=work
    [ "$drawn" != pack ] || balance=shake # or nobody may come there
    words+=("$kind,$victim,$drawn,$((RANDOM % 10)),$((RANDOM % 20))")
}

# draw_job J: sets `ranks`, `shape`, `words` and `wanted`, a pattern of the codes of those who say one.
draw_job()
{
    local on_late pause_s deadline_s=5 balance victim=0 kind
    RANDOM=$(((seed * 7919 + $1) % 32768))
    ranks=$((2 + RANDOM % 5)) words=()
    one_of loop explicit team rows any pipeline objects
    shape=$drawn
    one_of auto wait fail end
    on_late=$drawn
    one_of none kill kill stop long short
    kind=$drawn
    [ "$kind $on_late" != 'stop wait' ] || kind=long # the job would never end
    one_of auto shake off
    balance=$drawn
    [ $kind != long ] || pause_s=$((2 * deadline_s + 1))
    [ $kind != kill ] || deadline_s=120
    [ $kind != none ] || deadline_s=120
    case $kind,$on_late in
    none,* | short,* | long,wait) wanted="0x$ranks" ;;
    stop,end | long,end | kill,*) wanted="0x$((ranks - 1))" ;;
    *) wanted="11x($((ranks - 1))|$ranks)" ;; # it goes on when mpirun ends it, and may say so, too
    esac
    [[ $kind != long && $kind != short ]] || kind=pause
    [ $kind = none ] || draw_fault
    if [ $kind = kill ] && [ $ranks -gt 2 ] && [[ $shape = loop || $shape = explicit || $shape = team ]]; then
        draw_fault
        wanted="0x$((ranks - 2))"
    fi
    words=(OMP_NUM_THREADS=$((1 + RANDOM % 4)) KEEL_MPI_DEADLINE=$deadline_s KEEL_MPI_ON_LATE=$on_late KEEL_MPI_BALANCE=$balance
        KEEL_MPI_NODE_RANKS=$((1 + RANDOM % 3)) KEEL_TEST_PAUSE_S="${pause_s:-1}" KEEL_TEST_SEED=$((seed + $1)) "${words[@]}")
    one_of rate tree steal diffuse gss ss static fac2 af
    words=(KEEL_MPI_SCHEDULE="$drawn" "${words[@]}")
    [[ $shape = loop || $shape = explicit || $shape = team ]] || words=(KEEL_MPI_COPIES=1 "${words[@]}")
}

# run_job J: sets `said`, `wrong` and `codes`.
run_job()
{
    local word variables=() options=("${recovery[@]}") status
    draw_job "$1"
    [[ $wanted != 11* ]] || options=()
    for word in "${words[@]}"; do
        [[ $word != *=* ]] || variables+=("$word")
    done
    said=$(mpi_launch "${options[@]}" -n $ranks env LD_PRELOAD="$libkeel" "${variables[@]}" "$faults" "$shape" \
        "${words[@]:${#variables[@]}}" 2>&1)
    status=$?
    codes=$(sed -nE 's/^rank [0-9]: code ([0-9]+),.*/\1/p' <<<"$said" | sort -n | uniq -c | awk '{ printf "%s%sx%s", s, $2, $1; s = "," }')
    wrong=
    ! grep -q '^line' <<<"$said" || wrong=wrong
    [ "$status" != 124 ] && [ "$status" != 137 ] || wrong=${wrong:+$wrong,}hangs
    [[ $codes =~ ^$wanted$ ]] || wrong=${wrong:+$wrong,}codes
}

if [ -n "$job" ]; then
    run_job "$job"
    printf '%s\n' "$said"
    printf 'job %s: %s ranks, %s %s; codes: %s, wanted: %s; %s\n' "$job" "$ranks" "$shape" "${words[*]}" "$codes" "$wanted" "${wrong:-right}"
    [ -z "$wrong" ]
    exit
fi

# Lines `SEED JOB SHAPE CODES OUTCOME`.
unnamed=
[ -n "$kept" ] || { unnamed=1 kept=$(mktemp) && trap 'rm -f "$kept"' EXIT; }
printf 'keel: tests/soak --seed %s\n' "$seed" >&2
began=$SECONDS
for ((next = $(awk -v seed="$seed" '$1 == seed { next_job = $2 + 1 } END { print next_job + 0 }' "$kept"); next < jobs; next++)); do
    [ -z "$limit" ] || [ $((SECONDS - began)) -lt "$limit" ] || break
    run_job "$next"
    [ -z "$wrong" ] || [ -n "$unnamed" ] || printf '%s\n' "$said" >"$kept.$seed.$next"
    printf '%s %s %s %s %s\n' "$seed" "$next" "$shape" "${codes:--}" "${wrong:-right}" | tee -a "$kept"
done

awk -v seed="$seed" '
    $1 == seed { jobs++; shapes[$3]++ }
    $1 == seed && $5 != "right" { again[++failed] = "tests/soak --seed " seed " --job " $2 ": " $3 ", " $5 }
    END {
        printf "%d jobs, %d failures\n", jobs, failed
        for (k in shapes) printf "%6d %s\n", shapes[k], k | "sort -k2"
        close("sort -k2")
        for (i = 1; i <= failed; i++) print again[i]
        exit failed > 0
    }' "$kept"
