#!/bin/bash
# Loops that schedule(runtime) would break, that have a schedule, or that share no work compile to the same object.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

leaves 'distribute, taskloop, simd and sections' '' c <<'END'
void f(int *a, int n) {
#pragma omp teams distribute
    for (int i = 0; i < n; i++) a[i]++;
#pragma omp taskloop simd
    for (int i = 0; i < n; i++) a[i]++;
#pragma omp simd
    for (int i = 0; i < n; i++) a[i]++;
#pragma omp parallel sections
    {
        a[0]++;
    }
}
END

leaves 'loop in parallel' "'loop' construct" c < <(simple_loop 'parallel loop')

leaves 'loop in teams' "'loop' construct" c <<'END'
void f(int *a, int n) {
#pragma omp teams
#pragma omp loop order(unconstrained:concurrent)
    for (int i = 0; i < n; i++) a[i]++;
}
END

leaves 'order(concurrent)' 'order\(concurrent\)' c < <(simple_loop 'parallel for order(concurrent)')

leaves 'doacross' doacross c < <(simple_loop 'parallel for ordered(1)' 'int i = 1; i < n; i++' "$doacross")
leaves 'ordered' ordered c < <(simple_loop 'parallel for ordered' '' "$ordered")

for construct in 'parallel for' 'parallel for simd'; do
    leaves "scan in $construct" inscan c <<END
void f(int *a, int n) {
    int sum = 0;
#pragma omp $construct reduction(inscan, +:sum)
    for (int i = 0; i < n; i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        a[i] = sum;
    }
}
END
done

leaves 'scan in Fortran' inscan f90 <<'END'
subroutine f(a, n)
    integer :: n, i, total, a(n)
    total = 0
    !$omp parallel do reduction(inscan, +:total)
    do i = 1, n
        total = total + a(i)
        !$omp scan inclusive(total)
        a(i) = total
    end do
end subroutine
END

for construct in 'parallel for' 'parallel for simd' 'teams distribute parallel for'; do
    leaves "a non-rectangular $construct" non-rectangular c \
        < <(simple_loop "$construct collapse(2)" '' 'for (int j = i; j < n; j++) a[i * n + j]++;')
done

leaves 'a variable of 128 bits' '64 bits' c < <(simple_loop 'parallel for' '__int128 i = 0; i < n; i++')
leaves 'a variable of 128 bits inside collapse' '64 bits' c \
    < <(simple_loop 'parallel for collapse(2)' 'int j = 0; j < 3; j++' 'for (__int128 i = 0; i < n; i++) a[j + i]++;')

leaves 'integer(16)' '64 bits' f90 <<'END'
subroutine f(a, n)
    integer(16) :: n, i
    integer :: a(n)
    !$omp parallel do
    do i = 1, n
        a(i) = 0
    end do
end subroutine
END

while IFS=: read -r type condition step; do
    leaves "for ($type; $condition; $step)" 'runs down' c < <(simple_loop 'parallel for' "$type i = n; $condition; $step")
done <<'END'
unsigned:i > 0:i--
unsigned:i != 0:i--
unsigned:i >= 3:i -= k
unsigned short:i > 0:i = i - 2
unsigned char:i > 0:--i
END

leaves 'a task reduction' "libgomp's own record" c <<'END'
int f(int n) {
    int sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, +:sum)
    for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+:sum)
        sum += i;
    return sum;
}
END

leaves 'lastprivate(conditional:) in an orphaned for' "libgomp's own record" c <<'END'
int x;
void f(int *a, int n) {
#pragma omp for lastprivate(conditional: x)
    for (int i = 0; i < n; i++) if (a[i]) x = i;
}
END

leaves 'lastprivate(conditional:) in a parallel' 'conditional:' c <<'END'
int f(int *a, int n) {
    int x = 0;
#pragma omp parallel for lastprivate(conditional: x) collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) if (a[i * n + j]) x = j;
    return x;
}
END

for kind in static 'static, 4' dynamic 'guided, 2' auto 'monotonic: dynamic' 'nonmonotonic: guided' 'simd: static, 3'; do
    leaves "schedule($kind)" 'schedule of its own' c < <(simple_loop "parallel for simd schedule($kind)")
done

for kind in runtime 'monotonic: runtime' 'nonmonotonic: runtime'; do
    leaves "schedule($kind)" already c < <(simple_loop "parallel for schedule($kind)")
done

leaves 'the loops of a workshare construct' 'schedule of its own' f90 <<'END'
subroutine f(a, b, n)
    integer :: n, a(n), b(n)
    !$omp parallel workshare
    a = b + 1
    b = 2 * a
    !$omp end parallel workshare
end subroutine
END

leaves 'a target region' 'offload device' c <<'END'
int a[100];
void f(void) {
#pragma omp target
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i]++;
#pragma omp target teams distribute parallel for simd
    for (int i = 0; i < 100; i++) a[i]++;
}
END

leaves 'a function that is declared target' 'offload device' c <<'END'
#pragma omp declare target
void f(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i]++;
}
#pragma omp end declare target
END

leaves 'a function that a target region calls' 'offload device' c <<'END'
int a[100];
__attribute__((noinline)) static void g(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i]++;
}
void f(int n) {
#pragma omp target
    g(n);
}
END

leaves 'a target region in Fortran' 'offload device' f90 <<'END'
subroutine f(a, n)
    integer :: n, i, a(n)
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, n
        a(i) = a(i) + 1
    end do
end subroutine
END

leaves 'do concurrent' '' f90 -ftree-parallelize-loops=4 <<'END'
subroutine f(a, n)
    integer :: n, i, a(n)
    do concurrent (i = 1:n)
        a(i) = a(i) + 1
    end do
end subroutine
END

leaves 'loops that GCC makes parallel by itself' '' c -O2 -ftree-parallelize-loops=4 <<'END'
void f(int *restrict a, int *restrict b, int n) {
    for (int i = 0; i < n; i++) a[i] = b[i] * 3;
}
END

leaves 'OpenACC loops' '' c -fopenacc <<'END'
int a[100];
void f(void) {
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 100; i++) a[i]++;
#pragma acc kernels copy(a)
    for (int i = 0; i < 100; i++) a[i]++;
}
END

for flags in -fno-openmp '-fno-openmp -fopenmp-simd' '-fno-openmp -fopenacc'; do
    # shellcheck disable=SC2086 # several flags in one word
    leaves "everything with $flags" '' c $flags < <(simple_loop 'parallel for simd')
done
done_testing
