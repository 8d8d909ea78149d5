#!/bin/bash
# Loops without a barrier between are left alone unless they touch no common data, or an option says otherwise.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

# outcome NAME WANTED [OPTION...]: source on standard input; one character for each loop in order of its line: t, taken;
# w, taken, and all threads wait before it if Keel schedules it; l, left alone.
outcome()
{
    local name=$1 wanted=$2 got
    shift 2
    compile_keel "${language:-c}" -O1 "$@" || { tap_result 1 "$name"; return; }
    got=$(sed -nE 's/^[^:]*:([0-9]+):.*keel: loop (left|taken;|taken).*/\1 \2/p' "$TEST_TMPDIR/keel.o.log" | sort -n |
        sed 's/.*taken;/w/; s/.* \(.\).*/\1/' | tr -d '\n')
    is "$got" "$wanted" "$name"
}

# in_function: a function with the statements of standard input.
in_function()
{
    printf 'int a[100], b[100], c[100], m; void g(void);\nvoid f(int n, int *p, int *q) {\n'
    cat
    printf '}\n'
}

# in_region: one whose region has them.
in_region()
{
    { printf '#pragma omp parallel\n{\n' && cat && printf '}\n'; } | in_function
}

# loops [CLAUSES LOOP]...: statements of a region: a loop with these clauses, - for none; or `code STATEMENTS`.
loops()
{
    while [ $# -gt 0 ]; do
        [ "$1" = code ] || printf '#pragma omp for %s\n' "${1#-}"
        printf '%s\n' "$2"
        shift 2
    done
}

# region NAME WANTED [CLAUSES LOOP]...: the outcome for a region of these.
region()
{
    outcome "$1" "$2" < <(loops "${@:3}" | in_region)
}

fill='for (int i = 0; i < n; i++) a[i] = i;'
copy='for (int i = 0; i < n; i++) b[i] = a[i];'
other='for (int i = 0; i < n; i++) c[i] = 2 * i;'

region 'the second loop reads what the first writes' ll nowait "$fill" - "$copy"
like "$(cat "$TEST_TMPDIR/keel.o.log")" ':7:9: note: keel: this is the loop behind it' 'a note names the second'
like "$(cat "$TEST_TMPDIR/keel.o.log")" ':5:9: note: keel: this is the loop before it' 'and the first'

outcome 'nowait is the author'\''s word' tt "$option-nowait" < <(loops nowait "$fill" - "$copy" | in_region)
region 'the first reads what the second writes' ll nowait "$copy" - "$fill"
region 'a loop with a barrier' tt - "$fill" - "$copy"
region 'a barrier between them' tt nowait "$fill" code '#pragma omp barrier' - "$copy"
region 'a single construct between them, which has one' tlt - "$other" nowait "$fill" code $'#pragma omp single\nm = a[3];' - "$copy"
region 'code that reads the data before the barrier' l nowait "$fill" code $'#pragma omp master\nm = a[3];'
region 'code that does not' t nowait "$fill" code 'm = 3;'
region 'nothing behind it' t nowait "$fill"
region 'they touch different arrays' tt nowait "$fill" - "$other"
region 'they read the same array' tt nowait 'for (int i = 0; i < n; i++) a[i] = c[i];' - 'for (int i = 0; i < n; i++) b[i] = c[i];'
region 'pointers may lead to the same data' ll nowait 'for (int i = 0; i < n; i++) p[i] = i;' - 'for (int i = 0; i < n; i++) q[i] = i;'
region 'a pointer may lead to an array' ll nowait 'for (int i = 0; i < n; i++) p[i] = i;' - "$fill"
region 'a function may use anything' ll nowait 'for (int i = 0; i < n; i++) g();' - "$fill"
outcome 'a function of mathematics writes through a pointer' ll < <(printf '#include <math.h>\n' &&
    loops nowait 'for (int i = 0; i < n; i++) frexp(i, &a[i]);' - "$copy" | in_region)
region 'a reduction is written where the loop ends' ll 'nowait reduction(+:m)' 'for (int i = 0; i < n; i++) m += i;' \
    - 'for (int i = 0; i < n; i++) b[i] = m;'
region 'only the third uses what the first has written' ltl nowait "$fill" nowait "$other" - "$copy"
region 'a loop around leads from the last to the first' ll code 'for (int k = 0; k < n; k++) {' - "$fill" nowait "$copy" code '}'
region 'a loop around leads from one to itself' l code 'for (int k = 0; k < n; k++)' nowait 'for (int i = 0; i < n; i++) a[i] += i;'
region 'a branch may lead past a barrier' ll nowait "$fill" code $'if (n > 3) {\n#pragma omp barrier\n}' - "$copy"
region 'all branches lead to one' tt nowait "$fill" \
    code $'switch (n) {\ncase 1: ;\n#pragma omp barrier\nbreak;\ndefault: ;\n#pragma omp barrier\n}' - "$copy"
region 'a goto leads back' ll code 'again: ;' - "$copy" nowait "$fill" code 'if (n-- > 3) goto again;'
region 'dynamic loops promise no equal shares' lt 'schedule(dynamic) nowait' "$fill" - "$copy"
region 'a written static one does' ll 'schedule(static) nowait' "$fill" - "$copy"
region 'a call behind it' lw nowait "$fill" code 'g();' - "$other"
region 'a call before a loop, and a barrier' 'tt' code $'g();\n#pragma omp barrier' - "$fill" - "$copy"
region 'a call before a loop in a region that may be cancelled' l code $'g();\nif (n > 3) {\n#pragma omp cancel parallel\n}' - "$fill"
outcome 'combined constructs end with their region' tt <<'END'
int a[100], b[100];
void f(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = i;
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) b[i] = a[i];
}
END
outcome 'regions inside loops are looked at, too' 'll' <<'END'
int a[100], b[100];
void f(int n) {
    for (int k = 0; k < n; k++) {
#pragma omp parallel
        {
#pragma omp for nowait
            for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for
            for (int i = 0; i < n; i++) b[i] = a[i];
        }
    }
}
END
outcome 'an orphaned loop may be the second of a pair, a later one is not' wt < <(loops - "$fill" - "$copy" | in_function)
outcome 'the author says that it is not' 't' "$option-nowait" < <(loops - "$fill" | in_function)
outcome 'an orphaned loop with nowait may be the first' l < <(loops nowait "$fill" | in_function)
outcome 'restrict pointers lead to data of their own' tt <<'END'
void f(int n, int (*restrict p)[100], int (*restrict q)[100]) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) (*p)[i] = i;
#pragma omp for
        for (int i = 0; i < n; i++) (*q)[i] = i;
    }
}
END
# A pair across functions: the first loop is left alone, and the second one waits. A thread sleeps in the first one.
library=$(keel_path omp_ext/libkeel.so)
cat >"$TEST_TMPDIR/across.c" <<'END'
#include <stdio.h>
#include <unistd.h>
enum { count = 100 };
int a[count], b[count];
__attribute__((noinline)) static void copy(void) {
#pragma omp for
    for (int i = 0; i < count; i++) b[i] = a[i];
}
__attribute__((noinline)) static void fill(int round) {
#pragma omp for nowait
    for (int i = 0; i < count; i++) {
        if (i == 60) usleep(20000);
        a[i] = i + round;
    }
}
int main(void) {
    int wrong = 0;
    for (int round = 1; round < 6; round++) {
#pragma omp parallel
        {
            fill(round);
            copy();
        }
        for (int i = 0; i < count; i++) wrong += b[i] != i + round;
    }
    printf("%d wrong\n", wrong);
}
END
# across SCHEDULE
across()
{
    OMP_NUM_THREADS=2 LD_PRELOAD=$library KEEL_SCHEDULE=$1 timeout 50 "$TEST_TMPDIR/across"
}
build_across()
{
    gcc -O1 -fopenmp -fplugin="$plugin" "$@" "$TEST_TMPDIR/across.c" -o "$TEST_TMPDIR/across"
}
ok 'a pair across functions builds' build_across
for schedule in static ss fac2 steal rate; do
    is "$(across $schedule)" '0 wrong' "a pair across functions under $schedule"
done
diag "with nowait, a word that is not true here: $(build_across "$option-nowait" && across ss)"

language=cc
outcome 'an exception leads past a barrier' ll <<'END'
int a[100], b[100];
void g();
void f(int n) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) a[i] = i;
        try {
            g();
#pragma omp barrier
        } catch (...) {
        }
#pragma omp for
        for (int i = 0; i < n; i++) b[i] = a[i];
    }
}
END
language=f90
outcome 'do loops of Fortran' lltt <<'END'
subroutine f(n, b, c)
    integer :: n, i
    integer :: b(100), c(100)
    integer, save :: a(100)
    !$omp parallel
    !$omp do
    do i = 1, n
        a(i) = i
    end do
    !$omp end do nowait
    !$omp do
    do i = 1, n
        b(i) = a(i)
    end do
    !$omp do
    do i = 1, n
        c(i) = i
    end do
    !$omp end do nowait
    !$omp do
    do i = 1, n
        b(i) = i
    end do
    !$omp end parallel
end subroutine
END
done_testing
