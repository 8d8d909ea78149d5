# Loads that come and go: the model and the evaluation (Siegell & Steenkiste, Figures 25 to 30, 32
# to 34). Sourced by ss97.sh.
#
# FOLDER/oscillation has a line for each case:
#
#    1  program, size, workers, period
#    5  efficiency without load
#    6  time and efficiency if rows stay, by the model, and simulated
#   10  the same with the paper's method
#   14  time and efficiency of Keel's default
#   16  time and efficiency of the best of Keel's policies
#   18  that policy

# ss97_oscillations SHORT: the lines of all cases.
ss97_oscillations()
{
    local program workers load many='2 4 8 16'
    local programs=("$SS97_MM_500" "$SS97_SOR_1000" "$SS97_SOR_2000")
    if [ "$1" = 1 ]; then
        many='4 16'
        programs=("${programs[@]:1}")
    fi
    for program in "${programs[@]}"; do
        for workers in $many; do
            for load in '60 30' '20 10'; do
                # words of both are arguments
                ss97_oscillation "$workers" $load $program
            done
        done
    done
}

# ss97_oscillation WORKERS PERIOD ON PROGRAM...
ss97_oscillation()
{
    local workers=$1 period=$2 policy
    read -r _ policy < <(ss97_best "$1" half "${@:2}")
    echo "$4 $5 $workers $period $(ss97_dedicated "$1" "${@:4}")" \
        "$(ss97_model "${@:1:3}" none=1 "${@:4}")" "$(ss97_simulated off "$@")" \
        "$(ss97_model "${@:1:3}" "$(ss97_paper_how "$1")" "${@:4}")" \
        "$(ss97_simulated "$SS97_PAPER" "$@")" "$(ss97_simulated "$SS97_DEFAULT" "$@")" \
        "$(ss97_simulated "$policy" "$@") $policy"
}

# ss97_simulated POLICY WORKERS PERIOD ON PROGRAM...: "TIME EFFICIENCY"
ss97_simulated()
{
    local time
    read -r time _ < <(ss97_rows "$1" "$2" half "${@:3}")
    echo "$time $(ss97_efficiency "$2" "$3" "$4" "$time" "${@:5}")"
}

# ss97_label PROGRAM SIZE WORKERS PERIOD
ss97_label()
{
    local name=${1/gs/sor}
    printf '%s %s, %s workers, %s s' "${name^^}" "$2" "$3" "$4"
}

# ss97_stated PROGRAM SIZE WORKERS PERIOD: the efficiency that the paper states; "-": none.
ss97_stated()
{
    [ "$*" = 'gs 1000 4 60' ] && echo 0.777 || echo -
}

# Figures 32 to 34.
ss97_model_table()
{
    local line
    paper_table 'Efficiency beside an oscillating load on one machine (S16, Figures 32-34)'
    paper_head 'load for half of each period'
    while read -ra line; do
        ss97_row "$(ss97_label "${line[@]:0:4}")" "$(ss97_stated "${line[@]:0:4}")" \
            "${line[10]}" "${line[12]}" "${line[16]}"
    done <"$ss97_folder/oscillation"
    ss97_bar 'oscillating load' 5
    paper_note "Simulated: the paper's method. Best: the best of $(tr -s ' \n' ' ' \
        <<<"$SS97_KEEL" | sed 's/ $//; s/ / and /g')."
    paper_note 'The model has what S16 has and two things more that follow from the method: a' \
        'load that is there from the beginning is seen with the first figures, and a change that' \
        'gains less than the threshold, as its going does on 8 and 16 workers, is not followed.' \
        'The paper names the latter as the reason why efficiencies are above its model of 2000 x' \
        '2000 SOR. Adjustments in small steps, which Keel makes now and then under the' \
        'threshold, are no part of it.'
}

# ss97_highest FIELD OTHER: of all cases, the highest ratio.
ss97_highest()
{
    awk -v one="$1" -v other="$2" '{ printf "%.3f\n", $one / $other }' \
        "$ss97_folder/oscillation" | sort -g | tail -n 1
}

# Figures 25 to 30.
ss97_evaluation()
{
    local line
    paper_table 'Execution time in s beside an oscillating load on one machine (Figures 25-30)'
    paper_head
    while read -ra line; do
        paper_row "$(ss97_label "${line[@]:0:4}")" - "${line[9]}" "${line[11]}" "${line[15]}"
        paper_row '  rows stay' - "${line[5]}" "${line[7]}" -
        paper_row "  Keel's default" - - - "${line[13]}"
    done <"$ss97_folder/oscillation"
    paper_bar "Keel's best policy, time over that of the paper's method: highest" \
        "$(ss97_highest 16 12)" 1
    paper_bar "Keel's default, time over that of rows that stay: highest" \
        "$(ss97_highest 14 8)" 1.02
    paper_note "Simulated: the paper's method, which takes $(awk '
        $2 == 2000 && $4 == 20 { printf "%s%.2f", (some++ ? ", " : ""), $12 / $8 }
        ' "$ss97_folder/oscillation") times as long as rows that stay for SOR 2000 at 20 s: the" \
        'paper, too, finds that tracking stops paying there.'
    paper_note "Keel's default is the best of its policies where it costs most to follow; in" \
        "$(awk '$18 != best { others++ } END { print others + 0 }' best="$SS97_DEFAULT" \
        "$ss97_folder/oscillation") of $(wc -l <"$ss97_folder/oscillation") cases another one is."
}

# What the bandwidth does, which the paper leaves open.
ss97_bandwidths()
{
    local SS97_BANDWIDTH load program size none balanced best
    paper_table "Time over that of rows that stay, by the bandwidth, 4 workers"
    paper_head 'MB/s, program, period'
    for SS97_BANDWIDTH in 1 3 12.5; do
        for program in "$SS97_SOR_1000" "$SS97_SOR_2000"; do
            for load in '60 30' '20 10'; do
                read -r none _ < <(ss97_rows off 4 half $load $program)
                read -r balanced _ < <(ss97_rows "$SS97_PAPER" 4 half $load $program)
                read -r best _ < <(ss97_best 4 half $load $program)
                read -r _ size _ <<<"$program"
                paper_row "$SS97_BANDWIDTH, SOR $size, ${load% *} s" - - \
                    "$(ss97_calculate "$balanced / $none")" "$(ss97_calculate "$best / $none")"
            done
        done
    done
}
