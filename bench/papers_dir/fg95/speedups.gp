# Figures 5 and 6 of Franklin & Govindan: speed-ups over the number of hosts.
#
#   gnuplot -e "points='FILE'; output='PNG'" speedups.gp
#
# FILE has the columns hosts, then by the model and simulated: none, random, diffusion,
# redistribution, ideal; then Keel's best. Solid: simulated; dashed: the model.
set terminal pngcairo noenhanced size 1100, 850 font 'sans,10'
set output output
set key top left samplen 2
set grid
set xtics (2, 4, 8, 16)
set xrange [1:17]
set yrange [1:6]
set xlabel 'hosts'
set ylabel 'speed-up against the first host'
array policy[3] = ['random', 'diffusion', 'redistribution']
set multiplot layout 2, 2 title 'N-body on unequal hosts'
do for [i = 1:3] {
    set title sprintf('none, ideal and %s', policy[i])
    plot points using 1:3 with linespoints linetype 1 title 'none', \
        '' using 1:2 with lines linetype 1 dashtype 2 notitle, \
        '' using 1:(column(2 * i + 3)) with linespoints linetype 2 title policy[i], \
        '' using 1:(column(2 * i + 2)) with lines linetype 2 dashtype 2 notitle, \
        '' using 1:11 with linespoints linetype 3 title 'ideal', \
        '' using 1:10 with lines linetype 3 dashtype 2 notitle
}
set title "all, simulated, and Keel's best"
plot points using 1:3 with linespoints title 'none', \
    '' using 1:5 with linespoints title 'random', \
    '' using 1:7 with linespoints title 'diffusion', \
    '' using 1:9 with linespoints title 'redistribution', \
    '' using 1:12 with linespoints linewidth 2 title "Keel's best", \
    '' using 1:11 with lines dashtype 3 title 'ideal'
unset multiplot
