# Figures 25 to 30: time and efficiency beside loads that come and go; 32 to 34: by the model.
#
#   gnuplot -e "folder='FOLDER'" oscillation.gp
#
# Columns of FOLDER/oscillation: see oscillation.sh.
set terminal pngcairo noenhanced size 1200, 750 font 'sans,9'
set logscale x 2
set xtics (2, 4, 8, 16)
set xrange [1.8:18]
set grid
set xlabel 'workers'
programs = 'mm:500 sor:1000 sor:2000'
of(program, period) = strcol(1) . ':' . strcol(2) eq program && column(4) == period
pick(program, period, number) = of(program, period) ? column(number) : NaN
points = folder . '/oscillation'
set datafile missing NaN # lines go on beyond other cases

set output folder . '/ss97-evaluation.png'
set ylabel 'time, s'
set yrange [0:*]
set key top right
columns = '8 14 16'
titles = '"rows stay" "the method of the paper" "default"'
set multiplot layout 2, 3 title 'Time beside a load for half of each period (Figures 25-30)'
do for [period in '60 20'] {
    do for [program in programs] {
        set title program . ', ' . period . ' s'
        plot for [i = 1:3] points using 3:(pick(program, real(period), real(word(columns, i)))) \
            with linespoints title word(titles, i)
    }
}
unset multiplot

set output folder . '/ss97-model.png'
set ylabel 'efficiency'
set yrange [0.5:1.02]
set key bottom right
set linetype 1 dashtype 2 linecolor 'black' pointtype 0
set linetype 2 dashtype 1 linecolor 'blue' pointtype 0
set linetype 3 dashtype 1 linecolor 'red' pointtype 7
set linetype 4 dashtype 1 linecolor 'dark-green' pointtype 6
set linetype 5 dashtype 1 linecolor 'gray60' pointtype 5
columns = '5 11 13 17 9'
titles = '"no load" model simulated "default" "rows stay"'
set multiplot layout 2, 3 title 'Efficiency by the model and simulated (Figures 32-34)'
do for [period in '60 20'] {
    do for [program in programs] {
        set title program . ', ' . period . ' s'
        plot for [i = 1:5] points using 3:(pick(program, real(period), real(word(columns, i)))) \
            with linespoints title word(titles, i)
    }
}
unset multiplot
