#!/bin/bash
# Rows in simulated jobs: what they cost, and their halos.
source tests/bench/bench_command.sh
simulations

# --- costs: simulated jobs whose rows cost unequally, drawn at random: where loops over rows are timed, a job takes
# about as long as where the program says what rows cost, and rows stop moving; where ranks alone are timed, no longer
# than without balancing. KEEL_TEST_SEED repeats a run. ---

row_costs=$(keel_path bench/sim/simulated_costs)
seed=${KEEL_TEST_SEED:-1}
diag "KEEL_TEST_SEED=$seed"

# machines RANKS KIND: all alike, or one of half the speed.
machines()
{
    local speeds
    mapfile -t speeds < <(yes 1G | head -n "$1")
    [ "$2" = same ] || speeds[$(($1 / 2))]=500M
    sim_platform "$folder" 25us 125MBps "${speeds[@]}"
}

# run HOW SHAPE RANKS ROWS SEED: sets time (over the least), staying (over that of rows that stay), moves and fine.
run()
{
    local line
    line=$(sim_run "$folder/platform.xml" "$folder/hosts" "$3" "$row_costs" "$1" "$2" "$5" "$4" 100)
    read -r _ shape _ _ _ time staying moves fine <<<"$line"
}

# is_near_weighed RANKS ROWS SEED: loops, beside the same job whose program weighs its rows.
is_near_weighed()
{
    local weighed weighed_moves
    run weighed drawn "$@"
    weighed=$time weighed_moves=$moves
    run loops drawn "$@"
    diag "$1 ranks, seed $3, $shape: $time of the least, weighed $weighed; $moves movements, weighed $weighed_moves"
    # what the program knows, Keel measures first, for two phases more of 100; costs that change later, again
    [ "$fine" = once ] &&
        holds "$time <= (\"$shape\" == \"late\" ? 1.25 : 1.08) * $weighed + 2 / 100 * $time / $staying && $staying <= 1.02"
}

# is_no_loss RANKS ROWS SEED: marks.
is_no_loss()
{
    run marks drawn "$@"
    diag "$1 ranks, seed $3, $shape, marks: $time of the least, $staying of staying; $moves movements"
    [ "$fine" = once ] && holds "$staying <= 1.03"
}

for machine in same slower; do
    for ranks in 2 4 16; do
        machines $ranks $machine
        for draw in 1 2 3; do
            is_near_weighed $ranks $((ranks * 150)) $((seed * 1000 + draw))
            tap_result $? "$ranks ranks, $machine: draw $draw: loops are as good as words"
        done
    done
done

machines 4 same
for draw in 1 2 3; do
    is_no_loss 4 600 $((seed * 1000 + draw))
    tap_result $? "4 ranks: draw $draw: marks lose nothing"
done

# A step, on equal machines: rows lie as they are to stay once they have moved by their weights. By the published
# rules, as replay moves single rows to and fro for as little as they cost, whatever they weigh.
export KEEL_MPI_BALANCE=rate:gain=0.05
for draw in 1 2 3; do
    run loops step 4 600 $((seed * 1000 + draw))
    [ "$moves" -le 4 ] && holds "$time <= 1.12"
    tap_result $? "a step, draw $draw: $moves movements, $time of the least"
done

unset KEEL_MPI_BALANCE

# --- halos: rows move and halos are exchanged among simulated ranks as among real ones, whether messages are short,
# long or both ---

sim_platform "$folder" 20us 125MBps $(yes 1G | head -n 16)

program=$(keel_path tests/bench/sim/rows_halo)
for ranks in 2 3 8 16; do
    is "$(sim_run "$folder"/{platform.xml,hosts} "$ranks" "$program" exchanges nothing large 2>&1
        echo "status $?")" 'status 0' "$ranks simulated ranks"
done

done_testing
