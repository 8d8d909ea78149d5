#!/bin/bash
# auto keeps what it learns for loops of about one length: what is best for a fine grid need not be
# so for a coarse one, which the same loop runs over.
source tests/support/under_keel.sh

levels=$(program levels)
work=$TEST_TMPDIR

# kept FILE: the lengths that the file has a choice for.
kept()
{
    sed -n 's/^[^\t]*\tauto\([^\t]*\)\t.*/\1/p' "$1" | sort | tr '\n' ' '
}

# The finest level takes 2 ms or so; auto needs 10 in all.
is "$(under_keel KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$levels" 20 2000 1000 500 250 2>&1)" 'each iteration once' \
    'a loop over four levels'
is "$(kept "$work/levels")" ', 2^10 iterations , 2^7 iterations , 2^8 iterations , 2^9 iterations ' \
    'each level has a memory of its own'
is "$(under_keel KEEL_SCHEDULE=auto KEEL_MEMORY="$work/near" "$levels" 4 1500 1000 2000 1700 2>&1)" 'each iteration once' \
    'a loop of lengths that differ by less than twice'
is "$(kept "$work/near")" ', 2^10 iterations ' 'which have one memory'
is "$(under_keel KEEL_SCHEDULE=rate KEEL_MEMORY="$work/rate" "$levels" 4 2000 250 2>&1)" 'each iteration once' \
    'rate learns speeds, which hold for all lengths'
is "$(grep -c $'\trate\t' "$work/rate")" 1 'so that it has one memory'

text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$levels" 1 2000 2>&1)
like "$text" 'auto chose [a-z0-9]+ \(kept in an earlier run\)' 'a later run keeps the choice for the length'
text=$(under_keel KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto KEEL_MEMORY="$work/levels" "$levels" 1 16 2>&1)
like "$text" 'auto (has chosen nothing yet|chose [a-z0-9]+ \(best by )' 'but knows nothing of another one'

# More lengths than there is room for: nothing is wrong, and nothing is waited for.
sizes=$(for ((i = 0; i < 40; i++)); do echo $((1 << (i % 14))) ; done)
is "$(OMP_NUM_THREADS=2 under_keel KEEL_SCHEDULE=auto "$levels" 2 $sizes 2>&1)" 'each iteration once' 'many lengths'
done_testing
