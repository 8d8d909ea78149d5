# Table 2 of Kim & Purtilo: how many migrations there were of so many tasks.
#
#   gnuplot -e "points='FILE'; output='PNG'" sizes.gp
#
# FILE has the columns tasks, paper, tree by the model, tree, Keel's best.
set terminal pngcairo noenhanced size 1000, 400 font 'sans,10'
set output output
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.7 noborder
set key inside right top
set grid y
set xlabel 'tasks'
set ylabel 'migrations'
plot points using 2:xtic(1) title 'paper', \
    '' using 3 title 'model', \
    '' using 4 title 'tree, simulated', \
    '' using 5 title "Keel's default"
