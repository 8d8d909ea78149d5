#!/bin/bash
# bench/regret draws scenes, runs them under every policy, and prints what auto loses. The same seed
# draws the same scene, and the same runs.
source tests/support/tap.sh

regret=$(keel_path bench/regret)
built=$(keel_path bench/regret_dir/describe)
built=${built%/bench/*}

# Seeds whose scenes are small: 2 and 3 ranks.
run_regret()
{
    timeout "$((3 * tap_patience_s))" "$regret" --built "$built" --scenes 1 --seed "$1" \
        --lines "$TEST_TMPDIR/lines.$2" 2>"$TEST_TMPDIR/messages"
}

table=$(run_regret 3 first)
is $? 0 'the benchmark succeeds' || diag "$(<"$TEST_TMPDIR/messages")"
like "$table" '^seeds 3 to 3; regret of auto against the best of 22 choices$' 'it says its seeds'
like "$table" '^ +3 +[+-][0-9.]+ %  auto [0-9.]+ s, ideal [0-9.]+ s, best [0-9.]+ s by ' 'a line for a scene'
like "$table" '^regret, percent +mean +median +95 % +worst$' 'the table has its heading'
for policy in auto off; do
    like "$table" "^$policy( +-?[0-9.]+){4}$" "$policy is in the table"
done

is "$(wc -l <"$TEST_TMPDIR/lines.first")" 23 'a run for auto and for each choice of the grid'
is "$(awk '$NF != "once"' "$TEST_TMPDIR/lines.first")" '' 'each region was computed once in every step'
is "$(awk '$3 < $4' "$TEST_TMPDIR/lines.first")" '' 'no run takes less than the ideal time'

# The table's mean is the times': computed from the lines, for the only scene.
mean=$(awk '$2 == "auto" { auto = $3; next } !best || $3 < best { best = $3 }
    END { printf "%.2f", 100 * (auto / best - 1) }' "$TEST_TMPDIR/lines.first")
is "$(awk '$1 == "auto" { print $2, $5 }' <<<"$table")" "$mean $mean" 'regret is over the best fixed choice'

run_regret 3 second >/dev/null
is "$(<"$TEST_TMPDIR/lines.second")" "$(<"$TEST_TMPDIR/lines.first")" 'the same seed gives the same runs'

like "$("$regret" --scenes 0 2>&1)" "^keel: --scenes '0' is not a whole number from 1; nothing is run$" \
    'bad options are refused'

done_testing
