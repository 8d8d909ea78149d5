#!/bin/bash
# Programs on moving rows beside loads that come and go: rows are complete, and balancing is at most
# 2 % slower than none, or 3 % where a movement takes as long as a sweep (1 MB/s), but for one case
# of 24, or two: there it is 5 % at most. Simulated time, the same in every run of one program.
source tests/bench/bench_command.sh
simulations

rows=$(keel_path bench/sim/simulated_rows)

# all NAME CONDITION TABLE: of each line; fields as oscillation_case has them.
all()
{
    local wrong
    wrong=$(awk "!($2)" <<<"$3")
    [ -n "$3" ] && [ -z "$wrong" ]
    tap_result $? "$1" || diag "$wrong"
}

# few NAME MOST CONDITION TABLE: of at most so many lines.
few()
{
    local found
    found=$(awk "$3" <<<"$4")
    [ -n "$4" ] && [ "$(grep -c . <<<"$found")" -le "$2" ]
    tap_result $? "$1" || diag "$found"
}

for case in '12.5MBps on' '12.5MBps off' '1MBps on' '1MBps off'; do
    # words of it are arguments
    table=$(oscillation_cases "$folder" "$rows" rate-local:quantum=100 $case 2>&1)
    is "$(wc -l <<<"$table")" 24 "$case: all programs"
    all 'each row was computed as often as it had to' '$13 == "once"' "$table"
    diag "$case: $(awk '{ sum += $9; most = $9 > most ? $9 : most }
        END { print "over none, mean " sum / NR ", most " most }' <<<"$table")"
    case $case in
    1MBps*) most=1.03 count=2 late=1.03 ;;
    *) most=1.02 count=1 late=1.01 ;;
    esac
    few "balancing takes at most $most times as long as none, but for $count" $count "\$9 > $most" \
        "$table"
    all 'and at most 1.06 times in all cases' '$9 <= 1.06' "$table"
    [ "${case%% *}" = 1MBps ] || # a movement takes as long as a sweep
        all 'SOR of 1000 x 1000 on 4 workers at 60 s: 0.93 of the dedicated efficiency' \
        '$1 != "sor" || $2 != 1000 || $3 != 4 || $4 != 60 || $10 >= 0.93 * $6' "$table"
    all 'loads of 60 s on 4 workers and more: faster, or as fast where the load comes too late' \
        "\$3 < 4 || \$4 != 60 || \$9 <= $late" "$table"
done
done_testing
