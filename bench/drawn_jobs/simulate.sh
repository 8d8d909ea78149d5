# Simulates cases of bench/follow. Sourced from the workspace root, after setup.sh, smpirun.sh,
# experiments.sh and oscillation.sh. Prints lines as runs.h has them; `built` is what Bazel has built.

# Policies by name, as KEEL_MPI_BALANCE has them.
#
# paper: Siegell & Steenkiste to the letter (S7 to S14), as bench/paper/ss97/ss97.sh has it.
# immediate: follows what was measured last, unfiltered and at once.
declare -A FOLLOW_POLICY=(
    [default]=''
    [stay]=off
    [paper]=rate:period=1,quantum=1,gain=0.1,greatly=inf
    [immediate]=rate-local:period=0.5,quantum=1,gain=0.05,greatly=inf,filter=no,pipelined=no
    [tree]=tree
    [diffusion]=diffusion
)

# Cases that are always the same: workers, bandwidth, period and time of a load that gets half of
# the first machine, the least efficiency (S1; 0: any), and the program. Siegell & Steenkiste's
# (S15), on a network that a movement keeps busy for long, beside a load that stays and such that
# come and go.
declare -A FOLLOW_NAMED=(
    [sor2000-1MB-stays]="8 1MBps 100000 99999 0 $SWEEPS_2000"
    [sor2000-1MB-quarter]="8 1MBps 100000 99999 0 sor 2000 40 10"
    [sor2000-3MB-60s]="16 3MBps 60 30 0 sor 2000 10x40 10"
    [sor2000-3MB-20s]="16 3MBps 20 10 0 sor 2000 10x40 10"
    [sor1000-60s]="4 3MBps 60 30 0.96 sor 1000 40x10 10"
    [sor1000-20s]="4 3MBps 20 10 0.92 sor 1000 40x10 10"
)

# Links carry as much in one direction whatever they carry in the other, and SMPI tells all to all
# in rounds: otherwise jobs of 64 workers take minutes.
FOLLOW_FLAGS='--cfg=network/crosstraffic:no --cfg=smpi/allgatherv:ompi_bruck'

# follow_line NAME POLICY SECONDS OUTPUT: the line of a run; SECONDS in user and in system mode.
follow_line()
{
    awk -v name="$1" -v policy="$2" -v seconds="$3" '
        BEGIN { split(seconds, part, " ") }
        NF == 11 && $1 ~ /^(sor|mm|particles)$/ {
            figures = $4 "\t" $6 "\t" $7 "\t" $11
        }
        END {
            printf "run\t%s\t%s\t%s\t%.3f\n", name, policy,
                figures != "" ? figures : "-\t-\t-\tfailed", part[1] + part[2]
        }' <<<"$4"
}

# follow_run FOLDER NAME POLICY PROGRAM...: on FOLDER/platform.xml.
follow_run()
(
    unset KEEL_MPI_BALANCE
    spec=${FOLLOW_POLICY[$3]-$3}
    [ -z "$spec" ] || export KEEL_MPI_BALANCE=$spec
    [ -z "$trace" ] || export KEEL_MPI_TRACE=$trace/$2-$3
    TIMEFORMAT='%U %S'
    seconds=$({ time sim_run "$1/platform.xml" "$1/hosts" "$(wc -l <"$1/hosts")" "${@:4}" \
        >"$1/output" 2>"$1/messages"; } 2>&1)
    status=$?
    # rows that were computed wrongly end the program with 1
    [ "$status" -le 1 ] || sed 's/^/# /' "$1/messages" >&2
    follow_line "$2" "$3" "$seconds" "$(<"$1/output")"
)

# follow_missing NAME: those of the policies that have no run yet in what was kept.
follow_missing()
{
    local policy
    for policy in $policies; do
        grep -qF $'run\t'"$1"$'\t'"$policy"$'\t' "$kept" || echo "$policy"
    done
}

# follow_drawn FOLDER NUMBER: case NUMBER of the seed, under those policies that are missing.
follow_drawn()
{
    local folder=$1 number=$2 job machines speeds load policy missing
    missing=$(follow_missing "$number")
    [ -n "$missing" ] || return 0
    mapfile -t job < <("$built/bench/drawn_jobs/case" "$seed" "$number" "$folder")
    read -ra machines <<<"${job[0]}"
    read -ra speeds <<<"${job[1]}"
    sim_platform "$folder" "${machines[1]}" "${machines[2]}" "${speeds[@]}"
    for load in "$folder"/load.*; do
        [ ! -e "$load" ] || sed -i "s,<host id=\"n${load##*.}\" ,&speed_file=\"${load##*/}\" ," \
            "$folder/platform.xml"
    done
    printf 'case\t%s\t%s\n' "$number" "${job[3]}"
    for policy in $missing; do
        # the program is words
        SIM_FLAGS=$FOLLOW_FLAGS follow_run "$folder" "$number" "$policy" \
            "$built/bench/sim/rows_many" ${job[2]}
    done
}

# follow_named FOLDER NAME: a case of FOLLOW_NAMED.
follow_named()
{
    local folder=$1 name=$2 workers bandwidth period on least program policy missing lines
    missing=$(follow_missing "$name")
    [ -n "$missing" ] || return 0
    read -r workers bandwidth period on least program <<<"${FOLLOW_NAMED[$name]}"
    sim_platform "$folder" 250us "$bandwidth" $(yes 1M | head -n "$workers")
    sim_load "$folder" "$period" "$on" on
    printf 'case\t%s\t%s workers, %s; %s; half of host 0 taken for %s of %s s\n' "$name" \
        "$workers" "$bandwidth" "$program" "$on" "$period"
    for policy in $missing; do
        # the program is words
        lines=$(follow_run "$folder" "$name" "$policy" "$built/bench/sim/rows" $program)
        printf '%s\n' "$lines"
        [ "$least" = 0 ] ||
            printf 'bar\t%s\t%s\t%s\t%s\n' "$name" "$policy" "$(efficiency "$(alone_s $program)" \
                "$workers" "$(cut -f 4 <<<"$lines")" "$period" "$on" on)" "$least"
    done
}
