#!/bin/bash
# keel itself: help, version, and what is not a subcommand.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

is "$(code "$keel" --help)" 0 '--help succeeds'
for name in run check list chunks env cflags libs model doctor; do
    like "$(output)" "^  $name " "and names $name"
    is "$(code "$keel" "$name" --help; output >"$TEST_TMPDIR/help")" 0 "keel $name --help succeeds"
    like "$(cat "$TEST_TMPDIR/help")" "^Usage: keel $name " "and shows the usage of keel $name"
    "$keel" --help >"$TEST_TMPDIR/output"
done
mapfile -t subcommands < <("$keel" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
mapfile -t actions < <("$keel" model --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/model \1/p')
for name in '' "${subcommands[@]}" "${actions[@]}"; do
    # shellcheck disable=SC2086 # an action has two words
    clear_help "$keel" $name
done
header=$(keel_path include/keel.h)
is "$("$keel" --version)" "keel $(sed -n 's/^#define KEEL_VERSION_MAJOR //p' "$header").$(sed -n 's/^#define KEEL_VERSION_MINOR //p' "$header")" \
    '--version is that of keel.h'

is "$(code "$keel")" 2 'no subcommand: exit code'
like "$(messages)" '^Usage: keel ' 'and usage'
for name in run list chunks env cflags libs model; do
    like "$(messages)" "^  $name +[a-z]" "and a line for $name"
done
is "$(code "$keel" model; messages | grep -c '^  [a-z]* *[a-z]')" '2
3' 'so does keel model'
is "$(code "$keel" foo)" 2 'a word that is near to none: exit code'
is "$(messages)" "keel: 'foo' is not a subcommand; nothing is done (see keel --help)" 'and no nearest'
is "$(code "$keel" chunk ss 3 2)" 2 'an unknown subcommand: exit code'
is "$(messages)" "keel: 'chunk' is not a subcommand, nearest is 'chunks'; nothing is done (see keel --help)" 'and the nearest'
is "$(output)" '' 'and nothing else'
is "$(code "$keel" list --nmaes)" 2 'an unknown option: exit code'
is "$("$keel" list >/dev/full 2>"$TEST_TMPDIR/messages"; echo $?)" 1 'output that cannot be written: exit code'
is "$(messages)" 'keel: standard output cannot be written' 'and message'
done_testing
