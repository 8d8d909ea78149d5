# Every method beside loads that begin at drawn times (Siegell & Steenkiste, Figures 25 to 30), and
# what the paper concludes of them. Sourced by ss97.sh.
#
# FOLDER/runs-PROGRAM-SIZE-WORKERS-PERIOD has a line "METHOD SEED SECONDS" for each run.

# ss97_methods LIST WORKERS PERIOD ON SEEDS PROGRAM...: lines of a file of runs. LIST: NAME=POLICY.
ss97_methods()
{
    local method seed time list=$1 seeds=$5
    for method in $list; do
        for seed in $seeds; do
            read -r time _ < <(ss97_rows "${method#*=}" "$2" "half@$seed" "$3" "$4" "${@:6}")
            echo "${method%%=*} $seed $time"
        done
    done
}

# ss97_runs PROGRAM SIZE WORKERS PERIOD: the name of the file.
ss97_runs()
{
    echo "$ss97_folder/runs-$1-$2-$3-$4"
}

# ss97_names LIST
ss97_names()
{
    local method
    for method in $1; do
        echo "${method%%=*}"
    done
}

# ss97_run_swept MANY: the paper's SOR, pipelined: both loads on 4 and 16 workers, three seeds for
# the smaller one on 4 and the first one for others, as these take simulations long; without MANY
# the paper's method and the default alone, of the smaller one on 4, a load of 60 s and the first seed.
ss97_run_swept()
{
    local workers load program programs=("$SS97_PIPELINED_1000" "$SS97_PIPELINED_2000") many='4 16'
    local some
    local methods="$SS97_SWEPT_OLD $SS97_SWEPT_OWN" loads=('60 30' '20 10') seeds=$SS97_SWEPT_SEEDS
    if [ "$1" = 0 ]; then
        programs=("$SS97_PIPELINED_1000") many=4 loads=('60 30') seeds=${seeds%% *}
        methods="stay=off ss97=$SS97_PAPER default=$SS97_DEFAULT"
    fi
    for program in "${programs[@]}"; do
        for load in "${loads[@]}"; do
            for workers in $many; do
                some=$seeds
                [ "$workers $program" = "4 $SS97_PIPELINED_1000" ] || some=${seeds%% *}
                # words are arguments
                ss97_methods "$methods" "$workers" $load "$some" $program \
                    >"$(ss97_runs ${program% * *} "$workers" "${load% *}")"
            done
        done
    done
}

# ss97_run_all SEEDS MANY: red-black SOR, and with MANY products: all loads on 4 and 16 workers; with
# MANY, the paper's method and the default on 2 and 8, too.
ss97_run_all()
{
    local workers load program programs=("$SS97_SOR_1000" "$SS97_SOR_2000")
    [ "$2" = 0 ] || programs+=("$SS97_MM_500")
    for program in "${programs[@]}"; do
        for load in '60 30' '20 10'; do
            for workers in 4 16; do
                # words are arguments
                ss97_methods "$SS97_OLD $SS97_OWN" "$workers" $load "$1" $program \
                    >"$(ss97_runs ${program% * *} "$workers" "${load% *}")"
            done
            [ "$2" = 0 ] || for workers in 2 8; do
                ss97_methods "stay=off ss97=$SS97_PAPER default=$SS97_DEFAULT" "$workers" $load \
                    "$1" $program >"$(ss97_runs ${program% * *} "$workers" "${load% *}")"
            done
        done
    done
}

# ss97_compared PROGRAM SIZE WORKERS PERIOD: a row.
ss97_compared()
{
    local file old old_name own own_name inputs='fitted: MB/s'
    file=$(ss97_runs "$@")
    [ "$1" != gs ] || inputs+="; seeds $(awk '!seen[$2]++ { print $2 }' "$file" | xargs)"
    read -r old old_name < <(paper_best "$file" $(ss97_names "$SS97_OLD"))
    read -r own own_name < <(paper_best "$file" $(ss97_names "$SS97_OWN"))
    paper_compare "$(ss97_label "$@")" 2 - "$(paper_spread "$file" ss97)" \
        "$(paper_spread "$file" default)" "$old" "$old_name" "$own" "$own_name" "$inputs"
}

# ss97_cases WORKERS: "PROGRAM SIZE WORKERS PERIOD" of those that were run.
ss97_cases()
{
    local case
    for case in 'mm 500' 'gs 1000' 'gs 2000' 'sor 1000' 'sor 2000'; do
        for period in 60 20; do
            [ ! -s "$(ss97_runs $case "$1" $period)" ] || echo "$case $1 $period"
        done
    done
}

# ss97_over CASE METHOD OTHER: medians of the one over those of the other.
ss97_over()
{
    awk -v a="$(paper_median "$(paper_spread "$(ss97_runs $1)" "$2")")" \
        -v b="$(paper_median "$(paper_spread "$(ss97_runs $1)" "$3")")" \
        'BEGIN { printf "%.3f\n", a / b }'
}

# ss97_tracking: time over that of rows that stay, on every number of workers.
ss97_tracking()
{
    local workers case paper
    paper_table 'Whether following a load pays: time over that of rows that stay (fitted: MB/s)'
    printf '%-37s %10s %16s %16s\n' '' paper "paper's method" "Keel's default"
    for case in 'gs 1000' 'gs 2000' 'sor 1000' 'sor 2000' 'mm 500'; do
        for period in 60 20; do
            for workers in 2 4 8 16; do
                [ -s "$(ss97_runs $case $workers $period)" ] || continue
                paper='below 1'
                [[ "$case $period" != *' 2000 20' ]] || paper='above 1'
                printf '%-37s %10s %16s %16s\n' "$(ss97_label $case $workers $period)" "$paper" \
                    "$(ss97_over "$case $workers $period" ss97 stay)" \
                    "$(ss97_over "$case $workers $period" default stay)"
            done
        done
    done
}

# ss97_over_all PERIOD PROGRAM SIZE METHOD OTHER: "LEAST MOST" of the ratios on all workers.
ss97_over_all()
{
    local workers
    for workers in 2 4 8 16; do
        [ ! -s "$(ss97_runs "$2" "$3" $workers "$1")" ] ||
            ss97_over "$2 $3 $workers $1" "$4" "$5"
    done | sort -g | awk 'NR == 1 { least = $1 } { most = $1 } END { print least, most }'
}

# ss97_conclusions PROGRAM WORDS: of sweeps of that kind, on all workers that were simulated.
ss97_conclusions()
{
    local size period least most
    printf "  The paper's conclusions, for %s sweeps:\n" "$2"
    for size in 1000 2000; do
        read -r least most < <(ss97_over_all 60 "$1" $size ss97 stay)
        paper_conclusion "$most < 1" \
            "with loads of 60 s following pays for SOR $size: $least to $most of staying" \
            "With some workers it takes up to $most."
    done
    read -r least most < <(ss97_over_all 20 "$1" 2000 ss97 stay)
    paper_conclusion "$least > 1" \
        "with loads of 20 s SOR 2000 gets considerably slower than rows that stay: $least to $most" \
        "Tested: numbers of workers and seeds here, its pipelined sweeps below, bandwidths of 1, 3 and \
12.5 MB/s in the long form; the paper does not state its own."
}

# ss97_compare SHORT
ss97_compare()
{
    local workers case seeds many=1
    seeds=$(paper_seeds 10)
    [ "$1" = 0 ] || { seeds=$(paper_seeds 2) && many=0; }
    ss97_run_all "$seeds" "$many"
    ss97_run_swept "$many"
    for workers in 4 16; do
        paper_table "Time in s beside an oscillating load on one machine (Figures 25-30), $workers workers"
        paper_compare_head
        while read -ra case; do
            ss97_compared "${case[@]}"
        done < <(ss97_cases "$workers")
    done
    ss97_bars
    paper_compare_note "Keel's rows with KEEL_MPI_BALANCE=$SS97_PAPER" "KEEL_MPI_BALANCE=$SS97_DEFAULT" \
        "$(ss97_names "$SS97_OLD" | xargs), which are Keel's" "$(ss97_names "$SS97_OWN" | xargs)"
    paper_seeds_note $seeds
    paper_note "Drawn are where in its period the load is when the program begins," \
        'and 5 % of the length of its period. The paper draws its figures without numbers. Its SOR' \
        'is the pipelined one, whose seeds stand in its rows (a simulation takes 40 times as long);' \
        'red-black SOR stands beside it. Of pipelined sweeps, best ones are' \
        "picked from fewer methods: $(ss97_names "$SS97_SWEPT_OLD $SS97_SWEPT_OWN" | xargs)."
    ss97_tracking
    ss97_conclusions sor red-black
    if [ "$many" != 0 ]; then
        ss97_conclusions gs "the paper's pipelined"
        ss97_bandwidths "$seeds"
    fi
}

# ss97_highest METHOD OTHER: of all cases on 4 and 16 workers, the highest ratio of medians.
ss97_highest()
{
    local workers
    for workers in 4 16; do
        while read -r case; do
            ss97_over "$case" "$1" "$2"
        done < <(ss97_cases "$workers")
    done | sort -g | tail -n 1
}

ss97_bars()
{
    paper_bar "Keel's default, time over that of the paper's method: highest" \
        "$(ss97_highest default ss97)" 1.04
    paper_bar "Keel's default, time over that of rows that stay: highest" \
        "$(ss97_highest default stay)" 1.02
}

# ss97_bandwidths SEEDS: what the bandwidth does, which the paper leaves open.
ss97_bandwidths()
{
    local SS97_BANDWIDTH file=$ss97_folder/bandwidth workers
    paper_table 'SOR 2000, load for 10 of 20 s: time over that of rows that stay, by the bandwidth'
    printf '%-37s %16s %16s\n' 'MB/s, workers' "paper's method" "Keel's default"
    for SS97_BANDWIDTH in 1 3 12.5; do
        for workers in 4 16; do
            ss97_methods "stay=off ss97=$SS97_PAPER default=$SS97_DEFAULT" "$workers" 20 10 "$1" \
                $SS97_SOR_2000 >"$file"
            printf '%-37s %16s %16s\n' "$SS97_BANDWIDTH, $workers" \
                "$(ss97_quotient "$file" ss97)" "$(ss97_quotient "$file" default)"
        done
    done
}

# ss97_quotient FILE METHOD: over rows that stay.
ss97_quotient()
{
    ss97_calculate "$(paper_median "$(paper_spread "$1" "$2")") / \
        $(paper_median "$(paper_spread "$1" stay)")"
}
