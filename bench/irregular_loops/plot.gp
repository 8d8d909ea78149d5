# The picture of bench/imbalance: a panel per condition, a place per kernel, a mark per schedule.
#
#   gnuplot -e "points='FILE'; output='PNG'; conditions='A B'; kernels='K L'" \
#       -e "variants='\"V\" \"W\"'" plot.gp
#
# FILE is what report --points writes.
columns = words(conditions) > 1 ? 2 : 1
rows = (words(conditions) + columns - 1) / columns
set terminal pngcairo noenhanced size 900 * columns, 380 * rows + 40 font 'sans,10'
set output output
set datafile separator "\t"
set logscale y 2
set yrange [0.95:*]
set ytics (1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16)
set ylabel 'time / ideal'
set grid y
set key outside right samplen 1 font ',9'
set xrange [-0.6:words(kernels) - 0.4]
set xtics () rotate by -25 scale 0
do for [k = 1:words(kernels)] {
    set xtics add (word(kernels, k) k - 1)
    if (k < words(kernels)) {
        set arrow from k - 0.5, graph 0 to k - 0.5, graph 1 nohead linecolor 'gray'
    }
}
set multiplot layout rows, columns title 'Time of a loop against ideal (total work over total rate)'
do for [condition in conditions] {
    set title condition
    plot for [v = 1:words(variants)] points using \
        (strcol(1) eq condition && strcol(2) eq word(variants, v) ? \
        $3 + 0.7 * ((v - 0.5) / words(variants) - 0.5) : NaN):5 \
        with points pointtype v pointsize 1.3 linewidth 1.5 title word(variants, v)
}
unset multiplot
