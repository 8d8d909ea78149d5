#!/bin/bash
# Figures of shared loops for reports, on real ranks.
source tests/support/mpirun.sh

figures=$(program loop_figures)

# told RANKS [NAME=VALUE...] CHECK...: which places are told, and what is wrong.
told()
{
    local variables=() ranks=$1
    shift
    while [[ $1 = *=* ]]; do
        variables+=("$1")
        shift
    done
    mpi_keel "$ranks" KEEL_REPORT="$TEST_TMPDIR/report" "${variables[@]}" "$figures" "$@" 2>&1
}

# places RANKS SCHEDULE [NAME=VALUE...] CHECK...: the same, with `place` for each place under that schedule.
places()
{
    told "$1" KEEL_MPI_SCHEDULE="$2" "${@:3}" |
        sed -E "s/^loop_figures\.c:[0-9]+ \([a-z_]+\) under $2$/place/; s/^loop_figures\+0x[0-9a-f]+ under $2$/address/"
}

for ranks in $(each_day '1 4' '1 2 4'); do
    is "$(places $ranks rate explicit)" $'place\nplace' "$ranks ranks of one node"
done
for ranks in $(each_day 2 '1 2 4'); do
    is "$(places $ranks rate KEEL_MPI_NODE_RANKS=1 explicit)" $'place\nplace' "$ranks ranks, each a node"
done
is "$(places 3 fac2 KEEL_MPI_NODE_RANKS=2 explicit)" $'place\nplace' 'nodes of two, from a counter'
is "$(places 3 steal,2 explicit openmp)" $'place\nplace\nplace' 'loops of teams'
is "$(places 3 rate KEEL_MPI_NODE_RANKS=1 openmp)" place 'and by messages'
is "$(places 3 tree waits)" place 'waiting is told'
is "$(places 3 tree KEEL_MPI_NODE_RANKS=1 waits)" place 'also for messages'
is "$(places 2 rate LD_PRELOAD= explicit)" $'address\naddress' \
    'without libkeel.so, a place is an address in its module'

done_testing
