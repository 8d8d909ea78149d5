# Figures 11 and 13: efficiency under round-robin scheduling by the grain.
#
#   gnuplot -e "folder='FOLDER'" turns.gp
set terminal pngcairo noenhanced size 1100, 430 font 'sans,9'
set output folder . '/ss97-turns.png'
set grid
set xlabel 'grain, quanta'
set ylabel 'efficiency'
set yrange [0:1.05]
set xrange [0:12]
set key bottom right
loads = '1,0,0,0 1,1,0,0 2,0,0,0'
set multiplot layout 1, 2 title 'Balanced loops on 4 machines in turns with loads (Figures 11, 13)'
do for [kind in 'pipelined barrier'] {
    set title kind
    plot for [i = 1:3] folder . '/curve-' . kind . '-' . word(loads, i) using 1:3 with lines \
            linetype i title 'loads ' . word(loads, i) . ', model', \
        for [i = 1:3] '' . folder . '/curve-' . kind . '-' . word(loads, i) using 1:4 \
            with points linetype i pointtype 6 pointsize 0.5 title 'simulated', \
        folder . '/curve-' . kind . '-1,0,0,0' using 1:2 with lines linecolor 'black' \
            dashtype 2 title 'bound'
}
unset multiplot
