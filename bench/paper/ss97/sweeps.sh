# The paper's SOR, pipelined and with rows that move within sweeps, beside the same in red and black
# (Siegell & Steenkiste, Figure 27). Sourced by ss97.sh.

# ss97_sweeps_row NAME PERIOD POLICY PROGRAM...: time, efficiency, movements and rows moved.
ss97_sweeps_row()
{
    local time movements moved
    read -r time movements moved < <(ss97_rows "$3" 4 half "$2" $(($2 / 2)) "${@:4}")
    printf '%-44s %9s %10s %10s %11s\n' "$1" "$time" \
        "$(ss97_efficiency 4 "$2" $(($2 / 2)) "$time" "${@:4}")" "$movements" "$moved"
}

# ss97_sweeps_table SHORT
ss97_sweeps_table()
{
    local period periods='60 20' sizes='1000 2000' size pipelined red_black
    [ "$1" = 0 ] || sizes=1000 periods=60
    paper_table 'Pipelined SOR beside red-black SOR: 4 workers, a load for half of each period'
    for size in $sizes; do
        pipelined=SS97_PIPELINED_$size red_black=SS97_SOR_$size
        for period in $periods; do
            printf '%-44s %9s %10s %10s %11s\n' "SOR $size, $period s" 'time, s' efficiency \
                movements 'rows moved'
            ss97_sweeps_row '  pipelined, rows stay' "$period" off ${!pipelined}
            ss97_sweeps_row "  pipelined, the paper's method" "$period" "$SS97_PAPER" ${!pipelined}
            ss97_sweeps_row "  pipelined, Keel's default" "$period" "$SS97_DEFAULT" ${!pipelined}
            ss97_sweeps_row '  red-black, rows stay' "$period" off ${!red_black}
            ss97_sweeps_row "  red-black, the paper's method" "$period" "$SS97_PAPER" ${!red_black}
            ss97_sweeps_row "  red-black, Keel's default" "$period" "$SS97_DEFAULT" ${!red_black}
        done
    done
    paper_note 'The paper states 77.7 % and 75.6 % for its pipelined SOR 1000 at 60 s. Bandwidth,' \
        'the time of a point and message times are not stated: these here are chosen.'
}
