#!/bin/bash
# Rows move and halos are exchanged among simulated ranks as among real ones, whether messages are
# short, long or both.
source tests/bench/sim/sim.sh

sim_platform "$folder" 20us 125MBps $(yes 1G | head -n 16)

program=$(keel_path tests/bench/sim/rows_halo)
for ranks in 2 3 8 16; do
    is "$(sim_run "$folder"/{platform.xml,hosts} "$ranks" "$program" exchanges nothing large 2>&1
        echo "status $?")" 'status 0' "$ranks simulated ranks"
done

done_testing
