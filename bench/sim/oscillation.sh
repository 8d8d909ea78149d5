# The experiments, PAPERS.md S15, in simulation. Sourced from the workspace root, after
# experiments.sh.

# figures_of LINE of `rows`: time, exchanges, movements, rows, whether rows were complete.
figures_of()
{
    awk '{ print $4, $5, $6, $7, $11 }' <<<"$1"
}

# efficiency SECONDS_ALONE WORKERS TIME PERIOD ON START (S1)
efficiency()
{
    awk -v alone="$1" -v workers="$2" -v time="$3" -v taken="$(load_time "${@:3}")" \
        'BEGIN { printf "%.4f", alone / (workers * time - taken) }'
}

# oscillation_case FOLDER ROWS POLICY WORKERS BANDWIDTH PERIOD ON START PROGRAM...: a line
#
#     program size workers period start : efficiency alone and dedicated, time without balancing and
#     with it, their ratio, efficiency, movements, rows moved, whether each row was computed as often
#     as it had to
oscillation_case()
{
    local folder=$1 rows=$2 policy=$3 workers=$4 bandwidth=$5 load=("${@:6:3}") program=("${@:9}")
    local alone dedicated none balanced
    alone=$(alone_s "${program[@]}")
    read -r dedicated _ < <(figures_of "$(KEEL_MPI_BALANCE=off \
        rows_run "$folder" "$workers" "$bandwidth" 0 0 on "$rows" "${program[@]}")")
    read -r none _ < <(figures_of "$(KEEL_MPI_BALANCE=off \
        rows_run "$folder" "$workers" "$bandwidth" "${load[@]}" "$rows" "${program[@]}")")
    read -r balanced exchanges movements moved fine < <(figures_of "$(KEEL_MPI_BALANCE=$policy \
        rows_run "$folder" "$workers" "$bandwidth" "${load[@]}" "$rows" "${program[@]}")")
    printf '%s %s %s %s %s %s %.2f %.2f %.3f %s %s %s %s\n' "${program[0]}" "${program[1]}" \
        "$workers" "${load[0]}" "${load[2]}" \
        "$(efficiency "$alone" "$workers" "$dedicated" 0 0 on)" "$none" "$balanced" \
        "$(awk -v a="$balanced" -v b="$none" 'BEGIN { print a / b }')" \
        "$(efficiency "$alone" "$workers" "$balanced" "${load[@]}")" "$movements" "$moved" "$fine"
}

# oscillation_cases FOLDER ROWS POLICY BANDWIDTH START: all programs, 2 to 16 workers, both periods.
oscillation_cases()
{
    local program workers load
    for program in "$SWEEPS_1000" "$SWEEPS_2000" "$PRODUCT_500"; do
        for workers in 2 4 8 16; do
            for load in '60 30' '20 10'; do
                # words of both are arguments
                oscillation_case "$1" "$2" "$3" "$workers" "$4" $load "$5" $program
            done
        done
    done
}
