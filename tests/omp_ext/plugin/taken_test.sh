#!/bin/bash
# Loops that call Keel for their chunks: those without a schedule clause, and those with the schedules that explicit=
# names.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

# --- without a clause, in any context ---

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

takes 'a lambda beside it, which names itself where functions are instrumented' begin cc -finstrument-functions <<'END'
void f(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = [=] { return n + i; }();
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

# --- explicit=: the schedules that it names, and no others ---

all=$option-explicit=static,dynamic,guided,auto

# By day one of each kind, and of each form.
while IFS='|' read -r kind clause; do
    takes "explicit=$kind takes schedule($clause)" begin c "$option-explicit=$kind" < <(simple_loop "parallel for schedule($clause)")
done < <(each_day 'static|static, k + 1
dynamic|monotonic: dynamic, 4
guided|nonmonotonic: guided, 2
auto|auto
dynamic,static|static' 'static|static
static|static, 4
static|static, k + 1
static|simd: static, 4
static|monotonic: static
dynamic|dynamic
dynamic|dynamic, 4
dynamic|monotonic: dynamic, 4
dynamic|nonmonotonic: dynamic
guided|guided, k
guided|nonmonotonic: guided, 2
auto|auto
dynamic,static|static')

while IFS='|' read -r kinds clause; do
    leaves "explicit=$kinds leaves schedule($clause)" 'schedule of its own' c "$option-explicit=$kinds" \
        < <(simple_loop "parallel for schedule($clause)")
done < <(each_day 'dynamic|guided
guided,auto|static' 'static|dynamic
dynamic|guided
guided,auto|static
static,dynamic,guided|auto')

takes 'a bare loop is taken beside' begin c "$option-explicit=guided" < <(simple_loop 'parallel for')

takes 'ordered keeps its order' begin c "$option-explicit=dynamic" \
    < <(simple_loop 'parallel for ordered schedule(dynamic)' '' "$ordered")
takes 'ordered and static' begin c "$option-explicit=static" \
    < <(simple_loop 'parallel for ordered schedule(static, 2)' '' "$ordered")
leaves 'ordered without a schedule' ordered c "$all" < <(simple_loop 'parallel for ordered' '' "$ordered")

leaves 'doacross' doacross c "$all" \
    < <(simple_loop 'parallel for ordered(1) schedule(dynamic)' 'int i = 1; i < n; i++' "$doacross")

leaves 'order(concurrent)' 'order\(concurrent\)' c "$all" < <(simple_loop 'parallel for order(concurrent) schedule(dynamic)')

for kind in $(each_day auto 'static auto guided'); do
    leaves "lastprivate(conditional:) with $kind" 'conditional:' c "$all" <<END
int f(int *a, int n) {
    int x = 0;
#pragma omp parallel for lastprivate(conditional: x) schedule($kind)
    for (int i = 0; i < n; i++) if (a[i]) x = i;
    return x;
}
END
done

# The second loop reads what the same thread wrote in the first: OpenMP promises that of static.
pair='void f(int *a, int *b, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++) a[i]++;
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) b[i] = a[i];
    }
}'
leaves 'a schedule(static) loop with nowait, and the one that reads what it wrote' 'same static shares' c "$all" <<<"$pair"
leaves 'these also with the option that no loop relies on static shares' 'same static shares' c "$all" "$option-nowait" <<<"$pair"

leaves 'do schedule(static) nowait' 'same static shares' f90 "$all" <<'END'
subroutine f(a, b, n)
    integer :: n, i, a(n), b(n)
    !$omp parallel
    !$omp do schedule(static)
    do i = 1, n
        a(i) = i
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do i = 1, n
        b(i) = a(i)
    end do
    !$omp end parallel
end subroutine
END

takes 'static loops of another function are taken all the same' begin c "$all" <<'END'
void f(int *a, int n) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) a[i]++;
}
void g(int *a) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 100; i++) a[i]++;
}
END

# two_loops CLAUSES CLAUSES: source in C.
two_loops()
{
    printf 'void f(int *a, int n) {\n'
    printf '#pragma omp for %s\n    for (int i = 0; i < n; i++) a[i]++;\n' "$@"
    printf '}\n'
}

takes 'a dynamic loop beside schedule(static) nowait' begin c "$all" < <(two_loops 'schedule(static) nowait' 'schedule(dynamic)')
takes 'a static loop beside schedule(dynamic) nowait' begin c "$all" < <(two_loops 'schedule(dynamic) nowait' 'schedule(static)')

takes 'combined constructs, whose nowait the compiler adds' begin c "$all" < <(simple_loop 'teams distribute parallel for simd schedule(static)')

takes 'a Fortran loop' begin f90 "$all" <<'END'
subroutine f(a, n)
    integer :: n, i, a(n)
    !$omp parallel do schedule(static, 8)
    do i = 1, n
        a(i) = a(i) + 1
    end do
end subroutine
END

takes 'the array loops of workshare, which GCC writes as schedule(static)' begin f90 "$all" <<'END'
subroutine f(a, n)
    integer :: n, a(n)
    !$omp parallel workshare
    a = a + 1
    !$omp end parallel workshare
end subroutine
END

takes 'a C++ template with a dependent chunk' begin cc "$all" <<'END'
template <int chunk> void f(int *a, int n) {
#pragma omp for schedule(dynamic, chunk)
    for (int i = 0; i < n; i++) a[i]++;
}
template void f<3>(int *, int);
END

done_testing
