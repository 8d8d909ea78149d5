#!/bin/bash
# bench/apps/nbody and bench/apps/refine, whose rows have items: what they compute is the serial
# result, bit for bit, however often rows move, and between however many ranks.
source tests/support/mpirun.sh

# csv FIELD LINE: by its number; a policy may have commas.
csv()
{
    sed 's/"[^"]*"/policy/' <<<"$2" | cut -d, -f"$1"
}

# runs NAME RANKS BALANCE APP [ARGUMENT...]: it ends well, and rank 0 finds what it computes alone.
# Leaves the line of figures in `line`.
runs()
{
    local app
    app=$(keel_path "bench/apps/$4")
    line=$(mpi_shows "$2" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS="${threads:-1}" KEEL_MPI_BALANCE="$3" \
        ${weights:+KEEL_MPI_WEIGHTS="$weights"} "$app" "${@:5}" --verify 2>&1)
    is "$?,$(csv 13 "$line")" 0,yes "$1" || diag "$line"
}

# moves NAME: the run before has moved rows, with something in them.
moves()
{
    [ "$(csv 8 "$line")" -gt 0 ] && [ "$(csv 9 "$line")" -gt 0 ]
    tap_result $? "$1" || diag "$line"
}

# Small ones, which still have particles that change regions and borders that are cut.
small=(
    'nbody --size 200 --regions 20 --steps 12'
    'nbody --size 200 --regions 20 --steps 12 --any'
    'refine --size 400 --across 8 --batch 20'
    'refine --size 400 --across 8 --batch 20 --adjacent --told'
)

for app in "${small[@]}"; do
    for ranks in 1 2 3 4 5 6 7 8; do
        # shellcheck disable=SC2086
        runs "$app, shaken, $ranks ranks" "$ranks" "shake:seed=$ranks" $app
        [ "$ranks" = 1 ] || moves "$app, shaken, $ranks ranks: rows move"
    done
    for seed in 21 22 23; do
        # shellcheck disable=SC2086
        runs "$app, shaken with $seed" 4 "shake:seed=$seed" $app
    done
done

# Shares are uneven at first, and small gains will do, so that there is something to decide.
weights=1,5,2
for app in "${small[@]}"; do
    for policy in off auto {rate-local,rate,tree}:gain=0 {random,diffusion,redistribute,gradient}:w=1; do
        eager=$policy
        [[ $policy != *:* ]] || eager=$policy,period=0.0001,quantum=0.01,greatly=inf
        # shellcheck disable=SC2086
        runs "$app, $policy" 3 "$eager" $app
        [ "$policy" != off ] || is "$(csv 8 "$line")" 0 "$app, off: nothing moves"
    done
done

# More ranks than rows, empty rows, nothing to do, threads.
weights=''
runs 'nbody, 3 regions for 5 ranks' 5 shake nbody --size 50 --regions 3 --steps 8
runs 'nbody, more regions than particles' 3 shake nbody --size 20 --regions 60 --steps 8 --any
runs 'nbody, every pair by itself' 3 shake nbody --size 100 --steps 5 --opening 0
runs 'nbody, one particle' 2 shake nbody --size 1 --steps 5
runs 'refine, one square for 3 ranks' 3 shake refine --across 1 --size 100
runs 'refine, one point at a time' 3 shake refine --across 2 --size 60 --batch 1
runs 'refine, stopped before its end' 3 shake refine --across 8 --size 400 --batch 5 --steps 4
runs 'refine, other points' 3 shake refine --across 8 --size 400 --batch 20 --seed 7
threads=3
runs 'nbody, 3 threads' 2 shake nbody --size 200 --regions 20 --steps 12
runs 'refine, 3 threads' 2 shake refine --size 400 --across 8 --batch 20

# Cut evenly, so that every rank has something to compute.
trace=${TEST_TMPDIR:-$(mktemp -d)}/trace
threads=1
runs 'nbody, with a trace' 4 off nbody --size 200 --regions 20 --steps 1 --trace "$trace"
is "$(awk -F, 'NR > 1 && $4 == 5 && $5 > 1000' "$trace" | wc -l)" 4 'nbody: four ranks have work'

# refuses NAME APP ARGUMENT...: with status 2 and a message.
refuses()
{
    local output
    output=$(mpi_shows 1 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "$(keel_path "bench/apps/$2")" "${@:3}" 2>&1)
    is $? 2 "$1: status 2"
    like "$output" "^keel: $2: $3: '$4' is not .*; nothing is run$" "$1: it says why"
}

refuses 'squares that do not divide the plane' refine --across 3
refuses 'an opening that a particle is inside of' nbody --opening 0.8
refuses 'an opening that is no number' nbody --opening wide
refuses 'no regions' nbody --regions 0
done_testing
