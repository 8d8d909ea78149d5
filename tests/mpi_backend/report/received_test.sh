#!/bin/bash
# What reports and traces receive from real ranks: measurements of loops, rows and objects, events, and clocks of other hosts.
source tests/support/mpirun.sh

program=$(program received)
export OMP_NUM_THREADS=1

# received RANKS [NAME=VALUE...] CHECK...: kinds of places, reasons and advice, less their numbers, and what is wrong.
received()
{
    local variables=() ranks=$1
    shift
    while [[ $1 = *=* ]]; do
        variables+=("$1")
        shift
    done
    mpi_keel "$ranks" KEEL_REPORT="$TEST_TMPDIR/report" "${variables[@]}" "$program" "$@" 2>&1 |
        sed -E 's/^received\.c:[0-9]+ \([a-z_]+\) under ([a-z0-9,]+)$/place under \1/; s/^received\+0x[0-9a-f]+ under/address under/
            s/; (another number|[0-9]+ objects in place|one object in place) .*/; advice/
            s/; follows [a-z0-9-]+: .* where [a-z0-9-]+ takes .*//; s/[0-9.e+-]+ (%|s|ms|us)/N/g; s/[0-9]+ rows?/N rows/' | sort
}

# --- loops ---

for ranks in $(each_day '1 4' '1 2 4'); do
    is "$(received $ranks explicit)" $'place under rate\nplace under rate' "$ranks ranks of one node"
done
for ranks in $(each_day 2 '1 2 4'); do
    is "$(received $ranks KEEL_MPI_NODE_RANKS=1 explicit)" $'place under rate\nplace under rate' "$ranks ranks, each a node"
done
is "$(received 3 KEEL_MPI_SCHEDULE=fac2 KEEL_MPI_NODE_RANKS=2 KEEL_TEST_STAYS=1 explicit)" $'place under fac2\nplace under fac2' \
    'nodes of two, from a counter'
is "$(received 3 KEEL_MPI_SCHEDULE=steal,2 explicit openmp | uniq -c | sed 's/^ *//')" '3 place under steal,2' 'loops of teams'
is "$(received 3 KEEL_MPI_NODE_RANKS=1 openmp)" 'place under rate' 'and by messages'
is "$(received 3 KEEL_MPI_SCHEDULE=tree waits)" 'place under tree' 'waiting is reported'
is "$(received 3 KEEL_MPI_SCHEDULE=tree KEEL_MPI_NODE_RANKS=1 waits)" 'place under tree' 'also for messages'
is "$(received 2 LD_PRELOAD= explicit)" $'address under rate\naddress under rate' \
    'without libkeel.so, a place is an address in its module'

# --- rows ---

known='too early: N since the last measurements and rates need N|no rate is known yet|no other shares are better'
known+='|gain N is under the threshold of N|N rows by chance|moving costs N and would save N'
known+='|staying has lost least so far|the work to move is less than a row'
known+='|N rows even out: costs N and saves N|N rows even out whatever it costs'

is "$(received 3 KEEL_MPI_BALANCE=shake few_calls | uniq)" 'shake: N rows by chance' 'rows that move by chance'
all=
for policy in $(each_day 'rate-local rate' 'rate-local rate tree diffusion auto'); do # rates may not be worth a movement
    output=$(received 3 KEEL_TEST_STAYS=1 KEEL_MPI_BALANCE="$policy:period=0.001,quantum=0.0001" rows)
    is "$(grep -vxE "(rate|tree|diffusion): ($known)" <<<"$output")" '' "$policy: each decision has a reason"
    all+=$output
done
! nightly || like "$all" 'N rows even out' 'also those that move rows'
is "$(received 2 KEEL_TEST_STAYS=1 KEEL_MPI_BALANCE=off few_calls)" '' 'without balancing nothing is decided'
is "$(received 1 KEEL_MPI_BALANCE=auto few_calls)" '' 'nor on a single rank'

# --- objects ---

known='objects take N and N at most'
for case in $(each_day '2,steal 3,diffuse,2 3,tree' '2,steal 2,diffuse 3,diffuse,2 3,tree'); do
    policy=${case#*,}
    is "$(received "${case%%,*}" KEEL_MPI_BALANCE="$policy" given | uniq)" "$(printf 'some moved\n%s: %s; advice' "${policy%,*}" "$known" | sort)" \
        "${case%%,*} ranks, $policy: what was counted, and each phase with bounds"
done
is "$(received 2 KEEL_MPI_BALANCE=steal KEEL_MPI_PROGRESS=1 given | uniq)" "$(printf 'some moved\nsteal: %s; advice' "$known")" 'with a thread that answers'
is "$(received 2 KEEL_MPI_BALANCE=off objects | uniq)" "$(printf 'none moved\noff: %s; they stay where they are' "$known")" 'objects that stay take what they take'
is "$(received 3 KEEL_MPI_BALANCE=shake objects | uniq)" $'shake: no bounds are known\nsome moved' 'objects that move by chance have no bounds'
is "$(received 1 KEEL_MPI_BALANCE=steal objects | uniq)" "$(printf 'none moved\nsteal: %s; they stay where they are' "$known")" 'nothing to balance on one rank'

# --- traces alone ---

is "$(mpi_run 2 KEEL_TEST_STAYS=1 "$program" explicit few_calls objects 2>&1; echo "left with $?")" 'left with 0' \
    'where no report is wanted, none is made'

# Each rank has a clock of its own; prints how far it is from the first one's. One program for all: the mpirun of
# Open MPI 5.0.7 crashes with several.
if unshare --time --monotonic 1000 --fork true 2>/dev/null; then
    own_clock='offsets=(0 1000 -300) offset=${offsets[${OMPI_COMM_WORLD_RANK:-$PMI_RANK}]}
        [ "$offset" = 0 ] && exec "$@"; exec unshare --time --fork --monotonic "$offset" "$@"'
    is "$(mpi_run 3 KEEL_MPI_BALANCE=shake KEEL_TEST_CLOCK=1 bash -c "$own_clock" - "$program" explicit few_calls 2>&1 | sort -n)" \
        $'-1000 s\n0 s\n300 s' 'clocks that count from other moments become one'
else
    skip 'clocks that count from other moments become one' 'time namespaces are not allowed here'
fi

done_testing
