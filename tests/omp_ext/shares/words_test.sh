#!/bin/bash
# What is said of static loops that stay as they are, and rules that take one by the author's word.
source tests/support/under_keel.sh

program=$TEST_TMPDIR/words
export OMP_NUM_THREADS=2 KEEL_OVERRIDE=static
gcc -g -O1 -fopenmp -x c tests/omp_ext/shares/words.c -o "$program"
line=$(grep -n 'omp parallel$' tests/omp_ext/shares/words.c | cut -d: -f1)

# run SETTING...: its output in $output, messages of regions in $messages.
run()
{
    output=$(under_keel "$@" "$program" 2>"$TEST_TMPDIR/errors")
    messages=$(grep -F 'KEEL_OVERRIDE=static' "$TEST_TMPDIR/errors")
}

run KEEL_SCHEDULE=ss
is "$output,$messages" '2,' 'a region with an effect before its loop stays as it is, without a word'
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1
is "$output" 2 'and so where there is a report'
like "$messages" "^keel: KEEL_OVERRIDE=static leaves the region of words\.c:$line \(counted\) as it is: .* \(0x[0-9a-f]+, words\.c:[0-9]+\)$" \
    'which says why, and where'
run "KEEL_SCHEDULE=ss; words.c:$line=fac2"
is "$output" 2 'a rule changes nothing'
run "KEEL_SCHEDULE=ss; words.c:$line=fac2!" KEEL_EXPLAIN=1
is "$output,$messages" '64,' 'but one with "!" is the word of the author: once for each of 32 shares a thread'
run 'KEEL_SCHEDULE=counted = ss !'
is "$output" 64 'for a function, too'
run 'KEEL_SCHEDULE=ss; simple=fac2!'
is "$output" 2 'it is not a word for others'
run 'KEEL_SCHEDULE=ss; comes=fac2!'
is "$output" 2 'nor one for a loop that comes to Keel anyway'
is "$(KEEL_SCHEDULE='ss!' under_keel "$program" 2>&1 | grep -c '^keel: KEEL_SCHEDULE: ')" 1 'there is none for all loops'
is "$("$(keel_path keel)" run -s ss "$program" 2>&1 >/dev/null)" \
    "keel: KEEL_OVERRIDE=static took 1 of 2 regions; KEEL_EXPLAIN=1 says why it left the others" 'keel run: how many are taken'
done_testing
