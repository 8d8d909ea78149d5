# Figures 8 and 9: efficiency by block size, at three message costs; and with a fixed grain and with
# chosen blocks, by workers.
#
#   gnuplot -e "folder='FOLDER'" grain.gp
set terminal pngcairo noenhanced size 1200, 420 font 'sans,9'
set output folder . '/ss97-grain.png'
set logscale x
set yrange [0:1]
set grid
set xlabel 'elements in a block'
set ylabel 'efficiency'
set key bottom center
set multiplot layout 1, 3 title 'Pipelined SOR, 1000 x 1000, 4 workers (Figure 8)'
do for [fixed in '0.001 0.005 0.025'] {
    set title sprintf('%g ms a message', 1000 * real(fixed))
    of(size, workers, cost) = size == 1000 && workers == 4 && cost == real(fixed)
    plot folder . '/grain-' . fixed using 1:2 with lines linewidth 1.5 title 'model', \
        '' using 1:3 with points pointtype 7 pointsize 0.7 title 'simulated', \
        folder . '/chosen' using (of($2, $1, $3) ? $4 : NaN):(1) with impulses \
            linecolor 'gray40' dashtype 2 title 'chosen'
}
unset multiplot

set output folder . '/ss97-fixed.png'
set xtics (2, 4, 8, 16)
set logscale x 2
set xrange [1.8:18]
set xlabel 'workers'
set key bottom left
set multiplot layout 1, 2 title 'Pipelined SOR by the size of blocks (Figure 9)'
do for [size in '1000 2000'] {
    set title size . ' x ' . size
    plot folder . '/fixed' using ($2 == real(size) ? $1 : NaN):4 with linespoints \
            title 'grain of 150 ms', \
        folder . '/chosen' using ($2 == real(size) && $3 == 0.001 ? $1 : NaN):5 \
            smooth unique with linespoints title 'chosen, barrier after each sweep', \
        '' using ($2 == real(size) && $3 == 0.001 ? $1 : NaN):6 \
            smooth unique with linespoints title 'chosen, no barrier'
}
unset multiplot
