#!/bin/bash
# A table of each paper, the ones that take seconds; and how whole runs and failures are reported.
source tests/bench/bench_command.sh

# --- rows of whole runs: figures of short runs of bench/papers beside those of whole ones ---

program=$(keel_path tests/bench/paper/results_rows.pl)
results=$TEST_TMPDIR/results
cat >"$results" <<'END'
bench/papers paper

  Medians and, in brackets, ranges over 3 seeds: 16951
2687 10205.

| hosts | paper | paper's method | Keel's default | best old | Keel's best | inputs |
| --- | --- | --- | --- | --- | --- | --- |
| a row | 2.96 | 3.00 (2.90 to 3.10) | 3.79 | 9.9, `old` | 9.9, `own` | chosen |
| another one | 2.96 | 9.9 | - | - | - | chosen |

A table, seeds 1 2
                   paper  simulated
a row of it         1.00       2.00
END

# judge PAPER'S-METHOD DEFAULT SIMULATED SEEDS [PUBLISHED]: what is said of a short run
judge()
{
    perl "$program" "$results" <<END
| hosts | paper | paper's method | Keel's default | best old | Keel's best | inputs |
| --- | --- | --- | --- | --- | --- | --- |
| a row | ${5:-2.96} | $1 | $2 | 1.0, \`old\` | 1.0, \`own\` | chosen |
  Medians and, in brackets, ranges over 2 seeds: $4.

A table, seeds 1 2
                   paper  simulated
a row of it         1.00      $3

Another table, seeds 1
a row of it         7.00      7.00
END
}
is "$(judge '2.95 (2.90 to 3.00)' 3.79 2.00 '16951 2687')" '3 compared' 'the same figures'
is "$(judge '3.00 (2.90 to 3.11)' 3.79 2.00 '16951 2687')" 'a row: 3.00 (2.90 to 3.11), not within 3.00 (2.90 to 3.10)
3 compared' 'a range that is wider'
is "$(judge 2.89 3.78 2.00 '16951 2687')" 'a row: 2.89, not within 3.00 (2.90 to 3.10)
a row: 3.78, not within 3.79
3 compared' 'single figures'
is "$(judge 3.00 - 2.01 '16951 2687')" 'A table, seeds 1 2: a row of it: 1.00 2.01, not 1.00 2.00
2 compared' 'a figure of another table'
is "$(judge 3.00 3.79 2.00 '16951 2687' 2.97)" 'a row: of 2.97, chosen, not 2.96, chosen
3 compared' 'another published figure'
is "$(judge 3.00 3.79 2.00 '16951 7')" '0 compared: the whole run does not name the seeds of this one' 'other seeds'
like "$(perl "$program" "$results.none" 2>&1 <<<'')" 'results.none: No such file' 'no whole run'

# --- failures of a paper are beside its name ---

paper=fg95 parts_only=1
source tests/bench/paper/paper.sh

said=$(SIM_SECONDS=0.01 "$papers" --built "$built" --short fg95 2>&1 >/dev/null)
is $? 1 'simulations that take too long: exit code'
like "$said" '^keel: fg95 did not finish$' 'and message'

# --- a table of each paper, the ones that take seconds: published values are beside simulated ones. All others
# are held at night. ---

parts_only=1

# draw PAPER PART ARGUMENT...: its tables in $tables.
draw()
{
    paper=$1 paper_program=
    [ "$1" != prema05 ] || paper_program=prema05_tasks
    source tests/bench/paper/paper.sh
    tables=$(part "$TEST_TMPDIR/$1" "${@:2}" 2>"$TEST_TMPDIR/complaints")
    is "$? $(<"$TEST_TMPDIR/complaints")" '0 ' "$1: its table is there, without a complaint"
}

# Kim & Purtilo 1996: two migrations, of 3 N / 5 and 3 N / 15 tasks, and all end after 2 N / 5.
draw kp96 example
is "$(figures migrations)" '2 2 2 0 +0.0 +0.0' 'K7: two migrations, as published; none where first blocks go by speed'
is "$(figures 'of 36 tasks')" '1 1 1 0 +0.0 +0.0' 'one of 3 N / 5'
is "$(figures 'of 12 tasks')" '1 1 1 0 +0.0 +0.0' 'one of 3 N / 15'
is "$(figures 'finish, s')" '24 24.00 24.00 24.00 +0.0 +0.0' 'all end after 2 N / 5'

# Franklin & Govindan 1995: speed-ups on 8 hosts by the threshold.
draw fg95 f9 1.2
read -r published diffusion _ < <(figures 'diffusion 1.2')
is "$published" 3.26 'F9: the speed-up of diffusion, threshold 1.2'
ok "$diffusion: within 3 % of it" within 3 "$diffusion" "$published"
read -r published redistribution _ < <(figures 'redistribution 1.2')
is "$published" 2.95 'of redistribution'
ok "$redistribution: 3.44 here, where sorting costs what was fitted to threshold 1.0" within 1 "$redistribution" 3.44

# Barker and others 2005: the published model is within 10 % of what weights in two classes take.
draw prema05 r7 step 8 1
read -r published error _ _ _ walk < <(figures step 'mean absolute error')
is "$published" 10 'R7: the error of the published model, a step of weights, %'
ok "$error: at most that, and more than nothing" test "${error%.*}" -ge 1 -a "${error%.*}" -lt "$published"
ok "$walk: Keel's walk is nearer" test "${walk%.*}" -lt "${error%.*}"
like "$tables" ' reproduced: step: the published model is within 10 %' 'and it is said'

# What tasks weigh, in two classes, too, and where their messages go: forecasts are the same as ever.
forecast()
{
    "$built/bench/papers_dir/prema05/forecast" work=60 processors=64 tasks=4 object_bytes=65000 startup=1e-4 byte=8e-8 poll=200e-6 "$@" 2>&1
}
is "$(forecast classes=0 weights=linear:2 x weights=heavy:25:2 x weights=linear:1 x \
    weights=measured:bench/papers_dir/prema05/pcdt.csv x tasks=32 x messages=10 message_bytes=4000 x \
    classes=2 x tasks=4 x weights=linear:3 x weights=heavy:25:2 x | cut -d' ' -f6-)" '71.2061 73.2743 75.4107 69.0327 79.7647
72.5347 72.8711 78.0414 75.2827 96.0000
60.0240 60.0240 60.0240 60.0240 60.0000
459.5315 460.0247 462.1690 347.5781 743.2227
86.8854 92.9362 105.7209 64.4871 743.2227
87.0413 92.9624 106.5187 64.7730 743.4999
61.7463 71.4486 84.4956 64.7730 647.0962
343.4487 343.6351 350.8899 347.6306 674.5257
64.2898 72.4853 75.1308 66.0366 75.1008
72.5872 72.9236 78.0939 75.3352 96.0420' 'R3 to R6: forecasts of tasks of many weights'
like "$(forecast weights=measured:none.csv x)" 'weights=measured:none.csv is unknown' 'a file of weights that is not there is named'

# Siegell & Steenkiste 1997: in turns with others, pipelines stay near their bound; with barriers, multiples of the
# period lose nothing, and short grains most.
draw ss97 turns
for grain in 0.2571 1.0000 4.0000; do
    read -r bound model simulated _ < <(figures "1,0,0,0; $grain" 'Figure 11')
    ok "Figure 11: a grain of $grain quanta: $simulated, bound $bound" within 2 "$simulated" "$bound"
done
read -r published model simulated _ < <(figures '1,0,0,0; 4.0000' 'Figure 13')
is "$published" 1 'Figure 13: barriers after two periods'
ok "$simulated: they lose nothing" within 0.5 "$simulated" "$published"
read -r _ model simulated _ < <(figures '1,0,0,0; 0.2571' 'Figure 13')
ok "$simulated: after a fourth of a quantum they lose half" within 10 "$simulated" 0.41
is "$(grep -c 'at most 5: met' <<<"$tables")" 2 'the model has both'

done_testing
