#!/bin/bash
# Programs tell what they have to tell once, by whichever function they end; those that end without any tell nothing.
source tests/support/under_keel.sh

work=$TEST_TMPDIR

# ended HOW: its exit code, iterations of the traced loops, reports, loops remembered.
ended()
{
    rm -f "$work"/{trace,memory,messages}
    under_keel KEEL_SCHEDULE=rate KEEL_TRACE="$work/trace" KEEL_MEMORY="$work/memory" KEEL_EXPLAIN=1 "$(program ending)" "$1" \
        >"$work/out" 2>"$work/messages"
    printf '%s %s %s %s\n' $? "$(awk -F, '{ sum += $5 - $4 } END { print sum + 0 }' "$work/trace")" \
        "$(grep -c '^keel: report of ' "$work/messages")" "$(grep -E $'\t ([0-9a-f]+ ){4}1 ' "$work/memory" 2>/dev/null | wc -l)"
}

for how in exit return quick_exit; do
    is "$(ended $how)" '3 150 1 2' "$how"
done
is "$(ended _exit)" '3 0 0 0' '_exit'
is "$(ended abort 2>/dev/null)" '134 0 0 0' 'abort'

rm "$work/memory"
under_keel KEEL_SCHEDULE=rate KEEL_MEMORY=memory env --chdir="$work" "$(program ending)" elsewhere >/dev/null
is "$(cd "$work" && ls memory)" memory 'a relative name is of the folder of the first loop'

unlike "$(under_keel KEEL_SCHEDULE=rate KEEL_TRACE=/dev/stdout "$(program ending)" quick_exit)" 'in the buffer' \
    'quick_exit leaves buffers of stdio alone'

done_testing
