# Figure 6b of Kim & Purtilo: when each of the 16 machines of K8 ends.
#
#   gnuplot -e "points='FILE'; output='PNG'" machines.gp
#
# FILE has the columns seconds alone, ss by the model, ss, tree by the model, tree, Keel's best.
set terminal pngcairo noenhanced size 1000, 450 font 'sans,10'
set output output
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.7 noborder
set key outside right
set grid y
set yrange [0:*]
set xtics rotate by -45
set xlabel 'machine, s that it needs alone'
set ylabel 'end of its last row, s'
plot points using 2:xtic(1) title 'self-scheduling', \
    '' using 4 title 'tree, as published', \
    '' using 5 title "Keel's default"
