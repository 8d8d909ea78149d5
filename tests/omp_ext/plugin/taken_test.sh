#!/bin/bash
# Loops without a schedule clause ask Keel for their chunks, whatever surrounds them.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

takes 'parallel for' begin c <<'END'
void f(int *a) {
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i]++;
}
END

takes 'an orphaned for' begin c < <(simple_loop 'for')

takes 'for nowait' begin c "$option-nowait" < <(simple_loop 'for nowait')

takes 'parallel for simd' begin c < <(simple_loop 'parallel for simd')

takes 'teams distribute parallel for, of which distribute stays static' begin c < <(simple_loop 'teams distribute parallel for')

takes 'distribute parallel for simd collapse(2)' begin c <<'END'
void f(int *a, int n) {
#pragma omp teams
#pragma omp distribute parallel for simd collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j]++;
}
END

takes 'collapse(3) over different types' begin c <<'END'
void f(int *a, int n) {
#pragma omp parallel for collapse(3)
    for (unsigned char i = 9; i > 0; i--)
        for (long j = 0; j < n; j++)
            for (short k = 0; k < 3; k++) a[(i * n + j) * 3 + k]++;
}
END

takes 'a variable of unsigned long running down' ull_begin c <<'END'
void f(int *a, unsigned long n) {
#pragma omp parallel for
    for (unsigned long i = n; i > 0; i--) a[i]++;
}
END

takes 'a narrow unsigned variable running up' begin c <<'END'
void f(int *a) {
#pragma omp parallel for
    for (unsigned char i = 0; i != 200; ++i) a[i]++;
}
END

takes 'reduction, linear, firstprivate, lastprivate, allocate' begin c <<'END'
double f(int *a, int n) {
    double sum = 0;
    int last = 0, first = 3;
#pragma omp parallel
    {
        int k = 0;
#pragma omp for reduction(+:sum) firstprivate(first) lastprivate(last) linear(k:2)
        for (int i = 0; i < n; i++) { sum += a[i] + first + k; last = i; k += 2; }
    }
    return sum + last;
}
END

takes 'order(unconstrained:concurrent)' begin c < <(simple_loop 'parallel for order(unconstrained:concurrent)')

takes 'a loop with cancellation' begin c <<'END'
void f(int *a, int n) {
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < n; i++) {
#pragma omp cancel for if (a[i])
        a[i]++;
    }
}
END

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

takes 'pointer as variable' ull_begin c <<'END'
int a[100];
void f(void) {
#pragma omp parallel for
    for (int *p = a; p < a + 100; p++) ++*p;
}
END

takes 'a template' begin cc <<'END'
template <typename T> void f(T *a) {
#pragma omp parallel for
    for (T i = 0; i < 100; i++) a[i]++;
}
template void f<int>(int *);
template void f<short>(short *);
END
is "$(notes | grep -c taken)" 2 'once for each instance of the template'

takes 'a range for' begin cc <<'END'
#include <vector>
void f(std::vector<int> &v) {
#pragma omp parallel for
    for (int &x : v) x++;
}
END

takes 'random access iterators' begin cc <<'END'
#include <deque>
void f(std::deque<int> &d) {
#pragma omp parallel for
    for (auto i = d.begin(); i < d.end(); i += 2) ++*i;
}
END

takes 'a loop in a try block that throws and catches' begin cc <<'END'
void g(int);
void f(int *a, int n) {
    try {
#pragma omp parallel
        try {
#pragma omp for
            for (int i = 0; i < n; i++) {
                try { g(i); } catch (int) { a[i]++; }
            }
        } catch (...) { throw; }
    } catch (...) { a[0] = 0; }
}
END

takes 'a lambda' begin cc <<'END'
void f(int *a, int n) {
    auto body = [=] {
#pragma omp for
        for (int i = 0; i < n; i++) a[i]++;
    };
#pragma omp parallel
    body();
}
END

takes 'members as private variables' begin cc <<'END'
struct counter {
    int first, sum;
    void run(int *a, int n) {
#pragma omp parallel for firstprivate(first) reduction(+:sum)
        for (int i = 0; i < n; i++) sum += a[i] + first;
    }
};
void f(counter &c, int *a, int n) { c.run(a, n); }
END

takes 'parallel do' begin f90 <<'END'
subroutine f(a, n)
    integer :: n, i, a(n)
    !$omp parallel do
    do i = 1, n
        a(i) = a(i) + 1
    end do
end subroutine
END

takes 'do in a contained procedure, negative step, nowait' begin f90 "$option-nowait" <<'END'
subroutine f(a, n)
    integer(8) :: n, a(n)
    !$omp parallel
    call g
    !$omp end parallel
contains
    subroutine g
        integer(8) :: i
        !$omp do
        do i = n, 1, -2
            a(i) = a(i) + 1
        end do
        !$omp end do nowait
    end subroutine
end subroutine
END

takes 'do simd collapse(2)' begin f90 <<'END'
subroutine f(a, n)
    integer :: n, i, j, a(n, n)
    !$omp parallel do simd collapse(2)
    do j = 1, n
        do i = 1, n
            a(i, j) = a(i, j) + 1
        end do
    end do
end subroutine
END

all_flags='-O0|-O2|-O3 -march=native|-Og|-O2 -fsanitize=undefined|-O2 -fno-exceptions|-O2 -fPIC'
IFS='|' read -ra several < <(each_day '-O0|-O2 -fPIC' "$all_flags")
for flags in "${several[@]}"; do
    # shellcheck disable=SC2086 # several flags in one word
    takes "a for with $flags" begin c $flags < <(simple_loop 'for')
done
done_testing
