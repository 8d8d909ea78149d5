#!/bin/bash
# Programs tell what they have to tell once, by whichever function they end; those that end without any tell nothing.
source tests/support/under_keel.sh

work=$TEST_TMPDIR

# told_once: 2 where both loops are told of, in a paragraph of their own or in the line that counts the others, and
# nothing twice. On a busy machine parts of their regions may be told of as well.
told_once()
{
    awk '/ threads: .* in 1 instance/ { sum++; sub(/ threads: .*/, ""); twice += seen[$0]++ > 0 }
        /^keel: [0-9]+ more loop/ { sum += $2; twice += seen["more"]++ > 0 }
        END { print (twice ? "twice" : (sum > 2 ? 2 : sum + 0)) }' "$work/messages"
}

# ended HOW: its exit code, iterations of the traced loops, loops explained once, loops remembered.
ended()
{
    rm -f "$work"/{trace,memory,messages}
    under_keel KEEL_SCHEDULE=rate KEEL_TRACE="$work/trace" KEEL_MEMORY="$work/memory" KEEL_EXPLAIN=1 "$(program ending)" "$1" \
        >"$work/out" 2>"$work/messages"
    printf '%s %s %s %s\n' $? "$(awk -F, '{ sum += $5 - $4 } END { print sum + 0 }' "$work/trace")" \
        "$(told_once)" "$(grep -o '"instances":1' "$work/memory" 2>/dev/null | wc -l)"
}

for how in exit return quick_exit; do
    is "$(ended $how)" '3 150 2 2' "$how"
done
is "$(ended _exit)" '3 0 0 0' '_exit'
is "$(ended abort 2>/dev/null)" '134 0 0 0' 'abort'

unlike "$(under_keel KEEL_SCHEDULE=rate KEEL_TRACE=/dev/stdout "$(program ending)" quick_exit)" 'in the buffer' \
    'quick_exit leaves buffers of stdio alone'

done_testing
