#!/bin/bash
# The applications on rows: what they compute is the serial result. Nothing is timed.
source tests/support/mpirun.sh

# --- rows: applications whose rows move compute what they compute on one rank without Keel, bit for bit: each compares
# with a serial run of its own ---

# Exchanges at every balance call where the policy has a say in that, and movements whatever they cost.
often='quantum=0.001,greatly=inf'
policies=(off auto "rate-local:gain=0,$often" "rate:gain=0,$often" "rate:gain=0,pipelined=no,$often"
    "random:w=1,alpha=0.9,graph=all,seed=3,$often" "diffusion:w=1,$often" "redistribute:w=1,$often"
    "tree:gain=0,$often")

# same_as_serial RANKS POLICY APP [ARGUMENT...]: sets `line` to what it prints.
same_as_serial()
{
    local name="${*:3}: $1 rank(s), $2" status
    line=$(mpi_shows "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=2 KEEL_MPI_BALANCE="$2" \
        "$(keel_path "bench/apps/$3")" "${@:4}" --verify 2>&1)
    status=$?
    [[ $status = 0 && $line =~ ^$3,$1,[0-9.]+,[0-9]+,[0-9.]+,yes$ ]]
    tap_result $? "$name" && return
    diag "exit status: $status"
    diag "$line"
    return 1
}

programs=('sor --size 37 --steps 6'
    'sor --size 37 --steps 12 --whole' 'sor --pipelined --size 37 --steps 6 --calls 4 --symmetric'
    'matmul --size 37 --steps 6 --repeat 2')

for ((p = 0; p < ${#programs[@]}; p++)); do
    for ((ranks = 1; ranks <= 8; ranks++)); do
        same_as_serial $ranks "shake:seed=$((1000 * (${KEEL_TEST_SEED:-1} - 1) + 10 * p + ranks))" ${programs[p]}
        moved=$(cut -d, -f4 <<<"$line")
        [ $ranks = 1 ] || ok 'rows have moved again and again' test "${moved:-0}" -ge 5
    done
    for ((i = 0; i < ${#policies[@]}; i++)); do
        same_as_serial $((2 + (p + i) % 7)) "${policies[i]}" ${programs[p]}
    done
done

# More ranks than rows.
for size in 1 3; do
    for app in sor matmul; do
        same_as_serial 5 shake:seed=$size "$app" --size $size --steps 6
    done
done

# refuses MESSAGE APP ARGUMENT...
refuses()
{
    local messages
    messages=$(mpi_shows 2 "$(keel_path "bench/apps/$2")" "${@:3}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    is "$(grep -c "^keel: $1" <<<"$messages")" 1 "${*:2}: one rank says why"
}

refuses "sor: --size: '0' is not a whole number from 1" sor --size 0
refuses "sor: --steps: '-1' is not a whole number from 0" sor --steps -1
refuses "sor: '--fast' is not an option" sor --fast
refuses "matmul: --steps: '0' is not a whole number from 1" matmul --steps 0
refuses "matmul: --repeat: '' is not a whole number from 1" matmul --repeat
refuses "sor: 'fast' is not an option" sor fast

# --- auto among real ranks: all decide the same, and the result is the serial one, bit for bit ---

# The column of a trace without times, which ranks measure for themselves: what was decided.
decisions()
{
    awk -F, '{ print $1, $6, $7, $8, $9 }' "$1"
}

for ranks in 2 3 5; do
    line=$(mpi_shows $ranks LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=auto:quantum=0.001 \
        KEEL_MPI_TRACE="$TEST_TMPDIR/trace$ranks" "$(keel_path bench/apps/sor)" --size 200 --steps 80 \
        --verify 2>&1)
    status=$?
    is "$status,${line##*,}" 0,yes "$ranks ranks: the serial result" || diag "$line"
    for ((rank = 1; rank < ranks; rank++)); do
        ok "$ranks ranks: rank $rank has decided" test -s "$TEST_TMPDIR/trace$ranks.$rank" || continue
        is "$(decisions "$TEST_TMPDIR/trace$ranks.$rank")" "$(decisions "$TEST_TMPDIR/trace$ranks.0")" \
            "$ranks ranks: rank $rank has decided as rank 0 has"
    done
done

# --- lost ranks: bench/apps/lasting loses ranks, and its result is the serial one ---

lasting=$(keel_path bench/apps/lasting)

# loses LEFT COPIES RANKS DEATH...: so many ranks are left, and the result is right.
loses()
{
    local said
    said=$(mpi_launch "${recovery[@]}" -n "$3" env OMP_NUM_THREADS=1 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_MPI_COPIES="$2" "$lasting" 40 60 "${@:4}" 2>&1)
    like "$said" "^$1 ranks are left, the result is right\$" "$3 ranks, copies every $2 steps, deaths: ${*:4}" || diag "$said"
}

loses 3 10 3
loses 2 10 4 1@25 0@50
loses 2 0 3 2@25

done_testing
