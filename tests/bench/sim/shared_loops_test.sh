#!/bin/bash
# Shared loops in simulated jobs: they end when they should, and execute every iteration once.
source tests/bench/bench_command.sh
simulations

# --- whole jobs ---
#
# Simulations repeat exactly, so what they print is compared as it is; after a change of how ranks share, look at the differences and
# put what this prints in the place of the output below:
#
#   tests/bench/sim/shared_loops_test.sh print

loops=$(keel_path bench/sim/simulated_loops)

# loop_lines KNOWN RANKS COSTS SCHEDULE...
loop_lines()
{
    echo "$2 ranks, $3"
    scale_run "$folder" "$1" "$2" "$loops" "$3" '200*' '1e7*' rows 1 "${@:4}" >"$folder/lines" || echo failed
    grep '^loop ' "$folder/lines"
}

print_all()
{
    for ranks in 16 64; do
        for costs in even irregular; do
            loop_lines 0 "$ranks" "$costs" tree 'rate*2' steal diffuse fac2 af
        done
    done
    echo 'known speeds'
    loop_lines 1 64 even tree
}

if [ "${1:-}" = print ]; then
    print_all 2>&1
    exit
fi

print_all >"$folder/output" 2>&1
cat >"$folder/expected" <<'END'
16 ranks, even
loop tree 1 5.3245 5.3223 5.1613 110 2107 290 29 once
loop rate 1 5.3245 5.3223 5.1613 110 2107 290 29 once
loop rate 2 5.2194 5.2172 5.1613 2 2 103 11 once
loop steal 1 5.3172 5.3150 5.1613 104 1757 371 36 once
loop diffuse 1 5.3458 5.3436 5.1613 43 1502 434 47 once
loop fac2 1 8.0158 8.0137 5.1613 0 0 148 25 once
loop af 1 5.2161 5.2136 5.1613 0 0 310 26 once
16 ranks, irregular
loop tree 1 5.5125 5.5104 5.2473 130 2139 293 27 once
loop rate 1 5.5126 5.5104 5.2473 130 2139 293 27 once
loop rate 2 5.5031 5.5008 5.2473 36 176 159 16 once
loop steal 1 5.5679 5.5656 5.2473 118 1744 432 42 once
loop diffuse 1 5.7742 5.7718 5.2473 50 1506 479 59 once
loop fac2 1 7.9677 7.9653 5.2473 0 0 150 28 once
loop af 1 5.4407 5.4383 5.2473 3 3 354 36 once
64 ranks, even
loop tree 1 6.6456 6.6424 6.4762 601 6971 1444 44 once
loop rate 1 6.6458 6.6424 6.4762 601 6971 1444 44 once
loop rate 2 6.5164 6.5131 6.4762 2 2 533 13 once
loop steal 1 6.7374 6.7345 6.4762 542 7167 1928 63 once
loop diffuse 1 6.7251 6.7218 6.4762 208 5079 2115 90 once
loop fac2 1 8.0186 8.0156 6.4762 0 0 682 35 once
loop af 1 6.5513 6.5476 6.4762 0 0 1516 33 once
64 ranks, irregular
loop tree 1 6.9187 6.9156 6.5381 625 6978 1698 69 once
loop rate 1 6.9189 6.9156 6.5381 625 6978 1698 69 once
loop rate 2 7.0016 6.9982 6.5381 192 722 998 34 once
loop steal 1 7.0858 7.0826 6.5381 577 7468 2062 85 once
loop diffuse 1 7.1366 7.1334 6.5381 210 4986 2194 81 once
loop fac2 1 8.1722 8.1689 6.5381 0 0 686 37 once
loop af 1 6.8419 6.8379 6.5381 8 8 1953 52 once
known speeds
64 ranks, even
loop tree 1 6.5250 6.5218 6.4762 9 9 553 14 once
END
is "$(<"$folder/output")" "$(<"$folder/expected")" 'the same as ever'
is "$(grep -c -e WRONG -e failed "$folder/output")" 0 'every iteration once'

# --- claims ahead: loop schedules whose counter lies with a rank in long iterations: others claim ahead, and who is
# slow keeps nothing that it has not begun ---

loops=$(keel_path bench/sim/simulated_loops)

# ratio ITERATIONS FLOPS SCHEDULE SPEED...: time over the ideal of so many iterations for each machine.
ratio()
{
    sim_platform "$folder" 25us 125MBps "${@:4}"
    sim_run "$folder/platform.xml" "$folder/hosts" $(($# - 3)) "$loops" even "$1*" "$2*" rows 1 "$3" |
        awk '$11 == "once" { print $4 / $6 }'
}

# at_most BAR RATIO NAME
at_most()
{
    diag "$3: $2 of the ideal"
    ok "$3: at most $1" awk "BEGIN { exit !($2 > 0 && $2 <= $1) }"
}

# The slow machine takes 60 ms for an iteration where there are 40: 0.1 of the ideal.
for schedule in ss af; do
    at_most 1.10 "$(ratio 200 3e6 "$schedule" 1e9 3e9)" "$schedule, many, the slow one has the counter"
    at_most 1.10 "$(ratio 200 3e6 "$schedule" 3e9 1e9)" "$schedule, many, the fast one has it"
    at_most 1.11 "$(ratio 20 6e7 "$schedule" 1e9 3e9)" "$schedule, few, the slow one has the counter"
    at_most 1.10 "$(ratio 20 6e7 "$schedule" 3e9 1e9)" "$schedule, few, the fast one has it"
done

# 60 iterations for each, of 10 ms on three machines and 0.5 s on the last one: the ideal is 0.795 s. It
# begins two, and would end after 1.5 s at the earliest with all that it claims at first.
for schedule in ss css,7 af; do
    at_most 1.5 "$(ratio 60 1e7 "$schedule" 1e9 1e9 1e9 2e7)" "$schedule, a slow machine"
done

done_testing
