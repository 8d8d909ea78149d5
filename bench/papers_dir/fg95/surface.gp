# Figure 7 of Franklin & Govindan, and F9: speed-ups on 8 hosts over the parameters.
#
#   gnuplot -e "folder='FOLDER'; output='PNG'" surface.gp
#
# FOLDER/{random,diffusion,redistribution}: w*, alpha, speed-up by the model; FOLDER/simulated:
# policy, w*, alpha, speed-up.
set terminal pngcairo noenhanced size 1100, 500 font 'sans,10'
set output output
simulated = folder . '/simulated'
of(policy) = strcol(1) eq policy ? column(4) : NaN
set multiplot layout 1, 2
set title 'random: model, and simulated (points)'
set xlabel 'alpha'
set ylabel 'w*'
set zlabel 'speed-up' rotate
set ticslevel 0.1
set view 60, 320
set hidden3d offset 0
splot folder . '/random' using 2:1:3 with lines title 'model', \
    simulated using 3:2:(of('surface')) with points pointtype 7 title 'simulated'
set title 'diffusion and redistribution'
set grid
set key bottom
set xrange [0.95:1.55]
set xlabel 'w*'
set ylabel 'speed-up'
plot folder . '/diffusion' using 1:3 with lines linetype 1 dashtype 2 title 'diffusion, model', \
    simulated using 2:(of('diffusion')) with points linetype 1 pointtype 7 title 'simulated', \
    folder . '/redistribution' using 1:3 with lines linetype 2 dashtype 2 \
        title 'redistribution, model', \
    simulated using 2:(of('redistribution')) with points linetype 2 pointtype 5 title 'simulated'
unset multiplot
