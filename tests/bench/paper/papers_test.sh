#!/bin/bash
# What goes wrong with a paper stands beside its name.
source tests/support/tap.sh
paper=fg95 parts_only=1
source tests/bench/paper/paper.sh

said=$(SIM_SECONDS=0.01 "$papers" --built "$built" --short fg95 2>&1 >/dev/null)
is $? 1 'simulations that take too long: exit code'
like "$said" '^keel: fg95 did not come to its end$' 'and message'
done_testing
