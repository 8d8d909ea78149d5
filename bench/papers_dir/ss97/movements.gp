# Figure 19: efficiency by the period.
#
#   gnuplot -e "folder='FOLDER'" movements.gp
set terminal pngcairo noenhanced size 600, 420 font 'sans,9'
set output folder . '/ss97-period.png'
set logscale x
set grid
set xlabel 'period, quanta'
set ylabel 'efficiency'
set key bottom right
set title '1000 x 1000 SOR, 4 workers, load for 30 of 60 s (Figure 19)'
plot folder . '/periods' using 1:2 with lines linewidth 1.5 title 'model', \
    '' using 1:3 with linespoints pointtype 7 title 'simulated'
