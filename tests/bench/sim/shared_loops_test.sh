#!/bin/bash
# Shared loops in simulated jobs end when they should and execute every iteration once. Simulations
# repeat exactly, so what they print is compared as it is; after a change of how ranks share, look
# at the differences and write the output anew:
#
#   tests/bench/sim/shared_loops_test.sh write
source tests/bench/sim/sim.sh

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

done_testing
