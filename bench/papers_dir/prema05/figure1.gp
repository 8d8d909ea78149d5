# Figure 1 of the paper: run times of PREMA, simulated, and those of the published model and of
# Keel's walk.
#
#   gnuplot -e "points='FILE'; output='PNG'; counts='PROCESSORS...'" figure1.gp
#
# FILE has lines: weights, processors, tasks; times: published model, walk with two classes,
# simulated with two classes, walk, simulated.
set terminal pngcairo noenhanced size 1400, 650 font 'sans,9'
set output output
tests = 'linear:2 linear:4 heavy:25:2 measured:bench/papers_dir/prema05/pcdt.csv'
names = 'linear-2 linear-4 step PCDT-like'
of(row, test, processors, value) = strcol(1) eq word(tests, test) && column(2) == processors ? \
    value : NaN
set datafile missing NaN
set logscale x 2
set xrange [1.7:19]
set xtics (2, 4, 8, 16)
set yrange [55:100]
set grid y
set multiplot layout words(counts), 4 title 'run time over tasks per processor'
do for [processors in counts] {
    do for [test = 1:4] {
        set title sprintf('%s, %s processors', word(names, test), processors)
        if (test == 1) { set ylabel 'time, s' } else { unset ylabel }
        if (test == 1) { set key top right } else { unset key }
        plot points using 3:(of(0, test, processors + 0, $4)) with linespoints pointtype 10 \
                linecolor 'gray60' title 'published model', \
            '' using 3:(of(0, test, processors + 0, $7)) with linespoints pointtype 4 \
                linecolor 'black' title "Keel's walk", \
            '' using 3:(of(0, test, processors + 0, $8)) with points pointtype 7 pointsize 1.3 \
                linecolor 'red' title 'simulated'
    }
}
unset multiplot
