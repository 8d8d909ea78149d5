# Figures 22 and 24: how fast the loaded machine was, as a part of its highest rate, and what work
# it had, as a part of an equal share, over time.
#
#   gnuplot -e "folder='FOLDER'" traces.gp
set terminal pngcairo noenhanced size 900, 800 font 'sans,9'
set datafile separator ","
set key outside right samplen 1.5
set grid
set xlabel 'time, s'
set yrange [0:1.2]
do for [picture in 'filter threshold'] {
    names = picture eq 'filter' ? 'raw filtered' \
                                : 'threshold-0 threshold-0.05 threshold-0.1 keel'
    set output folder . '/ss97-' . picture . '.png'
    set multiplot layout words(names), 1 \
        title '1000 x 1000 SOR, 4 workers, load for 30 of 60 s (Figures 22, 24)'
    do for [name in names] {
        trace = folder . '/' . name . '-trace.0'
        set yrange [*:*] # stats leaves out what lies beyond
        stats trace using 4 nooutput name 'RATE'
        set yrange [0:1.2]
        set title name
        plot trace using 2:($4 / RATE_max) with steps linecolor 'gray60' title 'raw rate', \
            '' using 2:($5 / RATE_max) with steps linetype 1 title 'filtered rate', \
            '' using 2:($3 / 250) with steps linetype 7 linewidth 1.5 title 'work'
    }
    unset multiplot
}
