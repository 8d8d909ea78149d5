#!/bin/bash
# Wrong records beside right ones change nothing, and each rank tells of them once. A piece of a payload that is wrong leaves
# nothing that could be told apart: every rank gets an error.
source tests/support/mpirun.sh

programs=$(keel_path tests/mpi_backend/objects/random_programs)
inject=$(keel_path tests/mpi_backend/job/libinject.so)

declare -A ranks_of=([shake]=3 [policies]=2)
for check in shake policies; do
    for ranks in $(each_day "${ranks_of[$check]}" '2 3'); do
        output=$(mpi_run $ranks LD_PRELOAD="$inject" INJECT_RECORDS=1 "$programs" $check 2>&1)
        is $? 0 "$ranks ranks, $check: the program ends well"
        is "$(grep -vcE '^keel: rank [0-9] has got a message about objects, expected .*; it is ignored' <<<"$output")" 0 \
            "$ranks ranks, $check: all is right" || diag "$output"
        ok "$ranks ranks, $check: it is said" grep -q 'it is ignored' <<<"$output"
    done
done

output=$(mpi_run 2 LD_PRELOAD="$inject" INJECT_RECORDS=pieces "$programs" shake 2>&1)
like "$output" 'keel: rank [01] has got a message about objects of [0-9]+ bytes, expected a piece of an object; nothing is shared' \
    'a wrong piece is told'
done_testing
