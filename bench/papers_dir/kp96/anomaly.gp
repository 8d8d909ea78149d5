# The anomaly of equal shares: another machine makes a job slower unless it is fast enough.
#
#   gnuplot -e "points='FILE'; output='PNG'" anomaly.gp
#
# FILE has the columns speed of the added machine, equal shares by the model, equal shares, tree.
# The other four have speed 1 and take 100 s.
set terminal pngcairo noenhanced size 800, 450 font 'sans,10'
set output output
set grid
set yrange [0:500]
set xlabel 'speed of the added machine'
set ylabel 'time, s'
plot 100 with lines linecolor 'gray50' title 'without it', \
    points using 1:2 with lines dashtype 2 linewidth 2 title 'equal shares, model', \
    '' using 1:3 with linespoints pointtype 7 title 'equal shares', \
    '' using 1:4 with linespoints pointtype 5 title "Keel's tree"
