#!/bin/bash
# Rows move within simulated pipelined sweeps: a load on one machine is balanced, without any it
# costs little to look for one, and elements are swept in the order of the serial sweep whatever
# the machines and their loads are.
source tests/bench/sim/sim.sh

rows=$(keel_path bench/sim/rows)

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
    draw 1 15 && hooks=$drawn
    draw 0 12 && block=$drawn
    draw 0 4 && policy=${policies[drawn]}
    draw 1 4 && period=$((2 * drawn))
    sim_platform "$folder" 250us 3MBps "${speeds[@]}"
    sim_load "$folder" "$period" $((period / 2)) on
    line=$(KEEL_MPI_BALANCE=$policy sim_run "$folder/platform.xml" "$folder/hosts" "$workers" \
        "$rows" gs "$size" "12x$hooks/$block" 500 2>&1)
    like "$line" ' once$' "in order: $policy, ${speeds[*]}, $size rows, $hooks hooks, block $block"
done

done_testing
