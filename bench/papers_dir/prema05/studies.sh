# The parameter studies of Barker & others 2005 (R8, Figures 2 and 3), by the model and, at some
# points, simulated. Sourced by prema05.sh.

# prema05_study FILE PROCESSORS SETTING VALUES ARGUMENT...: the model, lines of
# "value lower average upper published" for each of the values.
prema05_study()
{
    local file=$1 processors=$2 setting=$3 values=$4 value arguments=''
    shift 4
    for value in $values; do
        arguments+=" $setting=$value $value"
    done
    prema05_forecast processors="$processors" "$@" $arguments |
        awk '{ print $1, $6, $7, $8, $9 }' >"$file"
}

# prema05_points FOLDER FILE PROCESSORS SETTING VALUES ARGUMENT...: simulated, "value time".
prema05_points()
{
    local folder=$1 file=$2 processors=$3 setting=$4 values=$5 value arguments=''
    shift 5
    for value in $values; do
        arguments+=" $setting=$value prema"
    done
    prema05_simulate "$folder" "$processors" "$PREMA05_STARTUP" "$@" $arguments |
        awk -v values="$values" 'BEGIN { split(values, value, " ") }
            { print value[NR], $7 }' >"$file"
}

# The startup of messages is the simulator's: a run for each.
prema05_latency_points()
{
    local folder=$1 file=$2 processors=$3 values=$4 value
    shift 4
    for value in $values; do
        prema05_simulate "$folder" "$processors" "$value" "$@" prema |
            awk -v value="$value" '{ print value, $7 }'
    done >"$file"
}

# prema05_study_rows FILE POINTS NAME
prema05_study_rows()
{
    local value time
    while read -r value time; do
        paper_row "$3 $value" - \
            "$(prema05_round "$(awk -v value="$value" '$1 == value { print $3 }' "$1")")" \
            "$(prema05_round "$time")" -
    done <"$2"
}

PREMA05_QUANTA='0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 4 8 16 32'
PREMA05_LATENCIES='1e-5 1e-4 1e-3 0.003 0.01 0.03 0.1'

# Half of the tasks are heavy, 2 or 4 times as heavy as the others (Figure 2).
prema05_bimodal()
{
    local folder=$1 processors ratio
    for processors in 32 64 256; do
        for ratio in 2 4; do
            local case="$folder/bimodal-$processors-$ratio" weights="weights=heavy:50:$ratio"
            prema05_study "$case-tasks" "$processors" tasks "$(seq -s ' ' 1 32)" "$weights"
            prema05_study "$case-quantum" "$processors" quantum "$PREMA05_QUANTA" "$weights"
            prema05_study "$case-neighbours" "$processors" neighbours '1 2 3 4 6 8 12 16 24 31' \
                "$weights"
        done
    done
    prema05_points "$folder" "$folder/bimodal-tasks" 32 tasks '1 2 3 4 6 8 12 16 24 32' \
        weights=heavy:50:2
    prema05_points "$folder" "$folder/bimodal-quantum" 32 quantum '0.05 0.1 0.5 2 8 32' \
        weights=heavy:50:2
    prema05_points "$folder" "$folder/bimodal-neighbours" 32 neighbours '1 4 8 16' \
        weights=heavy:50:2
    paper_draw -e "folder='$folder'; output='$folder/prema05-figure2.png'" \
        bench/papers_dir/prema05/figure2.gp
}

# Weights between 1 and 1.2, 2 or 4; tasks send 50 messages to each of 4 others (Figure 3).
prema05_linear()
{
    local folder=$1 processors ratio messages='messages=50 message_bytes=4000'
    for processors in 64 256; do
        for ratio in 1.2 2 4; do
            local case="$folder/linear-$processors-$ratio" weights="weights=linear:$ratio"
            prema05_study "$case-tasks" "$processors" tasks \
                '1 2 3 4 6 8 12 16 24 32 48 64' $messages "$weights"
            prema05_study "$case-quantum" "$processors" quantum "$PREMA05_QUANTA" $messages \
                "$weights"
            prema05_study "$case-neighbours" "$processors" neighbours '1 2 3 4 6 8 12 16 24 31' \
                $messages "$weights"
            prema05_study "$case-startup" "$processors" startup "$PREMA05_LATENCIES" $messages \
                "$weights"
        done
    done
    prema05_points "$folder" "$folder/linear-tasks" 64 tasks '2 4 8 16 32 64' $messages \
        weights=linear:2
    prema05_points "$folder" "$folder/linear-quantum" 64 quantum '0.1 0.5 2 8' $messages \
        weights=linear:2
    prema05_points "$folder" "$folder/linear-neighbours" 64 neighbours '1 4 16' $messages \
        weights=linear:2
    prema05_latency_points "$folder" "$folder/linear-startup" 64 '1e-4 0.003 0.03' $messages \
        weights=linear:2
    paper_draw -e "folder='$folder'; output='$folder/prema05-figure3.png'" \
        bench/papers_dir/prema05/figure3.gp
}

prema05_r8()
{
    local folder=$1
    prema05_bimodal "$folder"
    prema05_linear "$folder"
    paper_table 'R8: half of the tasks twice as heavy, 32 processors; time, s'
    paper_head 'varied'
    prema05_study_rows "$folder/bimodal-32-2-tasks" "$folder/bimodal-tasks" tasks
    prema05_study_rows "$folder/bimodal-32-2-quantum" "$folder/bimodal-quantum" 'quantum, s:'
    prema05_study_rows "$folder/bimodal-32-2-neighbours" "$folder/bimodal-neighbours" neighbours
    paper_table 'R8: linear-2, tasks that send messages, 64 processors; time, s'
    paper_head 'varied'
    prema05_study_rows "$folder/linear-64-2-tasks" "$folder/linear-tasks" tasks
    prema05_study_rows "$folder/linear-64-2-quantum" "$folder/linear-quantum" 'quantum, s:'
    prema05_study_rows "$folder/linear-64-2-neighbours" "$folder/linear-neighbours" neighbours
    prema05_study_rows "$folder/linear-64-2-startup" "$folder/linear-startup" 'startup, s:'
    paper_note 'The paper has pictures only. As there: time falls and rises with the number of' \
        'tasks, ever less; a short quantum costs polls, a long one answers; messages of tasks' \
        'make many tasks cost again; a neighbourhood matters less than a quantum.'
}
