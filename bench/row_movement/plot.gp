# The picture of bench/rows: which rows each rank has, and how fast it is, over time.
#
#   gnuplot -e "points='FILE'; output='PNG'; app='NAME'" plot.gp
#
# FILE has the rows app,loaded,step,rank,time_s,rows,work,rate,filtered_rate. Grey: the competing
# load computes on the core of rank 0.
set terminal pngcairo noenhanced size 1100, 900 font 'sans,10'
set output output
set datafile separator ","
set key outside right samplen 1.5
set grid y
set xlabel 'time, s'
stats points using 4 every ::1 nooutput name 'RANK'
stats points using 5 every ::1 nooutput name 'TIME'
stats points using (column(3) == 0 ? column(6) : 0) every ::1 nooutput name 'ROWS'
set xrange [0:TIME_max]
set style fill solid 0.35 noborder
ranks = int(RANK_max) + 1
of(rank, value) = column(4) == rank ? value : NaN
set multiplot layout ranks + 1, 1 title sprintf('%s beside a load that comes and goes', app)

set lmargin 12
set rmargin 18
set ylabel 'rows, part of all'
set yrange [0:1]
plot points using 5:(of(0, column(2))) with filledcurves y1=0 linecolor 'gray80' title 'load', \
    for [rank = 0:ranks - 1] points using 5:(of(rank, column(6) / ROWS_sum)) \
        with steps linewidth 1.5 linetype rank + 1 title sprintf('rank %d', rank)

set ylabel 'work per s'
do for [rank = 0:ranks - 1] {
    set yrange [*:*] # stats leaves out what lies beyond
    stats points using (of(rank, column(8))) every ::1 nooutput name 'RATE'
    top = RATE_max > 0 ? 1.1 * RATE_max : 1
    set yrange [0:top]
    plot points using 5:(of(0, column(2) * (rank == 0) * top)) with filledcurves y1=0 \
            linecolor 'gray80' notitle, \
        points using 5:(of(rank, column(8))) with steps linecolor 'gray50' \
            title sprintf('rank %d, rate', rank), \
        points using 5:(of(rank, column(9))) with steps linewidth 1.5 linetype rank + 1 \
            title 'filtered'
}
unset multiplot
