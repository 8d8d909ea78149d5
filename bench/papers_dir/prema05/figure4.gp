# Figure 4 of the paper: what each processor did, under several policies.
#
#   gnuplot -e "points='FILE'; output='PNG'" figure4.gp
#
# FILE has lines: policy, processor, last task's end, busy, polling; s.
set terminal pngcairo noenhanced size 1400, 700 font 'sans,9'
set output output
policies = 'none prema repartition iterative seed keel:ss'
of(policy, value) = strcol(1) eq policy ? value : NaN
stats points using 3 nooutput name 'END'
set xrange [-1:64]
set yrange [0:1.3 * END_max]
set style fill solid
set boxwidth 0.9
set grid y
set xlabel 'processor'
set multiplot layout 2, 3 title '64 processors, 8 tasks each, 10 % twice as heavy'
do for [policy in policies] {
    stats points using (of(policy, $3)) nooutput name 'ALL'
    set title sprintf('%s: %.1f s', policy, ALL_max)
    plot points using 2:(of(policy, $3)) with boxes linecolor 'gray85' \
            title 'until its last task', \
        '' using 2:(of(policy, $4 + $5)) with boxes linecolor 'orange' title 'polling, messages', \
        '' using 2:(of(policy, $4)) with boxes linecolor 'steelblue' title 'busy'
}
unset multiplot
