# When rows move: period, filter, threshold, costs and benefits (Siegell & Steenkiste, Figures 19,
# 22, 24, and section 6.3). Sourced by ss97.sh.

# ss97_movement NAME PAPER POLICY HOW: rows of a table; sets `model` and `simulated`. HOW as of
# ss97_model.
ss97_movement()
{
    local time movements moved
    read -r time movements moved < <(ss97_rows "$3" 4 turns 60 30 $SS97_SOR_1000)
    read -r _ model < <(ss97_model 4 60 30 "$4" $SS97_SOR_1000)
    simulated=$(ss97_efficiency 4 60 30 "$time" $SS97_SOR_1000)
    paper_row "$1" "$2" "$model" "$simulated" "$best"
    paper_row '  movements' - - "$movements" -
    paper_row '  rows moved' - - "$moved" -
}

# Figures 19, 22 and 24.
ss97_movements()
{
    local time best model simulated quanta period scales='2 5 10 20 50'
    local raw=rate:quantum=1,gain=0,filter=no,pipelined=no,greatly=inf
    [ "$1" = 0 ] || scales='2 10'
    read -r time _ < <(ss97_rows "$SS97_DEFAULT" 4 turns 60 30 $SS97_SOR_1000)
    best=$(ss97_efficiency 4 60 30 "$time" $SS97_SOR_1000)

    paper_table 'Efficiency beside a load for 30 of 60 s: 1000 x 1000 SOR, 40 iterations, 4 workers'
    paper_head 'period (Figure 19), quanta'
    for quanta in $scales; do
        period=$(ss97_calculate "$quanta * $SS97_QUANTUM")
        ss97_movement "$quanta" - "$raw,period=$period" "$(ss97_how 4 "$period" 0)"
    done
    paper_head 'filter (Figure 22)'
    ss97_movement 'raw rates' - "$raw,period=1" "$(ss97_how 4 1 0)"
    ss97_movement 'filtered rates' - "${raw/filter=no/filter=yes},period=1" \
        "$(ss97_how 4 1 0) filtered=1 near=0.05"
    paper_head 'threshold (Figure 24)'
    ss97_movement 'none' - "${SS97_PAPER/gain=0.1/gain=0}" \
        "$(ss97_how 4 1 2) filtered=1 pipelined=1 near=0.05"
    [ "$1" = 1 ] || ss97_movement "0.05 (Keel's)" - "${SS97_PAPER/gain=0.1/gain=0.05}" \
        "$(ss97_how 4 1 2) filtered=1 pipelined=1 near=0.05 gain=0.05"
    ss97_movement '0.1' 0.777 "$SS97_PAPER" "$(ss97_paper_how 4)"
    ss97_missed "$simulated"
    paper_note "Best: Keel's default. Parameters are as in the paper's footnotes 4, 6 and 7. The load" \
        'and the program take turns of a quantum, which a waiting program keeps; rates that are' \
        'measured over few quanta vary, of which the model knows nothing.'
    paper_note 'The paper states 77.7 % and, in a run in which an imbalance under the threshold' \
        'stayed, 75.6 %. Its sweeps are pipelined and lose some time without any load, which is' \
        'not stated: these movements would leave 77.7 % of sweeps that are' \
        "$(ss97_calculate "int(77.7 / $simulated + 0.5)") % efficient, which Figure 8 has" \
        'between 5 and 25 ms a message.'
}

# S12, where movements cost much and loads change soon: as published, and in Keel's way.
ss97_profitability()
{
    local workers name policy how=${SS97_ANYWAY%,greatly=inf} seeds
    seeds=$(paper_seeds 10)
    [ "$1" = 0 ] || seeds=$(paper_seeds 2)
    paper_table 'Costs and benefits (S12): 2000 x 2000 SOR, load for 10 of 20 s; fitted: MB/s'
    printf '%-44s %9s %24s %10s %11s\n' 'workers; cancelled where cost exceeds' 'time, s' \
        'of seeds' movements 'rows moved'
    for workers in 4 16; do
        while read -r name policy; do
            ss97_weighed "$workers; ${name//_/ }" "$policy" "$workers" "$seeds"
        done <<END
rows_stay off
never $SS97_ANYWAY
4_times_the_benefit,_published $how,profit=published,greatly=4
2_times_the_benefit,_published $how,profit=published,greatly=2
the_benefit,_published $how,profit=published,greatly=1
the_benefit,_as_Keel_weighs_it $how,greatly=1
END
    done
    paper_note 'Published: past costs against the gain times how long rates have stayed. As Keel' \
        'weighs it: no longer than what is left of the run. The paper says "greatly exceeds" and' \
        'no number.'
    paper_note "Times: the load is there from the beginning; of seeds: it begins as drawn" \
        "(medians and ranges over $seeds)."
}

# ss97_weighed NAME POLICY WORKERS SEEDS
ss97_weighed()
{
    local time movements moved
    ss97_methods "one=$2" "$3" 20 10 "$4" $SS97_SOR_2000 >"$ss97_folder/weighed"
    read -r time movements moved < <(ss97_rows "$2" "$3" half 20 10 $SS97_SOR_2000)
    printf '%-44s %9s %24s %10s %11s\n' "$1" "$time" \
        "$(paper_shown "$(paper_spread "$ss97_folder/weighed" one)" 1)" "$movements" "$moved"
}
