#!/bin/bash
# bench/papers prints tables, and what goes wrong with a paper beside its name.
source tests/support/tap.sh

papers=$(keel_path bench/papers)
built=$(keel_path bench/papers_dir/fg95/nbody)
built=${built%/bench/papers_dir/fg95/nbody}

tables=$("$papers" --built "$built" --short fg95 2>"$TEST_TMPDIR/messages")
is $? 0 'it succeeds'
like "$tables" '^F8: speed-ups on 2 to 16 unequal hosts' 'with tables'
is "$(grep -v ' simulating \| that took ' "$TEST_TMPDIR/messages")" '' 'and no complaints'
said=$(PATH=/usr/bin:/bin SIM_SECONDS=0.01 "$papers" --built "$built" --short fg95 2>&1 >/dev/null)
is $? 1 'simulations that take too long: exit code'
like "$said" '^keel: fg95 did not come to its end$' 'and message'
done_testing
