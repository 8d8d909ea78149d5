#!/bin/bash
# bench/regret draws scenes, runs them under every policy, and prints what auto loses. The same seed
# draws the same scene, and the same runs.
name=regret program=regret_dir/describe
source tests/bench/command.sh

# Seeds whose scenes are small: 2 and 3 ranks.
succeeds --scenes 1 --seed 3 --lines "$TEST_TMPDIR/lines.first"
like "$table" '^seeds 3 to 3; regret of auto against the best of 22 choices$' 'it says its seeds'
like "$table" '^ +3 +[+-][0-9.]+ %  auto [0-9.]+ s, ideal [0-9.]+ s, best [0-9.]+ s by ' 'a line for a scene'
like "$table" '^regret, percent +mean +gains: 0 +median +95 % +worst$' 'the table has its heading'
for policy in auto off; do
    like "$table" "^$policy( +-?[0-9.]+){5}$" "$policy is in the table"
done

is "$(wc -l <"$TEST_TMPDIR/lines.first")" 23 'a run for auto and for each choice of the grid'
is "$(awk '$NF != "once"' "$TEST_TMPDIR/lines.first")" '' 'each region was computed once in every step'
is "$(awk '$3 < $4' "$TEST_TMPDIR/lines.first")" '' 'no run takes less than the ideal time'

# The table's mean is the times': computed from the lines, for the only scene.
mean=$(awk '$2 == "auto" { auto = $3; next } !best || $3 < best { best = $3 }
    END { printf "%.2f", 100 * (auto / best - 1) }' "$TEST_TMPDIR/lines.first")
is "$(awk '$1 == "auto" { print $2, $6 }' <<<"$table")" "$mean $mean" 'regret is over the best fixed choice'
is "$(awk '$1 == "auto" { print $3 }' <<<"$table")" "$(awk "BEGIN { printf \"%.2f\", ($mean > 0 ? $mean : 0) }")" \
    'and none where auto gains'

run --scenes 1 --seed 3 --lines "$TEST_TMPDIR/lines.second" >/dev/null 2>&1
is "$(<"$TEST_TMPDIR/lines.second")" "$(<"$TEST_TMPDIR/lines.first")" 'the same seed gives the same runs'

refuses "--scenes '0' is not a whole number from 1; nothing is run$" --scenes 0
done_testing
