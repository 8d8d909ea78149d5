#!/bin/bash
# bench/papers prints tables and draws pictures; without gnuplot it prints the same tables, and says so.
source tests/support/tap.sh

papers=$(keel_path bench/papers)
built=$(keel_path bench/papers_dir/fg95/nbody)
built=${built%/bench/papers_dir/fg95/nbody}

# run_papers FOLDER
run_papers()
{
    "$papers" --built "$built" --short --plots "$1" fg95 2>"$TEST_TMPDIR/messages"
}

tables=$(run_papers "$TEST_TMPDIR/plots")
is $? 0 'it succeeds'
messages=$(<"$TEST_TMPDIR/messages")
like "$tables" '^F8: speed-ups on 2 to 16 unequal hosts' 'with tables'
like "$messages" "^keel: pictures: $TEST_TMPDIR/plots$" 'pictures are told of'
is "$(cd "$TEST_TMPDIR/plots" && echo *)" 'fg95-speedups.png fg95-surface.png' 'and drawn'

# All commands but gnuplot.
mkdir "$TEST_TMPDIR/bin"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    ln -sf "$folder"/* "$TEST_TMPDIR/bin/" 2>/dev/null
done
rm -f "$TEST_TMPDIR"/bin/gnuplot*
without=$(PATH=$TEST_TMPDIR/bin run_papers "$TEST_TMPDIR/none")
is $? 0 'it succeeds without gnuplot'
is "$without" "$tables" 'with the same tables'
messages=$(<"$TEST_TMPDIR/messages")
is "$(grep -v ' simulating \| that took ' <<<"$messages")" \
    'keel: there is no gnuplot, so no pictures (.ci/install plot installs it)' 'and one line'
is "$(ls "$TEST_TMPDIR/none")" '' 'nothing is drawn'
done_testing
