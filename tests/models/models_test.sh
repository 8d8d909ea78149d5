#!/bin/bash
# No order of steps breaks how threads claim, nodes give iterations away, loops end, rows that move count, objects move, ranks agree on
# who is left and on whose cores they may run, threads wait for cores, copies of objects stay until others are there, and loops come to divide themselves: Spin tries all of them, in small cases. A broken protocol is found, so that the models can fail.
source tests/support/tap.sh

command -v spin >/dev/null || plan skip_all 'there is no spin (.ci/install test)'

# search MODEL FLAG...: all states; prints what Spin's verifier says.
search()
(
    model=$(keel_path "$room/$1.pml")
    rm -rf "$TEST_TMPDIR/search" && mkdir "$TEST_TMPDIR/search" && cd "$TEST_TMPDIR/search" || exit
    spin -a "${@:2}" "$model" && gcc -O2 -DSAFETY -DCOLLAPSE -o verifier pan.c && ./verifier -m1000000 -w22
)

# holds MODEL FLAG...: in every state that can be reached; and all have been.
holds()
{
    local found
    found=$(search "$@" 2>&1)
    is "$(grep -oE 'errors: [0-9]+' <<<"$found")" 'errors: 0' "$*: holds"
    unlike "$found" 'max search depth too small|Search not completed|out of memory' "$*: all states were reached"
    diag "$*: $(grep -oE '[0-9.e+]+ states, stored' <<<"$found")"
}

# breaks WHAT MODEL FLAG...: Spin finds a way in which WHAT, a pattern, comes about.
breaks()
{
    local found
    found=$(search "${@:2}" 2>&1)
    like "$found" "$1" "${*:2}: is found"
    like "$found" 'errors: 1' "${*:2}: breaks"
}

holds blocks
holds blocks -DP=2 -DN=6
breaks 'assertion violated' blocks -DBROKEN_CLAIM
breaks 'assertion violated' blocks -DBROKEN_STEAL
breaks 'assertion violated' blocks -DBROKEN_KEEP
breaks 'assertion violated' blocks -DBROKEN_LAST

holds counter
breaks 'assertion violated' counter -DBROKEN_CLAIM
breaks 'assertion violated' counter -DBROKEN_LOOK

holds nodes -DN=2
holds nodes -DNODES=2 -DN=3 -DCANCELS
breaks 'assertion violated \(all_begun<=2\)' nodes -DN=2 -DBROKEN_CUT
breaks 'assertion violated|invalid end state' nodes -DN=2 -DBROKEN_COUNT
breaks 'assertion violated|invalid end state' nodes -DN=2 -DBROKEN_GIVE
breaks 'invalid end state' nodes -DN=2 -DBROKEN_END

holds commit -DN=2 -DMOVEMENTS=3
holds commit -DN=3 -DMOVEMENTS=1
for broken in ONCE BOUND NUMBER; do
    breaks 'assertion violated' commit -DN=2 -DBROKEN_$broken
done
breaks 'invalid end state' commit -DN=2 -DBROKEN_SILENT

holds modes
for broken in COUNT WAIT OTHERS BARRIER; do
    breaks 'assertion violated' modes -DBROKEN_$broken
done

holds movement
holds movement -DSTOPS
for broken in EPOCH KEEP WORK; do
    breaks 'assertion violated' movement -DBROKEN_$broken
done

holds survivors
holds survivors -DDEATHS=1
breaks 'assertion violated' survivors -DBROKEN_NOW
breaks 'invalid end state' survivors -DDEATHS=1 -DBROKEN_STALE
breaks 'invalid end state' survivors -DBROKEN_STAY
holds survivors -DBY_MPI
breaks 'invalid end state' survivors -DBY_MPI -DDEATHS=1 -DBROKEN_TWICE

holds gathering
holds gathering -DN=4
breaks 'assertion violated' gathering -DBROKEN_ALONE
breaks 'assertion violated' gathering -DBROKEN_ENTRY
breaks 'invalid end state' gathering -DBROKEN_PATIENCE

holds copies
holds copies -DN=2 -DCOPIES=4
for broken in EARLY UNSEEN; do
    breaks 'assertion violated' copies -DBROKEN_$broken
done

holds cores
holds cores -DWAITS=3 -DN=4
for broken in BELL PARKED LEFT; do
    breaks 'invalid end state' cores -DBROKEN_$broken
done
breaks 'assertion violated' cores -DBROKEN_GUEST
breaks 'assertion violated' cores -DBROKEN_ONCE

# Steps that comments of the sources name are labels of the models.
named=0
while read -r model label; do
    named=$((named + 1))
    ok "$model has the step $label" grep -q "^$label:" "$(keel_path "$room/$model")"
done < <(for source in schedules/claim/team.c mpi_backend/loop/{claim/transfers,progress/progress}.c \
    mpi_backend/rows/movement/round.c mpi_backend/job/survivors.c mpi_backend/calls/{node_table,share_cores}.c \
    mpi_backend/rows/copies/generations.c; do
    grep -oE 'tests/models/[a-z]+\.pml: [a-z]+' "$(keel_path "$source")"
done | sed 's,tests/models/,,; s/://' | sort -u)
ok 'sources name steps' test "$named" -ge 20
done_testing
