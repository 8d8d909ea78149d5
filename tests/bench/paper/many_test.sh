#!/bin/bash
# Policies that claim to scale on 256 simulated machines: every iteration and row once, near the
# ideal, few messages.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/paper/table.sh
source bench/paper/many/many.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
built=$(keel_path bench/paper/many/decisions)
built=${built%/bench/paper/*}

# holds EXPRESSION of awk
holds()
{
    awk "BEGIN { exit !($1) }"
}

(set -eu -o pipefail; many_run "$folder" 1) >"$folder/tables"
is "$?" 0 'all experiments came to their end, each iteration and row once'
diag "$(cat "$folder/tables")"
for schedule in tree 'rate*2'; do
    read -r _ _ ratio mean _ < <(grep -F "$schedule " "$folder/tables" | head -n 1)
    ok "$schedule: within 6 % of the ideal" holds "$ratio >= 1 && $ratio <= 1.06"
    ok "$schedule: less than two messages of a rank per level of the tree" holds "$mean > 0 && $mean < 16"
done
read -r _ _ _ off _ < <(grep '^off' "$folder/tables")
for policy in auto tree; do
    read -r _ _ _ last movements _ < <(grep "^$policy .* ms\|^$policy" "$folder/tables" | tail -n 1)
    ok "rows, $policy: within 5 % of the ideal in the end" holds "$last >= 1 && $last <= 1.05"
    ok "rows, $policy: by few movements" holds "$movements >= 1 && $movements <= 4"
done
ok 'without balancing more than twice the ideal' holds "$off > 2"

done_testing
