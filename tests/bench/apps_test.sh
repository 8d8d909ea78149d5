#!/bin/bash
# The applications on rows and on objects: what they compute is the serial result. Nothing is timed.
source tests/support/mpirun.sh

# --- rows: applications whose rows move compute what they compute on one rank without Keel, bit for bit: each compares
# with a serial run of its own ---

# Exchanges at every hook where the policy has a say in that, and movements whatever they cost.
often='quantum=0.001,greatly=inf'
policies=(off auto "rate-local:gain=0,$often" "rate:gain=0,$often" "rate:gain=0,pipelined=no,$often"
    "random:w=1,alpha=0.9,graph=all,seed=3,$often" "diffusion:w=1,$often" "redistribute:w=1,$often"
    "tree:gain=0,$often")

figures='[^"]*",[0-9.]+(,[0-9]+){5}(,[0-9.]+){3}'

# same_as_serial RANKS POLICY APP [ARGUMENT...]: sets `line` to what it prints.
same_as_serial()
{
    local name="${*:3}: $1 rank(s), $2" status
    line=$(mpi_shows "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=2 KEEL_MPI_BALANCE="$2" \
        "$(keel_path "bench/apps/$3")" "${@:4}" --verify 2>&1)
    status=$?
    [[ $status = 0 && $line =~ ^$3,$1,\"$figures,yes$ ]]
    tap_result $? "$name" && return
    diag "exit status: $status"
    diag "$line"
    return 1
}

# column N: of the line, where 3 is seconds.
column()
{
    sed 's/"[^"]*"//' <<<"$line" | cut -d, -f$(($1 + 1))
}

programs=('heat_f --size 37 --steps 12' 'sor --size 37 --steps 6'
    'sor --size 37 --steps 12 --whole' 'sor --pipelined --size 37 --steps 6 --hooks 4 --symmetric'
    'matmul --size 37 --steps 6 --repeat 2')

for ((p = 0; p < ${#programs[@]}; p++)); do
    for ((ranks = 1; ranks <= 8; ranks++)); do
        same_as_serial $ranks "shake:seed=$((1000 * (${KEEL_TEST_SEED:-1} - 1) + 10 * p + ranks))" ${programs[p]}
        moved=$(column 6)
        [ $ranks = 1 ] || ok 'rows have moved again and again' test "${moved:-0}" -ge 5
    done
    for ((i = 0; i < ${#policies[@]}; i++)); do
        same_as_serial $((2 + (p + i) % 7)) "${policies[i]}" ${programs[p]}
    done
done

# More ranks than rows.
for size in 1 3; do
    for app in heat_f sor matmul; do
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
refuses "heat_f: --steps: '-1' is not a number" heat_f --steps -1
refuses "matmul: --steps: '0' is not a number of strips from 1" matmul --steps 0
refuses "sor: 'fast' is not an option" sor fast

# --- quadrature: bench/apps/quadrature, on objects and on rows: the integral and the panels of every cell are those of
# the serial program, bit for bit, however cells move ---

quadrature=$(keel_path bench/apps/quadrature)
size='--size 4 --across 8 --steps 10'

# csv FIELD: of `line`.
csv()
{
    sed 's/"[^"]*"/policy/' <<<"$line" | cut -d, -f"$1"
}

# runs RANKS BALANCE OPTION...: it ends well, and rank 0 finds what it computes alone. Leaves the line of figures in `line`.
runs()
{
    line=$(mpi_shows "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS="${threads:-1}" KEEL_MPI_BALANCE="$2" "$quadrature" "${@:3}" --verify 2>&1)
    is "$?,$(csv 13)" 0,yes "quadrature ${*:3}: $1 ranks, $2" || diag "$line"
}

for ranks in 1 2 3 4; do
    for way in '' '--rows --told'; do
                runs "$ranks" "shake:seed=$ranks" $size $way
        is "$(csv 5)" 10 'a phase, or a hook, for each time'
        [ "$ranks" = 1 ] || ok 'cells move, with their panels' test "$(csv 8)" -gt 0 -a "$(csv 9)" -gt 1000
    done
done
runs 3 shake $size --told
for policy in off steal diffuse tree; do
        runs 3 "$policy" $size
    [ "$policy" != off ] || is "$(csv 8)" 0 'off: nothing moves'
done
runs 2 off $size --rows
is "$(csv 8)" 0 'off: no row moves'
runs 4 shake --across 1 --size 5 --steps 5
runs 4 shake --across 1 --size 5 --steps 5 --rows
runs 2 shake --across 8 --steps 0
threads=3
runs 2 shake $size
runs 2 shake $size --rows

# quadrature_refuses EXPRESSION OPTION...
quadrature_refuses()
{
    local messages
    messages=$(mpi_shows 2 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "$quadrature" "${@:2}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    like "$messages" "^keel: quadrature: $1; nothing is run$" "${*:2}: it says why"
}

quadrature_refuses "--across: '0' is not a whole number from 1 to 1024" --across 0

# --- auto among real ranks, where peaks of the integrand wander from cell to cell: all ranks decide the same, and the
# result is the serial one, bit for bit ---

quadrature=$(keel_path bench/apps/quadrature)

# The column of a trace without times, which ranks measure for themselves: what was decided.
decisions()
{
    awk -F, '{ print $1, $6, $7, $8, $9 }' "$1"
}

for ranks in 2 3 5; do
    line=$(mpi_shows $ranks LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=auto:quantum=0.001 \
        KEEL_MPI_TRACE="$TEST_TMPDIR/trace$ranks" "$quadrature" --rows --across 8 --size 10 --steps 80 \
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
