#!/bin/bash
# Of 1024 simulated ranks of different speed, all end at about the same time, by messages that grow
# no faster than log P; so do those of ranks that ask at random or their neighbours. Rows of 512 ranks
# move without each of them keeping figures of all.
source tests/bench/bench_command.sh
simulations

loops=$(keel_path bench/sim/simulated_loops)

# loop_of RANKS KNOWN ITERATIONS SCHEDULE FIGURE: of a loop of so many iterations per rank: ratio to the ideal, messages
# of a rank in the mean, most messages of a rank, or whether every iteration was executed once.
loop_of()
{
    local output=$folder/$4.$1
    [ -e "$output" ] || scale_run "$folder" "$2" "$1" "$loops" even "$3*" '1e7*' rows 1 "$4" >"$output" 2>&1
    awk -v ranks="$1" -v figure="$5" '$1 == "loop" {
        value["ratio"] = $4 / $6; value["messages"] = $9 / ranks; value["most"] = $10; value["once"] = $11
        print value[figure] }' "$output"
}
tree_of()
{
    loop_of "$1" 1 200 tree "$2"
}

diag "time over ideal: $(tree_of 64 ratio) on 64 ranks, $(tree_of 1024 ratio) on 1024"
diag "messages per rank, mean: $(tree_of 64 messages) and $(tree_of 1024 messages); most: $(tree_of 64 most) and $(tree_of 1024 most)"
is "$(tree_of 1024 once)" once 'every iteration once'
ok 'within 3 % of the ideal' holds "$(tree_of 1024 ratio) <= 1.03"
ok 'messages grow no faster than log P' holds "$(tree_of 1024 messages) / $(tree_of 64 messages) <= 10 / 6"

# messages_of RANKS SCHEDULE: nothing known.
messages_of()
{
    loop_of "$1" 0 100 "$2" messages
}

for schedule in steal diffuse; do
    few=$(messages_of 16 "$schedule") more=$(messages_of 64 "$schedule")
    many=$(messages_of 256 "$schedule")
    diag "$schedule: messages per rank, mean: $few of 16 ranks, $more of 64, $many of 256"
    ok "messages of $schedule grow no faster than log P" \
        holds "$more / $few <= 6 / 4 && $many / $more <= 8 / 6"
    ok "and are few, under $schedule" holds "$many <= 60"
done

# rows_of POLICY: 512 ranks of four speeds; fields of the program.
speeds=($(for ((i = 0; i < 128; i++)); do echo 1e9 8e8 5e8 2.5e8; done))
SIM_FLAGS=$MANY_FLAGS
sim_platform "$folder" 25us 125MBps "${speeds[@]}"
rows_of()
{
    KEEL_MPI_BALANCE=$1 sim_run "$folder/platform.xml" "$folder/hosts" 512 "$(keel_path bench/sim/rows_many)" sor 1024 10 20000
}

read -r _ _ _ stay_s _ _ _ _ _ _ stay_once <<<"$(rows_of off)"
read -r _ _ _ time_s _ movements _ _ decision_s _ once <<<"$(rows_of auto)"
read -r _ _ _ local_s _ _ _ _ local_decision_s _ local_once <<<"$(rows_of auto:central=inf)"
diag "rows of 512 ranks: $stay_s s where they stay, $time_s s where they move, $local_s s where every rank decides"
is "$stay_once $once $local_once" 'once once once' 'rows: each was computed as often as it had to'
ok 'they move, and no rank waits for the slow ones' holds "$movements > 0 && $time_s < 0.65 * $stay_s"
ok 'no later than where every rank decides' holds "$time_s < 1.02 * $local_s"
ok 'rank 0 does' holds "$decision_s != $local_decision_s"

# What rank 0 decides, the others learn: particles that come and go, by one rule.
KEEL_MPI_TRACE="$folder/trace" KEEL_MPI_BALANCE=auto:central=2,greatly=2 sim_run "$folder/platform.xml" "$folder/hosts" 4 \
    "$(keel_path bench/sim/rows_many)" particles 64x500 300 1500 >"$folder/particles"
is "$(awk '{ print $NF }' "$folder/particles")" once 'particles: each was moved once'
is "$(tail -n +2 "$folder/trace.0" | cut -d, -f8 | sort -u)" rate 'by rates'
ok 'rows move more than once' [ "$(awk -F, 'NR > 1 && $7 > 0' "$folder/trace.0" | wc -l)" -gt 1 ]
for rank in 1 2 3; do
    is "$(cut -d, -f6- "$folder/trace.$rank")" "$(cut -d, -f6- "$folder/trace.0")" "rank $rank records what rank 0 decided, and why"
done

done_testing
