# Loops on machines that let processes run in turns (Siegell & Steenkiste, Figures 11 and 13).
# Sourced by ss97.sh.

# ss97_turns pipelined|barrier LOADS GRAIN...: lines "GRAIN BOUND MODEL SIMULATED", of 200 quanta of
# work on 4 workers. In the simulation 4000 elements are cut, so grains are rounded to these.
ss97_turns()
{
    local kind=$1 loads=$2 elements
    shift 2
    elements=$(awk -v loads="$loads" -v grains="$*" 'BEGIN {
        split(loads, load, ",")
        for (i in load) available += 1 / (1 + load[i])
        count = split(grains, grain, " ")
        for (i = 1; i <= count; i++) printf "%d ", grain[i] * 4000 / 200 * available + 0.5
    }')
    sim_platform "$ss97_folder" 1us 1GBps 1M 1M 1M 1M
    sim_run "$ss97_folder/platform.xml" "$ss97_folder/hosts" 4 "$built/bench/papers_dir/ss97/turns" \
        "$kind" "$SS97_QUANTUM" 200 "$loads" $elements >"$ss97_folder/turns-simulated"
    "$built/bench/papers_dir/ss97/model" turns "$kind" 200 "$loads" \
        $(cut -f 2 "$ss97_folder/turns-simulated") >"$ss97_folder/turns-model"
    paste -d ' ' "$ss97_folder/turns-model" <(cut -f 3 "$ss97_folder/turns-simulated") |
        awk '{ print $1, $3, $2, $4 }'
}

# ss97_turns_paper KIND LOADS GRAIN BOUND: what the paper states; "-": nothing.
ss97_turns_paper()
{
    awk -v kind="$1" -v loads="$2" -v grain="$3" -v bound="$4" 'BEGIN {
        if (kind == "pipelined") { print bound; exit }
        split(loads, load, ",")
        for (i in load) if (load[i] + 1 > period) period = load[i] + 1
        beyond = grain / period - int(grain / period + 0.5)
        print (grain > period / 2 && beyond < 0.001 && beyond > -0.001) ? 1 : "-"
    }'
}

# Figures 11 and 13.
ss97_round_robin()
{
    local kind loads grain bound model simulated grains='0.25 0.5 1 1.5 2 3 4 6 8'
    local cases='1,0,0,0 1,1,0,0 2,0,0,0' what='under round-robin scheduling'
    [ "$1" = 0 ] || grains='0.25 1 4' cases='1,0,0,0'
    for kind in pipelined barrier; do
        paper_table "Efficiency of loops $what, $kind (Figure $(
            [ $kind = pipelined ] && echo 11 || echo 13)): 200 quanta, 4 workers"
        paper_head 'loads on each; grain, quanta'
        for loads in $cases; do
            while read -r grain bound model simulated; do
                ss97_row "$loads; $grain" \
                    "$(ss97_turns_paper $kind "$loads" "$grain" "$bound")" "$model" "$simulated" -
            done < <(ss97_turns $kind "$loads" $grains)
        done
        ss97_bar "$kind" 5
    done
    paper_note 'Paper: for pipelines the bound that efficiencies stay close to (S3); with' \
        'barriers 1 where grains are multiples of the scheduling period, as it states.' \
        'Efficiency is of what loads leave that get their part of the turns and no more.'
    paper_note 'Grain: computing from one synchronisation to the next on a machine without load.' \
        'Simulated: messages of the real pipeline, and turns that the program plays: who waits' \
        'gives its turn away, and waits for those of others when it is back.'
}
