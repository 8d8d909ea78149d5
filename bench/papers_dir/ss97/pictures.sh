# Pictures of the paper's figures. Sourced by ss97.sh.

# What the loaded machine had over time, in files NAME-trace.0: without the filter and with it, by
# three thresholds, and with a policy of Keel's.
ss97_traces()
{
    local raw=rate:period=1,quantum=1,gain=0,pipelined=no,greatly=inf
    local name policy
    for name in raw filtered threshold-0 threshold-0.05 threshold-0.1 keel; do
        case $name in
        raw) policy=$raw,filter=no ;;
        filtered) policy=$raw,filter=yes ;;
        keel) policy=$SS97_DEFAULT ;;
        *) policy=${SS97_PAPER/gain=0.1/gain=${name#*-}} ;;
        esac
        ss97_simulate "$policy" 4 turns 60 30 $SS97_SOR_1000 "$ss97_folder/$name-trace" >/dev/null
    done
}

# Figures 11 and 13 at more grains than the tables have.
ss97_turns_curves()
{
    local loads
    for loads in 1,0,0,0 1,1,0,0 2,0,0,0; do
        ss97_turns pipelined "$loads" $(seq 0.4 0.4 12) >"$ss97_folder/curve-pipelined-$loads"
        ss97_turns barrier "$loads" $(seq 0.1 0.1 12) >"$ss97_folder/curve-barrier-$loads"
    done
}

ss97_pictures()
{
    local script
    command -v gnuplot >/dev/null || return 0
    ss97_turns_curves
    ss97_traces
    for script in grain turns movements traces oscillation; do
        paper_draw -e "folder='$ss97_folder'" "bench/papers_dir/ss97/$script.gp"
    done
}
