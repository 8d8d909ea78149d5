# The paper's SOR, pipelined and with rows that move within sweeps, beside the same in red and black
# (Siegell & Steenkiste, Figure 27). Sourced by ss97.sh.

# ss97_sweeps_row NAME PERIOD POLICY PROGRAM...: time, efficiency, movements and rows moved; PERIOD 0:
# without load.
ss97_sweeps_row()
{
    local time movements moved kind=half
    [ "$2" != 0 ] || kind=none
    read -r time movements moved < <(ss97_rows "$3" 4 $kind "$2" $(($2 / 2)) "${@:4}")
    printf '%-44s %9s %10s %10s %11s\n' "$1" "$time" \
        "$(ss97_efficiency 4 "$2" $(($2 / 2)) "$time" "${@:4}")" "$movements" "$moved"
}

# ss97_sweeps_over PERIOD PROGRAM...: of the paper's method, time over that of rows that stay.
ss97_sweeps_over()
{
    local stays follows load=("$1" $(($1 / 2)))
    read -r stays _ < <(ss97_rows off 4 half "${load[@]}" "${@:2}")
    read -r follows _ < <(ss97_rows "$SS97_PAPER" 4 half "${load[@]}" "${@:2}")
    awk -v a="$follows" -v b="$stays" 'BEGIN { printf "%.3f\n", a / b }'
}

ss97_sweeps_conclusions()
{
    local over
    printf "  The paper's conclusions, for its pipelined sweeps:\n"
    over=$(ss97_sweeps_over 60 $SS97_PIPELINED_1000)
    paper_conclusion "$over < 1" "with loads of 60 s following pays for SOR 1000: $over of staying" ''
    over=$(ss97_sweeps_over 20 $SS97_PIPELINED_2000)
    paper_conclusion "$over > 1" \
        "with loads of 20 s SOR 2000 gets considerably slower than rows that stay: $over" \
        "Tested: 4 workers, a load that is there from the beginning, 3 MB/s. The paper states no bandwidth."
}

# ss97_sweeps_table SHORT
ss97_sweeps_table()
{
    local period load sizes='1000 2000' size pipelined red_black
    [ "$1" = 0 ] || sizes=1000
    paper_table 'Pipelined SOR beside red-black SOR: 4 workers, a load for half of each period'
    for size in $sizes; do
        pipelined=SS97_PIPELINED_$size red_black=SS97_SOR_$size
        for period in 60 20 0; do
            load="$period s" && [ $period != 0 ] || load='no load'
            printf '%-44s %9s %10s %10s %11s\n' "SOR $size, $load" 'time, s' efficiency \
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
    ss97_sweeps_conclusions
}
