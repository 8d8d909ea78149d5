# Figure 2 of the paper: half of the tasks are heavy. The model, and some simulated runs.
#
#   gnuplot -e "folder='FOLDER'; output='PNG'" figure2.gp
#
# FOLDER has files bimodal-PROCESSORS-RATIO-SETTING: value, lower, average, upper, published; and
# bimodal-SETTING: value, simulated time on 32 processors, ratio 2.
set terminal pngcairo noenhanced size 1300, 1000 font 'sans,9'
set output output
settings = 'tasks quantum neighbours'
names = '"tasks per processor" "quantum, s" "neighbourhood"'
set grid
set yrange [55:130]
set multiplot layout 3, 3 title 'half of the tasks 2 and 4 times as heavy: average of the model'
do for [processors in '32 64 256'] {
    do for [i = 1:3] {
        setting = word(settings, i)
        set title processors.' processors'
        set xlabel word(names, i)
        if (setting eq 'quantum') { set logscale x } else { unset logscale x }
        file(ratio) = sprintf('%s/bimodal-%s-%s-%s', folder, processors, ratio, setting)
        plot file('2') using 1:2:4 with filledcurves linecolor 'gray90' notitle, \
            '' using 1:3 with linespoints pointsize 0.5 linecolor 'black' title '2', \
            file('4') using 1:3 with linespoints pointsize 0.5 linecolor 'blue' title '4', \
            for [n = 1:processors eq '32'] sprintf('%s/bimodal-%s', folder, setting) \
                with points pointtype 7 linecolor 'red' title '2, simulated'
    }
}
unset multiplot
