#!/bin/bash
# Programs with a decimal comma: what Keel reads and writes has a point, as everywhere else.
source tests/support/under_keel.sh
source tests/support/locale.sh

set_locale=$(keel_path tests/support/set_locale.so)
memory=$TEST_TMPDIR/memory
make_locale de_DE UTF-8
make_locale ps_AF UTF-8 # its decimal point takes two bytes

# in_locale NAME [NAME=VALUE...] COMMAND...: under Keel, with the locale's numbers.
in_locale()
{
    under_keel LC_ALL="$1.UTF-8" LD_PRELOAD="$library:$set_locale" "${@:2}"
}

# shares LOCALE [NAME=VALUE...]: iterations that each of two threads begins with under wf2.
shares()
{
    in_locale "$@" "$(program ../places/first_chunks)" 2 1000 2>&1 | awk '/^[01] / { print $3 - $2 }' | xargs
}

for locale in de_DE ps_AF; do
    is "$(shares $locale KEEL_SCHEDULE=wf2 KEEL_WEIGHTS=0.5,1.5)" '125 375' "$locale: weights"
    is "$(shares $locale KEEL_SCHEDULE=wf2 KEEL_WEIGHTS=' 1.5e-1 , .45')" '125 375' "$locale: weights with blanks"
    is "$(shares $locale KEEL_SCHEDULE='wf2; nowhere=fac:mu=1.5,sigma=.5' KEEL_WEIGHTS=0.5,1.5)" '125 375' "$locale: parameters"
    text=$(in_locale $locale KEEL_EXPLAIN=1 KEEL_SCHEDULE=auto "$(program ../site/explained)" 20 500 2 2>&1 >/dev/null | unbroken)
    like "$text" 'speeds of the threads [0-9]+\.[0-9]{2} [0-9]+\.[0-9]{2}; a chunk' "$locale: explanations have points"
    unlike "$text" '[0-9],[0-9]|٫' "$locale: and nothing else"

    rm -f "$memory"
    is "$(in_locale $locale KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: a memory is kept"
    is "$(grep -c '٫' "$memory")" 0 "$locale: with points"
    is "$(under_keel KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: which is read elsewhere"
    is "$(in_locale $locale KEEL_MEMORY="$memory" KEEL_SCHEDULE=rate "$(program ../site/explained)" 20 500 2 2>&1)" $((20 * 500 * 499 / 2)) \
        "$locale: and comes back"

    is "$(in_locale $locale KEEL_TRACE="$TEST_TMPDIR/trace" KEEL_SCHEDULE=gss OMP_NUM_THREADS=2 "$(program ../loop/traced)" in_region 2>&1
        sed -E '1d; s/^[^,]*,[0-9]+,[01],[0-9]+,[0-9]+,[0-9]+$/fields/' "$TEST_TMPDIR/trace" | uniq)" fields "$locale: a trace has its fields"
done

done_testing
