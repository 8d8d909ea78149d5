# Figure 3 of the paper: weights that rise evenly, tasks that send messages. The model, and some simulated
# runs.
#
#   gnuplot -e "folder='FOLDER'; output='PNG'" figure3.gp
#
# FOLDER has files linear-PROCESSORS-RATIO-SETTING: value, lower, average, upper, published; and
# linear-SETTING: value, simulated time on 64 processors, ratio 2.
set terminal pngcairo noenhanced size 1400, 700 font 'sans,9'
set output output
settings = 'tasks quantum neighbours startup'
names = '"tasks per processor" "quantum, s" "neighbourhood" "startup of a message, s"'
set grid
set format x '%g'
set multiplot layout 2, 4 \
    title 'weights from 1 to 1.2, 2 and 4, four neighbours each: average of the model'
do for [processors in '64 256'] {
    do for [i = 1:4] {
        setting = word(settings, i)
        set title processors.' processors'
        set xlabel word(names, i)
        if (setting eq 'quantum' || setting eq 'startup') { set logscale x } \
            else { unset logscale x }
        file(ratio) = sprintf('%s/linear-%s-%s-%s', folder, processors, ratio, setting)
        simulated = processors eq '64' && setting ne 'quantum'
        plot for [ratio in '1.2 2 4'] file(ratio) using 1:3 with linespoints pointsize 0.5 \
                title ratio, \
            for [n = 1:simulated] sprintf('%s/linear-%s', folder, setting) \
                with points pointtype 7 linecolor 'red' title '2, simulated'
    }
}
unset multiplot
