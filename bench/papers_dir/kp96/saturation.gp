# Self-scheduling over the number of workers, with a tree beside it.
#
#   gnuplot -e "points='FILE'; output='PNG'" saturation.gp
#
# FILE has the columns workers, master by the model, master, Keel's ss, tree.
set terminal pngcairo noenhanced size 800, 500 font 'sans,10'
set output output
set logscale xy 2
set grid
set xlabel 'workers'
set ylabel 'time, s'
work = 0
stats points using (work = $0 == 0 ? $1 * $5 : work) nooutput
plot points using 1:3 with linespoints pointtype 7 title 'self-scheduling by a master', \
    '' using 1:2 with lines dashtype 2 linewidth 2 title 'model of it', \
    '' using 1:4 with linespoints pointtype 6 title "Keel's ss", \
    '' using 1:5 with linespoints pointtype 5 title "Keel's tree", \
    work / x with lines dashtype 3 linecolor 'gray50' title 'by speed alone'
