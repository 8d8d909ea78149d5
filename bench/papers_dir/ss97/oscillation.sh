# Loads that come and go: the model and the evaluation (Siegell & Steenkiste, Figures 25 to 30, 32
# to 34). Sourced by ss97.sh.
#
# FOLDER/oscillation has a line for each case, with a load that is there from the beginning:
#
#    1  program, size, workers, period
#    5  efficiency without load
#    6  time and efficiency if rows stay, by the model, and simulated
#   10  the same if rows follow, whatever it costs
#   14  time and efficiency of the paper's method
#   16  time and efficiency of Keel's default

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
    echo "$4 $5 $1 $2 $(ss97_dedicated "$1" "${@:4}")" \
        "$(ss97_model "${@:1:3}" none=1 "${@:4}")" "$(ss97_simulated off "$@")" \
        "$(ss97_model "${@:1:3}" "$(ss97_paper_how "$1")" "${@:4}")" \
        "$(ss97_simulated "$SS97_ANYWAY" "$@")" "$(ss97_simulated "$SS97_PAPER" "$@")" \
        "$(ss97_simulated "$SS97_DEFAULT" "$@")"
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
    local -A programs=([gs]='pipelined SOR' [sor]='red-black SOR' [mm]=MM)
    printf '%s %s, %s workers, %s s' "${programs[$1]}" "$2" "$3" "$4"
}

# ss97_stated PROGRAM SIZE WORKERS PERIOD: the efficiency that the paper states; "-": none.
ss97_stated()
{
    [ "$*" = 'sor 1000 4 60' ] && echo 0.777 || echo -
}

# Figures 32 to 34.
ss97_model_table()
{
    local line
    paper_table "Efficiency beside an oscillating load on one machine (S16, Figures 32-34); MB/s: fitted"
    paper_head 'load for half of each period'
    while read -ra line; do
        ss97_row "$(ss97_label "${line[@]:0:4}")" "$(ss97_stated "${line[@]:0:4}")" \
            "${line[10]}" "${line[12]}" "${line[16]}"
    done <"$ss97_folder/oscillation"
    ss97_bar 'oscillating load' 5
    ss97_missed "$(awk '$1 == "sor" && $2 == 1000 && $3 == 4 && $4 == 60 { print $15 }' \
        "$ss97_folder/oscillation")"
    paper_note "Simulated: rows follow whatever it costs, as the model has it. Best: Keel's default."
    paper_note 'The model has what S16 has and two things more that follow from the method: a' \
        'load that is there from the beginning is seen with the first figures, and a change that' \
        'gains less than the threshold, as its going does on 8 and 16 workers, is not followed.'
}

# ss97_missed EFFICIENCY: of the paper's method, beside the one efficiency that the paper states.
ss97_missed()
{
    paper_bar "the paper's method beside 77.7 % as stated, difference in %" \
        "$(paper_difference "$1" 0.777 | tr -d '+-')" 5
}
