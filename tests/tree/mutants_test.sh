#!/bin/bash
# tests/mutants: what is drawn and where, what is never changed, and what it says of each mutant. Bazel is replaced
# by a command that compiles one file and its test.
source tests/support/tap.sh

toy=$TEST_TMPDIR/toy
mkdir -p "$toy/tests/tree" "$toy/tests/toy" "$toy/toy" "$TEST_TMPDIR/bin"
cp "$(keel_path tests/mutants)" "$toy/tests"
cp "$(keel_path tests/tree/mutations.pl)" "$(keel_path tests/tree/nightly.sh)" "$toy/tests/tree"
echo 'nightly_patterns() { echo ^tests/toy/slow_; }' >>"$toy/tests/tree/nightly.sh"
cd "$toy" || exit

cat >toy/all.c <<'END_OF_C'
/* 1 < 2 in a comment */
#include "toy/1.h"
#define LIMIT 7 /* elements */

static const char *names[] = {"1 < 2"};

static int least(int a, int b)
{
    assert(a + b < 3);
    static_assert(sizeof(int) == 4, "1 + 1");
    if (a < b) {
        return call("a == 5", a, b);
    }
    a = names[b] - f(a, b); // 1 + 1
    return b;
}
END_OF_C
all='toy/all.c:3: #define LIMIT 7 -> #define LIMIT 6
toy/all.c:3: #define LIMIT 7 -> #define LIMIT 8
toy/all.c:11: if (a < b) { -> if (!(a < b)) {
toy/all.c:11: if (a < b) { -> if (a <= b) {
toy/all.c:11: if (a < b) { -> if (a >= b) {
toy/all.c:12: return call("a == 5", a, b); -> nothing
toy/all.c:14: a = names[b] - f(a, b); // 1 + 1 -> a = names[b] + f(a, b); // 1 + 1
toy/all.c:14: a = names[b] - f(a, b); // 1 + 1 -> a = names[b] - f(b, a); // 1 + 1
toy/all.c:14: a = names[b] - f(a, b); // 1 + 1 -> nothing'
is "$(for seed in {1..12}; do tests/mutants --seed $seed --list toy 2>/dev/null; done | sort -t: -uk2,2n -k3)" "$all" \
    'what may be changed is drawn, and nothing else'
is "$(tests/mutants --seed 5 --count 4 --list toy 2>&1)" "$(tests/mutants --seed 5 --count 4 --list toy/all.c 2>&1)" \
    'a seed draws the same again'
draws=$(for seed in {1..5}; do tests/mutants --seed $seed --count 4 --list toy 2>/dev/null | cksum; done | sort -u | wc -l)
ok 'other seeds draw something else' [ "$draws" -gt 1 ]
is "$(tests/mutants --seed 5 --count 4 --list toy 2>&1 >/dev/null)" 'keel: tests/mutants: 4 mutants of 1 files, --seed 5' \
    'the seed is printed'

# --- what becomes of mutants -----------------------------------------------------------------------

rm toy/all.c
printf 'int half(int a)\n{\n    return a / 2;\n}\n' >toy/half.c
cat >tests/toy/half_test.c <<'END_OF_C'
int half(int a);
int main(void) { return half(TRIED) != TRIED / 2; }
END_OF_C
cat >"$TEST_TMPDIR/bin/bazel" <<'END_OF_BAZEL'
#!/bin/bash
case "$*" in
*' query '*rdeps*) printf '//tests/toy:%s\n' half_test slow_test ;;
*' query '*) echo //toy:half.c ;;
*' test '*)
    [[ "$*" != *"$FAILS"* ]] || exit 37
    [[ "$*" != *slow_test* ]] || { echo '//tests/toy:slow_test   FAILED in 9.9s' && exit 3; }
    gcc -DTRIED="$TRIED" -o "$TEST_TMPDIR/half_test" toy/half.c tests/toy/half_test.c || exit 1
    "$TEST_TMPDIR/half_test" || { echo '//tests/toy:half_test   FAILED in 0.1s' && exit 3; }
    ;;
esac
END_OF_BAZEL
chmod +x "$TEST_TMPDIR/bin/bazel"
cp -r "$toy" "$TEST_TMPDIR/before"

# run_mutants TRIED: with a test that tries half() with that number.
run_mutants()
{
    output=$(PATH=$TEST_TMPDIR/bin:$PATH TMPDIR=$TEST_TMPDIR TRIED=$1 FAILS=${2:-nothing} \
        tests/mutants --seed 1 --count 9 toy 2>&1)
    status=$?
}

# Of half(), the operator and the 2: of 0, the half is 0 whatever they are, but for a division by 0.
run_mutants 7
is "$status" 0 'all mutants are killed'
like "$output" '^killed by tests/toy/half_test: toy/half.c:3: return a / 2; -> return a \* 2;$' 'it says by what test'
like "$output" 'of 2 mutants that compile, 0 survived \(0 %\); 0 do not compile$' 'how many there were'

run_mutants 0
is "$status" 1 'a test that tries too little lets some survive'
like "$output" '^SURVIVED toy/half.c:3: return a / 2; -> return a \* 2;$' 'it says which'
is "$(grep -c '^killed\|^SURVIVED' <<<"$output")" 2 'each is told of'

run_mutants 7 --test_timeout
is "$status" 2 'where tests fail without any change, nothing is tried'
ok 'the checkout is as it was' diff -r "$toy" "$TEST_TMPDIR/before"
ok 'no copy is left' test -z "$(find "$TEST_TMPDIR" -maxdepth 1 -name 'tmp.*')"

printf '\nstatic int *other(int *a, int b) { return b ? a : 0; }\n\nint *end(int *a, int b)\n{\n    return other(a, b);\n}\n' >>toy/half.c
run_mutants 7
like "$output" '^does not compile: .* -> return other\(b, a\);$' 'arguments whose types do not fit make no mutant'
# Where the nearest test tries too little, one of the folder above kills, if it passes without the change.
mkdir -p toy/deep tests/toy/deep
printf 'int half(int a)\n{\n    return a / 2;\n}\n' >toy/deep/half.c
cat >"$TEST_TMPDIR/bin/bazel" <<'END_OF_BAZEL'
#!/bin/bash
case "$*" in
*' query '*rdeps*) printf '//tests/toy%s\n' /deep:half_test :wider_test ;;
*' query '*) echo //toy/deep:half.c ;;
*wider_test*) ! grep -q "$WIDER" toy/deep/half.c || { echo '//tests/toy:wider_test   FAILED in 0.1s' && exit 3; } ;;
esac
END_OF_BAZEL
WIDER='a \*' run_mutants 0
like "$output" '^killed by tests/toy/wider_test: .* -> return a \* 2;$' 'a test of the folder above kills'
like "$output" '^SURVIVED .* -> return a / [13];$' 'what it does not notice survives'
WIDER=half run_mutants 0
unlike "$output" 'killed' 'what fails without the change, too, kills nothing'

is "$(tests/mutants --count x toy 2>&1)" \
    "keel: tests/mutants: --count 'x' is not a whole number from 1 to 999999999; nothing is run" 'what is no number'
is "$(tests/mutants there 2>&1)" 'keel: tests/mutants: there: no such file or folder in the checkout; nothing is run' \
    'what is not there'
done_testing
