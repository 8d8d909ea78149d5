# The parameter studies of Barker & others 2005 (R8, Figures 2 and 3), by the model and simulated. Sourced by
# prema05.sh.

# prema05_simulated FOLDER PROCESSORS SETTING VALUES ARGUMENT...: a time for each of the values. The startup of
# messages is the simulator's.
prema05_simulated()
{
    local folder=$1 processors=$2 setting=$3 values=$4 value
    shift 4
    for value in $values; do
        if [ "$setting" = startup ]; then
            prema05_simulate "$folder" "$processors" "$value" "$@" prema
        else
            prema05_simulate "$folder" "$processors" "$PREMA05_STARTUP" "$@" "$setting=$value" prema
        fi
    done | awk '{ print $7 }'
}

# prema05_study FOLDER NAME PROCESSORS SETTING VALUES ARGUMENT...: a row for each of the values.
prema05_study()
{
    local folder=$1 name=$2 processors=$3 setting=$4 values=$5 value time model arguments=''
    shift 5
    for value in $values; do
        arguments+=" $setting=$value $value"
    done
    while read -r value model time; do
        paper_row "$name $value" - "$(prema05_round "$model")" "$(prema05_round "$time")" -
    done < <(paste -d ' ' \
        <(prema05_forecast processors="$processors" "$@" $arguments | awk '{ print $1, $7 }') \
        <(prema05_simulated "$folder" "$processors" "$setting" "$values" "$@"))
}

prema05_r8()
{
    local folder=$1 bimodal='weights=heavy:50:2' linear='messages=50 message_bytes=4000 weights=linear:2'
    paper_table 'R8: half of the tasks twice as heavy, 32 processors; time, s'
    paper_head 'varied'
    prema05_study "$folder" tasks 32 tasks '1 2 3 4 6 8 12 16 24 32' $bimodal
    prema05_study "$folder" 'quantum, s:' 32 quantum '0.05 0.1 0.5 2 8 32' $bimodal
    prema05_study "$folder" neighbours 32 neighbours '1 4 8 16' $bimodal
    paper_table 'R8: linear-2, tasks that send messages, 64 processors; time, s'
    paper_head 'varied'
    prema05_study "$folder" tasks 64 tasks '2 4 8 16 32 64' $linear
    prema05_study "$folder" 'quantum, s:' 64 quantum '0.1 0.5 2 8' $linear
    prema05_study "$folder" neighbours 64 neighbours '1 4 16' $linear
    prema05_study "$folder" 'startup, s:' 64 startup '1e-4 0.003 0.03' $linear
    paper_note 'The paper has pictures only. As there: time falls and rises with the number of' \
        'tasks, ever less; a short quantum costs polls, a long one answers; messages of tasks' \
        'make many tasks cost again; a neighbourhood matters less than a quantum.'
}
