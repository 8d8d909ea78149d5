#!/bin/bash
# Runs jobs that are drawn, in most of which a rank is stopped or killed, and judges what comes of it.
set -u

usage()
{
    cat <<'USAGE'
usage: tests/soak [--seed S] [--job J] [--only KIND] [--instances N] [--faults N]
                  [--for SECONDS] [--keep FILE]

Jobs of 40 shared loops, sweeps and phases of rows and objects, on 1 to 6 ranks of 1 to 4
threads. In three of seven a rank is stopped for a second, stopped for good, or killed; in
two more, one or two ranks are, and the others go on without them. Each iteration must
have been executed once, and no rank may hang, or hide what it met. In the last kind,
`drawn`, loops, rows, sweeps or objects meet any fault under any KEEL_MPI_ON_LATE: results
must be right, and what the mode promises to keep must be there.

  --seed S       from 1 to 999999999; default: 1. It is printed
  --job J        that job alone, with all that it says
  --only KIND    none, pause, stop, kill, left-by-stop, left-by-kill or drawn
  --instances N  end with at least so many loops executed in full; default: 10000
  --faults N     and at least so many faults; default: 1000
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

seed=1 job='' only='' instances=10000 faults=1000 limit='' kept=''
while [ $# != 0 ]; do
    case $1 in
    --seed | --job | --instances | --faults | --for)
        [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || die "$1 '${2:-}' is not a whole number"
        case $1 in
        --seed) seed=$2 ;;
        --job) job=$2 ;;
        --instances) instances=$2 ;;
        --faults) faults=$2 ;;
        --for) limit=$2 ;;
        esac
        shift
        ;;
    --only) only=${2:-} && shift ;;
    --keep) : 2>/dev/null >>"${2:-}" || die "--keep '${2:-}' can't be written" && kept=$(realpath "$2") && shift ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done
cd "$(dirname "$0")/../../../.." || exit

source tests/support/mpirun.sh
trap - EXIT # this is no test in TAP
tap_patience_s=300
soak=$(keel_path tests/mpi_backend/job/soak/soak) && libkeel=$(keel_path omp_ext/libkeel.so) &&
    going_on=$(keel_path tests/mpi_backend/job/soak/going_on) &&
    drawn=$(keel_path tests/mpi_backend/job/soak/drawn) || die 'build //tests/mpi_backend/job/soak before'

kinds=(none pause stop kill left-by-stop left-by-kill drawn)
[ -z "$only" ] || [[ " ${kinds[*]} " = *" $only "* ]] || die "--only '$only' is none of ${kinds[*]}"

# run_job J: sets `words`, with which mpirun was called, `said`, `status`, `fault` and, of drawn ones, `what`.
run_job()
{
    local word program=$soak
    fault=${only:-${kinds[$1 % ${#kinds[@]}]}} what=-
    [[ $fault != left-* ]] || program=$going_on
    [ "$fault" != drawn ] || program=$drawn
    words=$("$program" plan "$seed" "$1" "${fault#left-by-}")
    read -ra word <<<"$words"
    case $fault in
    kill | left-by-stop | left-by-kill | drawn) word=("${recovery[@]}" "${word[@]}") ;;
    esac
    [ "$fault" != drawn ] ||
        what=$(sed -nE 's/-n ([0-9]+).*ON_LATE=([a-z]+).*DRAWN=(.*)/\3of\1,\2/p' <<<"$words")
    said=$(mpi_launch "${word[@]}" LD_PRELOAD="$libkeel" "$program" run "$seed" "$1" "${fault#left-by-}" 2>&1)
    status=$?
}

# judge: sets `loops`, those that all who answered have done, `codes`, `hit`, `wrong` and `took`, the longest time from a fault
# until a rank goes on without those that it hit, in s. A stopped rank
# goes on when mpirun ends it, and may say so, too.
judge()
{
    local ranks count wanted
    ranks=$(sed -nE 's/^rank [0-9]: ([0-9]+) after ([0-9]+) loops, fault: ([0-9])$/\1 \2 \3/p' <<<"$said")
    loops=$(awk 'NR == 1 || $2 < least { least = $2 } END { print least + 0 }' <<<"$ranks")
    hit=$(awk '$3 > hit { hit = $3 } END { print hit + 0 }' <<<"$ranks")
    codes=$(cut -d' ' -f1 <<<"$ranks" | sort -n | uniq -c | awk '{ printf "%s%sx%s", s, $2, $1; s = "," }')
    took=$(sed -nE 's/^rank [0-9]: goes on ([0-9.]+) s after$/\1/p' <<<"$said" | sort -n | tail -n 1)
    count=$(sed -nE 's/.*-n ([0-9]+) .*/\1/p' <<<"$words")
    case $fault in
    none | pause) wanted="^0x$count\$" ;;
    stop) wanted="^11x($((count - 1))|$count)\$" ;;
    kill) wanted="^16x$((count - 1))\$" ;;
    drawn)
        case $words in
        *WANTED=all*) wanted="^0x$count\$" ;;
        *WANTED=late*) wanted="^11x($((count - 1))|$count)\$" ;;
        *) wanted="^0x$((count - 1))\$" ;;
        esac
        ;;
    *) wanted="^0x$((count - hit))\$" ;;
    esac
    wrong=
    ! grep -q '^line' <<<"$said" || wrong=wrong
    [ "$status" != 124 ] && [ "$status" != 137 ] || wrong=${wrong:+$wrong,}hangs
    [[ $codes =~ $wanted ]] || wrong=${wrong:+$wrong,}codes
    case $fault in
    none) [ "$hit" = 0 ] && [ "$status" = 0 ] ;;
    pause) [ "$hit" = 1 ] && [ "$status" = 0 ] ;;
    *) [ "$hit" -ge 1 ] ;;
    esac || wrong=${wrong:+$wrong,}end
}

if [ -n "$job" ]; then
    run_job "$job"
    judge
    printf '%s\n' "$said"
    printf 'job %s: mpirun %s; fault: %s, codes: %s, loops: %s, %s\n' "$job" "$words" "$fault" "$codes" "$loops" "${wrong:-right}"
    [ -z "$wrong" ]
    exit
fi

# Lines `SEED JOB FAULT HIT LOOPS CODES OUTCOME TOOK WHAT`.
unnamed=
[ -n "$kept" ] || { unnamed=1 kept=$(mktemp) && trap 'rm -f "$kept"' EXIT; }
done_so_far()
{
    awk -v seed="$seed" '$1 == seed { loops += $5; faults += $4; next_job = $2 + 1 }
        END { print loops + 0, faults + 0, next_job + 0 }' "$kept"
}

printf 'keel: tests/soak --seed %s\n' "$seed" >&2
began=$SECONDS
while read -r sum struck next < <(done_so_far) && { [ "$sum" -lt "$instances" ] || [ "$struck" -lt "$faults" ]; }; do
    [ -z "$limit" ] || [ $((SECONDS - began)) -lt "$limit" ] || break
    run_job "$next"
    judge
    [ -z "$wrong" ] || [ -n "$unnamed" ] || printf '%s\n' "$said" >"$kept.$seed.$next"
    printf '%s %s %s %s %s %s %s %s %s\n' "$seed" "$next" "$fault" "$hit" "$loops" "${codes:--}" "${wrong:-right}" "${took:--}" \
        "$what" | tee -a "$kept" | { [ "$fault" = drawn ] && cat || cat >/dev/null; }
done

# times FAULT WHAT: of jobs with that fault, from it until all others go on.
times()
{
    awk -v seed="$seed" -v fault="$1" '$1 == seed && $3 == fault && $8 ~ /^[0-9]/ { print $8 }' "$kept" | sort -n |
        awk -v what="$2" '{ s[NR] = $1 } END { if (NR) printf "%s: %d jobs go on, in %.2f s at the median and %.2f s at most\n",
            what, NR, s[int((NR + 1) / 2)], s[NR] }'
}
times left-by-kill 'a rank is killed'
times left-by-stop 'a rank is stopped, KEEL_MPI_DEADLINE=3'
times drawn 'a rank of loops, rows, sweeps or objects is lost, KEEL_MPI_DEADLINE=5'

awk -v seed="$seed" '
    $1 == seed && $3 == "drawn" {
        split($9, of, ",")
        for (k = 1; k <= 4; k++) if (k != 3) { jobs[of[k]]++; wrong[of[k]] += $7 != "right" }
    }
    END { for (k in jobs) printf "%6d drawn, %s: %d failures\n", jobs[k], k, wrong[k] | "sort -k4" }' "$kept"

awk -v seed="$seed" '
    $1 == seed { jobs++; faults += $4; loops += $5; kinds[$3]++ }
    $1 == seed && $7 != "right" { again[++failed] = "tests/soak --seed " seed " --job " $2 ": " $3 ", " $7 }
    END {
        printf "%d jobs, %d loops executed in full, %d faults, %d failures\n", jobs, loops, faults, failed
        for (k in kinds) printf "%6d %s\n", kinds[k], k | "sort -k2"
        close("sort -k2")
        for (i = 1; i <= failed; i++) print again[i]
        exit failed > 0
    }' "$kept"
