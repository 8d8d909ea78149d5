#!/bin/bash
# Programs on moving rows beside loads that come and go: rows are complete, and balancing is never
# more than 2 % slower than none, or 3 % where a movement takes as long as a sweep (1 MB/s).
# Simulated time, the same in every run of one program.
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/sim/oscillation.sh

folder=$TEST_TMPDIR
rows=$(keel_path bench/sim/rows)

# holds NAME CONDITION TABLE: of each line; fields as oscillation_case has them.
holds()
{
    local wrong
    wrong=$(awk "!($2)" <<<"$3")
    [ -n "$3" ] && [ -z "$wrong" ]
    tap_result $? "$1" || diag "$wrong"
}

for case in '12.5MBps on' '12.5MBps off' '1MBps on' '1MBps off'; do
    # words of it are arguments
    table=$(oscillation_cases "$folder" "$rows" rate-local:quantum=100 $case 2>&1)
    is "$(wc -l <<<"$table")" 24 "$case: all programs"
    holds 'each row was computed as often as it had to' '$13 == "once"' "$table"
    [ "${case%% *}" = 1MBps ] && most=1.03 || most=1.02
    holds "balancing takes at most $most times as long as none" "\$9 <= $most" "$table"
    [ "${case%% *}" = 1MBps ] || # a movement takes as long as a sweep
        holds 'SOR of 1000 x 1000 on 4 workers at 60 s: 0.93 of the dedicated efficiency' \
        '$1 != "sor" || $2 != 1000 || $3 != 4 || $4 != 60 || $10 >= 0.93 * $6' "$table"
    holds 'loads of 60 s on 4 workers and more: faster, or as fast where the load comes too late' \
        '$3 < 4 || $4 != 60 || $9 <= 1.01' "$table"
done
done_testing
