#!/bin/bash
# bench/apps/pcdt, whose objects exchange messages: the mesh is Delaunay's, fills the plane, is the same on both sides of every border
# and as fine as it should be, however objects move; with --phases it is the serial program's, bit for bit.
source tests/support/mpirun.sh

pcdt=$(keel_path bench/apps/pcdt)
size='--size 400 --across 8 --batch 20 --rounds 2'

# csv FIELD: of `line`.
csv()
{
    sed 's/"[^"]*"/policy/' <<<"$line" | cut -d, -f"$1"
}

# runs RANKS BALANCE OPTION...: it ends well, and rank 0 finds nothing wrong. Leaves the line of figures in `line`.
runs()
{
    line=$(mpi_shows "$1" LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS="${threads:-1}" KEEL_MPI_BALANCE="$2" "$pcdt" "${@:3}" --verify 2>&1)
    is "$?,$(csv 13)" 0,yes "pcdt ${*:3}: $1 ranks, $2" || diag "$line"
}

for ranks in 1 2 3 4; do
    # shellcheck disable=SC2086
    runs "$ranks" "shake:seed=$ranks" $size --seed "$ranks"
    [ "$ranks" = 1 ] || ok 'objects move, with their meshes' test "$(csv 8)" -gt 0 -a "$(csv 9)" -gt 10000
done
for ranks in 2 4; do
    # shellcheck disable=SC2086
    runs "$ranks" shake $size --size 150 --phases
    ok 'objects move between phases' test "$(csv 8)" -gt 0
done
for policy in off steal diffuse tree; do
    # shellcheck disable=SC2086
    runs 3 "$policy" $size --told
    [ "$policy" != off ] || is "$(csv 8)" 0 'off: nothing moves'
done
# shellcheck disable=SC2086
runs 2 steal $size --size 150 --phases --told
runs 4 shake --across 1 --size 100
# All objects on rank 0 at first, where others may ask for them; more ranks than objects.
for policy in steal diffuse tree shake; do
    # shellcheck disable=SC2086
    runs 3 "$policy" $size --gathered
    [ "$policy" != shake ] || ok 'objects leave rank 0' test "$(csv 8)" -gt 0
done
runs 6 steal --across 2 --size 100 --gathered
# shellcheck disable=SC2086
runs 2 off $size --size 150 --phases --gathered
runs 3 shake --across 2 --size 60 --batch 1
runs 2 shake --across 8 --size 400 --batch 5 --phases --steps 4
is "$(csv 5)" 4 'as many phases as there are to be'
threads=3
# shellcheck disable=SC2086
runs 2 shake $size

# What objects have come to is written down: all of them, those in the disc with most points.
threads=1
file=$TEST_TMPDIR/weights
# shellcheck disable=SC2086
runs 3 shake $size --size 150 --rounds 1 --phases --weights "$file"
is "$(head -n 1 "$file")" object,points,busy_s 'weights have their heading'
is "$(tail -n +2 "$file" | cut -d, -f1 | tr '\n' ' ')" "$(seq -s ' ' 0 63) " 'and a row for each object'
is "$(awk -F, 'NR > 1 && $2 > most { most = $2; object = $1 } END { print object }' "$file")" 34 'the heaviest one has most of the disc'
ok 'each took some time' awk -F, 'NR > 1 && !($3 > 0) { wrong = 1 } END { exit wrong }' "$file"
points=$(cut -d, -f1,2 "$file")
# shellcheck disable=SC2086
runs 1 off $size --size 150 --rounds 1 --phases --weights "$file"
is "$(cut -d, -f1,2 "$file")" "$points" 'points are those of one rank'

# refuses EXPRESSION OPTION...
refuses()
{
    local messages
    messages=$(mpi_shows 2 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" "$pcdt" "${@:2}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    like "$messages" "^keel: pcdt: $1; nothing is run$" "${*:2}: it says why"
}

refuses "--across: '3' is not a power of 2" --across 3
refuses "--rounds: '0' is not a whole number from 1 to 1000000" --rounds 0
refuses "--trace: 'file' is not written of objects" --trace file
done_testing
