# The grain of pipelined sweeps (Siegell & Steenkiste, Figures 8 and 9). Sourced by ss97.sh.

# A point of SOR takes 10 us. A message takes each side half of its FIXED cost, and 40 ns a byte,
# whatever else happens; on its way it takes 50 us.
SS97_POINT=1e-5 SS97_ELEMENT_COST=6.4e-7

# ss97_sweeps WORKERS SIZE FIXED SWEEPS chained|isolated BLOCK...: lines of bench/sim/pipeline, of
# SOR in Gauss-Seidel order.
ss97_sweeps()
{
    local half SIM_FLAGS option
    half=$(ss97_calculate "$3 / 2"):4e-8
    SIM_FLAGS='--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1'
    for option in os ois or; do
        SIM_FLAGS+=" --cfg=smpi/$option:0:$half"
    done
    sim_platform "$ss97_folder" 25us 12.5MBps $(yes 1M | head -n "$1")
    sim_run "$ss97_folder/platform.xml" "$ss97_folder/hosts" "$1" "$built/bench/sim/pipeline" \
        "$2" "$2" 10 0 "$4" "$5" "${@:6}"
}

# ss97_sweep_model WORKERS SIZE FIXED BLOCK...: lines "BLOCK SECONDS EFFICIENCY".
ss97_sweep_model()
{
    "$built/bench/papers_dir/ss97/model" pipeline "$1" "$2" \
        "$(ss97_calculate "$2 * $2 * $SS97_POINT")" "$3" "$SS97_ELEMENT_COST" "${@:4}"
}

# ss97_chosen WORKERS SIZE FIXED MODE: "BLOCK EFFICIENCY LATER": of ten sweeps with the chosen
# block, and of the last five, in which the block is known.
ss97_chosen()
{
    ss97_sweeps "$1" "$2" "$3" 10 "$4" 0 | awk -v workers="$1" \
        -v alone="$(ss97_calculate "1e3 * $2 * $2 * $SS97_POINT")" '{
            printf "%s %.4f %.4f\n", $6, alone / (workers * $4), alone / (workers * $5) }'
}

# ss97_fixed WORKERS SIZE FIXED BLOCK...: lines "BLOCK MODEL SIMULATED", efficiencies.
ss97_fixed()
{
    paste -d ' ' <(ss97_sweep_model "$@") <(ss97_sweeps "${@:1:3}" 2 isolated "${@:4}") |
        awk -v workers="$1" -v alone="$(ss97_calculate "1e3 * $2 * $2 * $SS97_POINT")" '{
            printf "%s %s %.4f\n", $1, $3, alone / (workers * $7) }'
}

# ss97_chosen_rows NAME WORKERS SIZE FIXED: rows of the chosen block.
ss97_chosen_rows()
{
    local name=$1 block model all later chained chained_later
    shift
    read -r block all later < <(ss97_chosen "$@" isolated)
    read -r _ chained chained_later < <(ss97_chosen "$@" chained)
    model=$(ss97_sweep_model "$@" 0 | cut -d ' ' -f 3)
    ss97_row "$name, chosen ($block)" - "$model" "$later" "$chained_later"
    paper_row '  and all ten sweeps' - - "$all" "$chained"
}

# Figure 8.
ss97_grain()
{
    local fixed block model simulated blocks='1 2 5 10 20 40 80 125 250 500 1000'
    [ "$1" = 0 ] || blocks='5 20 80 250'
    paper_table 'Efficiency of pipelined SOR by block size (Figure 8): 1000 x 1000, 4 workers'
    paper_head 'message cost, elements'
    for fixed in 0.001 0.005 0.025; do
        while read -r block model simulated; do
            ss97_row "$(ss97_calculate "1000 * $fixed") ms, $block" - "$model" "$simulated" -
        done < <(ss97_fixed 4 1000 "$fixed" $blocks)
        ss97_chosen_rows "$(ss97_calculate "1000 * $fixed") ms" 4 1000 "$fixed"
    done
    ss97_bar 'pipeline' 5
    paper_note 'Model: S4, and S5 where the block is chosen. Simulated: sweeps of the real' \
        'pipeline, with a barrier after each, as the model has them. Best: without one, with' \
        'blocks chosen for that. Two sweeps try blocks; they count in the rows of all ten.'
    paper_note 'The paper draws its figures, and does not state its message costs and times of a' \
        'point. Here: 1, 5 and 25 ms of processor time for an empty message on both sides' \
        'together, 10 us a point.'
}

# Figure 9: blocks of 1.5 quanta, and chosen ones.
ss97_fixed_grain()
{
    local size workers block model simulated sizes='1000 2000' many='2 4 8 16'
    [ "$1" = 0 ] || sizes=1000 many='2 16'
    paper_table 'Efficiency of pipelined SOR with a grain of 150 ms and the chosen one (Figure 9)'
    paper_head 'size, workers'
    for size in $sizes; do
        for workers in $many; do
            block=$(ss97_calculate \
                "int(1.5 * $SS97_QUANTUM * $workers / ($size * $SS97_POINT) + 0.5)")
            read -r block model simulated < <(ss97_fixed "$workers" "$size" 0.001 "$block")
            ss97_row "$size, $workers, 150 ms ($block)" - "$model" "$simulated" -
            ss97_chosen_rows "$size, $workers" "$workers" "$size" 0.001
        done
    done
    ss97_bar 'pipeline' 5
    paper_note 'An empty message takes 1 ms. The paper has two sizes and does not say which;' \
        'these are those of its evaluation.'
}
