# The figures of Siegell and Steenkiste (PAPERS.md S1-S17). Sourced from the workspace root
# by bench/papers and by its test, after what they name; defines ss97_run FOLDER SHORT.
#
#   grain.sh        Figures 8 and 9         bench/sim/pipeline
#   turns.sh        Figures 11 and 13       turns
#   movements.sh    Figures 19, 22, 24      rows.sh: bench/sim/rows
#   oscillation.sh  Figures 25-30, 32-34    rows.sh
#   sweeps.sh       Figure 27, pipelined sweeps beside red-black ones
#   compare.sh      Figures 25-30 with loads that begin at drawn times, SOR pipelined and red-black
for ss97_part in grain turns rows movements oscillation sweeps compare; do
    source "bench/papers_dir/ss97/$ss97_part.sh"
done

# A quantum of the paper's machines, in s.
SS97_QUANTUM=0.1

# MB/s from machine to machine. The paper's network carries 12.5 on its fibres; how much of that its
# machines could use is not stated, and a bus of that time passed about a quarter.
SS97_BANDWIDTH=3

# Programs as of experiments.sh; hooks stand within sweeps, as the paper's do, after every 0.5 s of
# sequential time. SOR in red and black, which the model of S16 describes; and the paper's, in
# Gauss-Seidel order, pipelined, with hooks in strip-mined sweeps (sweeps.sh).
SS97_SOR_1000='sor 1000 40x10 10' SS97_SOR_2000='sor 2000 10x40 10' SS97_MM_500='mm 500 500 2'
SS97_PIPELINED_1000='gs 1000 40x10 10' SS97_PIPELINED_2000='gs 2000 10x40 10'

# The paper's method: a master, a period of 10 quanta, rates filtered, a threshold of 0.1, movements
# cancelled whose costs greatly exceed what they save (S12, as published; the paper does not say how
# greatly: twice). It counts all phases alike, so a quantum of 1 ms is stated: of phases that are
# shorter than one, Keel leaves out those that were interrupted.
SS97_ANYWAY=rate:period=1,quantum=1,gain=0.1,greatly=inf # without S12
SS97_PAPER=${SS97_ANYWAY/inf/2},profit=published

# Keel's default, on a machine with such quanta.
SS97_DEFAULT=auto:quantum=100

# NAME=POLICY: published methods, to the letter; rows that stay are one of them. And Keel's own.
SS97_OLD="stay=off ss97=$SS97_PAPER ss97-anyway=$SS97_ANYWAY
    at-once=${SS97_ANYWAY/period=1,quantum=1/period=0.5,quantum=10}
    tree=tree:period=1,quantum=1,gain=0.1,greatly=inf
    diffusion=diffusion:period=1,quantum=1,greatly=inf
    redistribute=redistribute:period=1,quantum=1,greatly=inf
    gradient=gradient:period=1,quantum=1,greatly=inf"
SS97_OWN="default=$SS97_DEFAULT rate-local=rate-local:quantum=100 tree-weighed=tree:quantum=100"

# Those of pipelined sweeps, whose simulation takes 40 times as long.
SS97_SWEPT_SEEDS='1 2 3'
SS97_SWEPT_OLD=$(tr -s ' \n' '\n' <<<"$SS97_OLD" | grep -E '^(stay|ss97|at-once|tree|redistribute)=')
SS97_SWEPT_OWN=$(tr -s ' \n' '\n' <<<"$SS97_OWN" | grep -E '^(default|rate-local)=')

ss97_calculate()
{
    awk "BEGIN { printf \"%.5g\", $1 }"
}

# ss97_row NAME PAPER MODEL SIMULATED BEST: a row whose model is to agree with the simulation; the
# difference counts for the table's bar.
ss97_row()
{
    paper_row "$@"
    echo "$(paper_difference "$3" "$4")" | tr -d '+-' >>"$ss97_folder/differences"
}

# ss97_bar TEXT LIMIT: the largest difference since the last bar.
ss97_bar()
{
    paper_bar "$1: largest difference of model and simulation, %" \
        "$(sort -g "$ss97_folder/differences" | tail -n 1)" "$2"
    rm "$ss97_folder/differences"
}

# ss97_run FOLDER SHORT
ss97_run()
{
    local ss97_folder=$1
    ss97_grain "$2"
    ss97_fixed_grain "$2"
    ss97_round_robin "$2"
    ss97_movements "$2"
    ss97_profitability "$2"
    ss97_oscillations "$2" >"$ss97_folder/oscillation"
    ss97_model_table
    ss97_compare "$2"
    ss97_sweeps_table "$2"
}
