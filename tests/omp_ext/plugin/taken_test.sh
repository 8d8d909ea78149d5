#!/bin/bash
# Loops without a schedule clause ask Keel for their chunks, whatever surrounds them.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

takes 'order(unconstrained:concurrent)' begin c < <(simple_loop 'parallel for order(unconstrained:concurrent)')

takes 'a loop inside sections, inside a task' begin c <<'END'
void f(int *a) {
#pragma omp parallel sections
    {
#pragma omp section
#pragma omp task
        {
#pragma omp parallel for
            for (int i = 0; i < 100; i++) a[i]++;
        }
    }
}
END

takes 'a parallel for with a task reduction, which is one of its region' begin c <<'END'
int f(int n) {
    int sum = 0;
#pragma omp parallel for reduction(task, +:sum)
    for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+:sum)
        sum += i;
    return sum;
}
END

takes 'a loop in the body of another' begin c <<'END'
void f(int *a) {
#pragma omp taskloop
    for (int j = 0; j < 4; j++) {
#pragma omp parallel for
        for (int i = 0; i < 100; i++) a[i]++;
    }
}
END

takes 'target data, which runs on the host' begin c <<'END'
int a[100];
void f(void) {
#pragma omp target data map(a)
    {
#pragma omp parallel for
        for (int i = 0; i < 100; i++) a[i]++;
    }
}
END

takes 'a nested function of GNU C' begin c <<'END'
void f(int *a, int step) {
    void inner(void) {
#pragma omp parallel for
        for (int i = 0; i < 100; i++) a[i] += step;
    }
    inner();
}
END

# Programs that results_test.sh runs: all loops but those that are said to be left alone.
for language in c cc f90; do
    source=$(keel_path tests/omp_ext/plugin/exact.$language)
    compile_keel $language <"$source"
    is "$(sed -nE 's/^[^:]*:([0-9]+):.*keel: loop taken.*/\1/p' "$TEST_TMPDIR/keel.o.log" | sort -nu)" \
        "$(grep -nE 'omp (.* )?(for|do|workshare)\b' "$source" | grep -vE 'left alone|cancel|end (do|parallel)' | cut -d: -f1)" \
        "the loops of exact.$language"
done

all_flags='-O0|-O2|-O3 -march=native|-Og|-O2 -fsanitize=undefined|-O2 -fno-exceptions|-O2 -fPIC'
IFS='|' read -ra several < <(each_day '-O0|-O2 -fPIC' "$all_flags")
for flags in "${several[@]}"; do
    # shellcheck disable=SC2086 # several flags in one word
    takes "a for with $flags" begin c $flags < <(simple_loop 'for')
done
done_testing
