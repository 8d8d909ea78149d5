#!/bin/bash
# Simulated pipelined sweeps take no more than 5 % longer with the chosen blocks than with the best
# fixed ones.
source tests/bench/sim/sim.sh

pipeline=$(keel_path bench/sim/pipeline)
SIM_FLAGS='--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 --cfg=smpi/os:0:3e-6:0
    --cfg=smpi/ois:0:3e-6:0 --cfg=smpi/or:0:2e-6:0'

# lines LATENCY RANKS START MODE: what the program prints for the chosen block and for fixed ones.
lines()
{
    sim_platform "$folder" "$(awk "BEGIN { print $1 / 2 }")us" 125MBps $(yes 1G | head -n "$2")
    sim_run "$folder/platform.xml" "$folder/hosts" "$2" "$pipeline" 200 400 50 "$3" 24 "$4" 1 \
        0 4 8 12 16 20 24 32 40 50 80 200
}

# ratio FILE: what a sweep takes with the chosen block, over the best.
ratio()
{
    awk -F '\t' '
        $3 == 0 { chosen = $5 }
        $3 > 0 && (!best || $5 < best) { best = $5 }
        END { if (!best) exit 1; printf "%.4f\n", chosen / best }' "$1"
}

# size FILE: the chosen one.
size()
{
    awk -F '\t' '$3 == 0 { print $6 }' "$1"
}

for mode in chained isolated; do
    for ranks in 2 7; do
        for latency in 10 100; do
            what="$ranks workers, $latency us, $mode"
            lines "$latency" "$ranks" 0 "$mode" >"$folder/lines" 2>"$folder/messages"
            is "$? $(<"$folder/messages")" '0 ' "$what: the simulation succeeds"
            diag "$what: $(size "$folder/lines") elements in a block, $(ratio "$folder/lines") of the best time"
            ok "$what: within 5 % of the best" holds "$(ratio "$folder/lines") <= 1.05"
        done
    done
done

# Chained sweeps wait for fewer blocks, so that blocks are larger; so are they where each row of a
# block takes as long as ten elements by itself.
lines 10 7 0 chained >"$folder/chained"
lines 10 7 0 isolated >"$folder/isolated"
lines 10 7 500 isolated >"$folder/starts"
ok 'blocks of chained sweeps are larger than those of isolated ones' \
    holds "$(size "$folder/chained") > $(size "$folder/isolated")"
ok 'blocks are larger where it takes time to begin one' \
    holds "$(size "$folder/starts") > 1.9 * $(size "$folder/isolated")"
ok 'and these are good' holds "$(ratio "$folder/starts") <= 1.05"

done_testing
