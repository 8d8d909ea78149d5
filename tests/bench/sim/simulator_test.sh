#!/bin/bash
# The simulator does what simulated shared loops rely on, with 64 ranks, one of which is on a faster
# host.
source tests/support/tap.sh
source bench/sim/smpirun.sh

speeds=($(yes 1G | head -n 63) 2G)
sim_platform "$TEST_TMPDIR" 20us 125MBps "${speeds[@]}"

program=$(keel_path tests/bench/sim/simulator)
is "$(sim_run "$TEST_TMPDIR"/{platform.xml,hosts} 64 "$program" 2>&1)" \
    "$(printf '%s: works\n' ring allreduce allgather window attribute globals sleep work polling)" \
    'all that shared loops need'

done_testing
