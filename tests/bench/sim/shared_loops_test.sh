#!/bin/bash
# Shared loops in simulated jobs: they end when they should, and execute every iteration once.
source tests/bench/sim/sim.sh

# --- whole jobs ---
#
# Simulations repeat exactly, so what they print is compared as it is; after a change of how ranks share, look at the differences and
# write the output anew:
#
#   tests/bench/sim/shared_loops_test.sh write

loops=$(keel_path bench/sim/loops)

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

if [ "${1:-}" = write ]; then
    print_all >tests/bench/sim/shared_loops.expected 2>&1
    exit
fi

print_all >"$folder/output" 2>&1
is "$(<"$folder/output")" "$(<tests/bench/sim/shared_loops.expected)" 'the same as ever'
is "$(grep -c -e WRONG -e failed "$folder/output")" 0 'every iteration once'

# --- claims ahead: loop schedules whose counter lies with a rank in long iterations: others claim ahead, and who is
# slow keeps nothing that it has not begun ---

loops=$(keel_path bench/sim/loops)

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
