#!/bin/bash
# Random programs with objects, and wrong records beside right ones.
source tests/support/mpirun.sh

# --- random programs with objects have the results of a serial model, on 2 and 3 ranks, nightly on 1 to 12 ---

programs=$(program random_programs)

nightly || mpi_passes '3 ranks: objects move by chance; idle ranks ask for objects; some objects can'"'"'t move' 3 \
    "$programs" shake policies failing
for ranks in $(each_day 2 '1 2 3 5 12'); do
    mpi_passes "$ranks ranks: objects move by chance" "$ranks" "$programs" shake
done
if nightly; then
    mpi_passes 'groups of 1 to 12 ranks' 12 "$programs" groups
    for ranks in 2 5; do
        mpi_passes "$ranks ranks: idle ranks ask for objects" "$ranks" "$programs" policies
        mpi_passes "$ranks ranks: some objects can't move" "$ranks" "$programs" failing
    done
fi

# Thousands of them, on groups of 1 to 12 ranks, in parts: 12 ranks on a shared processor would take minutes for all.
if nightly; then
    parts=8
    seed=${KEEL_TEST_SEED:-1}
    for ((part = 0; part < parts; part++)); do
        KEEL_TEST_SEED=$((seed * parts + part)) mpi_passes "groups of 1 to 12 ranks, with KEEL_TEST_SEED=$((seed * parts + part))" 12 \
            "$programs" many_groups
    done
fi

done_testing
