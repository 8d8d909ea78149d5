#!/bin/bash
# bench/apps/quadrature, on objects and on rows: the integral and the panels of every cell are those of the serial program, bit for bit,
# however cells move.
source tests/support/mpirun.sh

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

# refuses EXPRESSION OPTION...
refuses()
{
    local messages
    messages=$(mpi_shows 2 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "$quadrature" "${@:2}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    like "$messages" "^keel: quadrature: $1; nothing is run$" "${*:2}: it says why"
}

refuses "--across: '0' is not a whole number from 1 to 1024" --across 0
done_testing
