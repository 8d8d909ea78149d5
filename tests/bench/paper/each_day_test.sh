#!/bin/bash
# A table of each paper, the ones that take seconds: published figures stand beside what is simulated. All others are
# held at night.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/papers_dir/table.sh
for paper in kp96 fg95 prema05 ss97; do
    source "bench/papers_dir/$paper/$paper.sh"
done

built=$(keel_path bench/papers_dir/kp96/loops)
built=${built%/bench/papers_dir/kp96/loops}

# draw PAPER FUNCTION ARGUMENT...: its tables in $tables.
draw()
{
    tables=$TEST_TMPDIR/$1.tables
    mkdir "$TEST_TMPDIR/$1"
    ss97_folder=$TEST_TMPDIR/$1
    (set -eu -o pipefail && "${@:2}") >"$tables" 2>"$TEST_TMPDIR/complaints"
    is "$? $(<"$TEST_TMPDIR/complaints")" '0 ' "$1: its table is there, without a complaint"
}

# row NAME: of the first such row, what follows its name.
row()
{
    awk -v row="$1 " 'index($0, row) == 1 { sub(row " *", ""); print; exit }' "$tables"
}

# near PERCENT FIGURE PAPER
near()
{
    awk -v percent="$1" -v figure="$2" -v paper="$3" 'BEGIN {
        off = 100 * (figure / paper - 1)
        exit !(figure + 0 > 0 && off <= percent && off >= -percent) }'
}

# Kim & Purtilo 1996: two migrations, of 3 N / 5 and 3 N / 15 tasks, and all end after 2 N / 5.
draw kp96 kp96_example "$TEST_TMPDIR/kp96"
is "$(row migrations | xargs)" '2 2 2 0 +0.0 +0.0' 'K7: two migrations, as published; none where first blocks go by speed'
is "$(row 'of 36 tasks' | xargs)" '1 1 1 0 +0.0 +0.0' 'one of 3 N / 5'
is "$(row 'of 12 tasks' | xargs)" '1 1 1 0 +0.0 +0.0' 'one of 3 N / 15'
is "$(row 'finish, s' | xargs)" '24 24.00 24.00 24.00 +0.0 +0.0' 'all end after 2 N / 5'

# Franklin & Govindan 1995: speed-ups on 8 hosts by the threshold.
draw fg95 fg95_f9 "$TEST_TMPDIR/fg95" 1 1.2
read -r paper diffusion _ < <(row 'diffusion 1.2')
is "$paper" 3.26 'F9: the speed-up of diffusion, threshold 1.2'
ok "$diffusion: within 3 % of it" near 3 "$diffusion" "$paper"
read -r paper redistribution _ < <(row 'redistribution 1.2')
is "$paper" 2.95 'of redistribution'
ok "$redistribution: 3.44 here, where sorting costs what was fitted to threshold 1.0" near 1 "$redistribution" 3.44

# Barker and others 2005: the published model is within 10 % of what weights in two classes take.
step()
{
    local folder=$1 PREMA05_TESTS='heavy:25:2 step 8 10'
    prema05_compare "$folder" 32 8 1 >"$folder/compare"
    prema05_errors "$folder/compare"
}
draw prema05 step "$TEST_TMPDIR/prema05"
read -r paper error _ _ _ walk < <(row step)
is "$paper" 10 'R7: the error of the published model, a step of weights, %'
ok "$error: at most that, and more than nothing" test "${error%.*}" -ge 1 -a "${error%.*}" -lt "$paper"
ok "$walk: Keel's walk is nearer" test "${walk%.*}" -lt "${error%.*}"
like "$(<"$tables")" 'came out: step: the published model is within 10 %' 'and it is said'

# Siegell & Steenkiste 1997: in turns with others, pipelines stay near their bound; with barriers, multiples of the
# period lose nothing, and short grains most.
draw ss97 ss97_round_robin 1
# turns FIGURE GRAIN: paper, model, simulated
turns()
{
    sed -n "/(Figure $1)/,/at most/p" "$tables" | awk -v row="1,0,0,0; $2" 'index($0, row) == 1 { print $3, $4, $5 }'
}
for grain in 0.2571 1.0000 4.0000; do
    read -r paper model simulated <<<"$(turns 11 $grain)"
    ok "Figure 11: a grain of $grain quanta: $simulated, bound $paper" near 2 "$simulated" "$paper"
done
read -r paper model simulated <<<"$(turns 13 4.0000)"
is "$paper" 1 'Figure 13: barriers after two periods'
ok "$simulated: they lose nothing" near 0.5 "$simulated" "$paper"
read -r _ model simulated <<<"$(turns 13 0.2571)"
ok "$simulated: after a fourth of a quantum they lose half" near 10 "$simulated" 0.41
is "$(grep -c 'at most 5: met' "$tables")" 2 'the model has both'
done_testing
