#!/bin/bash
# Scheduled loops live together with OpenMP's other constructs, under every schedule and with several team sizes, nightly
# each with each.
source tests/support/under_keel.sh

passes nesting
passes monotonic
KEEL_OVERRIDE=dynamic,guided passes monotonic
KEEL_OVERRIDE=dynamic,guided,nonmonotonic passes monotonic plain
passes tasks
passes clauses
passes ordered
passes doacross
passes old_binaries
KEEL_OVERRIDE=dynamic passes old_binaries
OMP_CANCELLATION=true passes cancellation
done_testing
