# The picture of bench/pipeline: time of a sweep over the size of its blocks, a panel per case; a
# mark shows the size that was chosen, and what it took.
#
#   gnuplot -e "points='FILE'; output='PNG'; cases='\"A\" \"B\"'" plot.gp
#
# FILE is what report --points writes.
columns = words(cases) > 6 ? 6 : words(cases)
rows = (words(cases) + columns - 1) / columns
set terminal pngcairo noenhanced size 330 * columns + 20, 260 * rows + 40 font 'sans,9'
set output output
set datafile separator "\t"
set logscale x 2
set xlabel 'elements in a block'
set ylabel 'ms of a sweep'
set grid
unset key
of(case, chosen) = strcol(1) eq case && column(4) == chosen ? column(3) : NaN
set multiplot layout rows, columns title "Pipelined sweeps by block size, and the chosen size"
do for [case in cases] {
    set title case
    plot points using 2:(of(case, 0)) with linespoints pointtype 7 pointsize 0.4 linecolor 1, \
        points using 2:(of(case, 1)) with points pointtype 2 pointsize 2 linewidth 2 linecolor 7
}
unset multiplot
