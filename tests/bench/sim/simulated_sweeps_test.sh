#!/bin/bash
# Pipelined sweeps in simulated jobs: sizes of blocks, and rows that move.
source tests/bench/bench_command.sh
simulations

# --- rows that move: rows move within simulated pipelined sweeps: a load on one machine is balanced, without any it
# costs little to look for one, and elements are swept in the order of the serial sweep whatever the machines and their
# loads are ---

rows=$(keel_path bench/sim/simulated_rows)

# A point takes 250 us, so that a sweep of 200 x 200 takes as long as one of 1000 x 1000 otherwise.
sweeps='gs 200 20x10 250'

# loaded POLICY PERIOD ON: the line of `rows`, of four workers beside a load on the first.
loaded()
{
    KEEL_MPI_BALANCE=$1 rows_run "$folder" 4 3MBps "$2" "$3" on "$rows" $sweeps
}

# time_of LINE, moved LINE
time_of()
{
    awk '{ print $4 }' <<<"$1"
}
moved()
{
    awk '{ print $7 }' <<<"$1"
}

alone=$(loaded off 0 0) looks=$(loaded rate-local:quantum=100 0 0)
stays=$(loaded off 60 30) follows=$(loaded rate-local:quantum=100 60 30)
for line in "$alone" "$looks" "$stays" "$follows"; do
    diag "$line"
    like "$line" ' once$' 'every element is swept once a sweep, after those before it'
done
ok 'looking for loads takes 3 % at most' holds "$(time_of "$looks") <= 1.03 * $(time_of "$alone")"
is "$(moved "$looks")" 0 'without a load rows stay'
ok 'with one they move' holds "$(moved "$follows") > 0"
ok 'and save a sixth of the time' holds "$(time_of "$follows") <= $(time_of "$stays") * 5 / 6"

# draw LEAST MOST: sets `drawn`.
state=${KEEL_TEST_SEED:-1}
draw()
{
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$(($1 + state / 65536 % ($2 - $1 + 1)))
}

# Machines of any speed, one of which has a load that comes and goes, and any grain.
policies=(shake rate:quantum=1,gain=0,greatly=inf rate-local:quantum=2,gain=0.02,greatly=inf
    rate-local:quantum=1,gain=0,filter=no,pipelined=no,greatly=inf tree:quantum=1,gain=0)
for case in 1 2 3 4 5 6 7 8 9 10; do
    draw 2 6 && workers=$drawn
    speeds=()
    for ((i = 0; i < workers; i++)); do
        draw 2 9 && speeds+=("${drawn}00k")
    done
    draw 20 90 && size=$drawn
    draw 1 15 && calls=$drawn
    draw 0 12 && block=$drawn
    draw 0 4 && policy=${policies[drawn]}
    draw 1 4 && period=$((2 * drawn))
    sim_platform "$folder" 250us 3MBps "${speeds[@]}"
    sim_load "$folder" "$period" $((period / 2)) on
    line=$(KEEL_MPI_BALANCE=$policy sim_run "$folder/platform.xml" "$folder/hosts" "$workers" \
        "$rows" gs "$size" "12x$calls/$block" 500 2>&1)
    like "$line" ' once$' "in order: $policy, ${speeds[*]}, $size rows, $calls balance calls, block $block"
done

# --- sizes of blocks: simulated pipelined sweeps take no more than 5 % longer with the chosen blocks than with the best
# fixed ones ---

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
