! Every iteration of a bare Fortran loop is executed exactly once, under any OMP_SCHEDULE. Prints errors.
module exactness
    implicit none
    integer, parameter :: count = 1000
    integer :: hits(count) = 0
    integer :: failures = 0
contains
    subroutine expect(what, got, wanted)
        character(*), intent(in) :: what
        integer(8), intent(in) :: got, wanted
        if (got == wanted) return
        print '(a, ": ", i0, ", wanted ", i0)', what, got, wanted
        failures = failures + 1
    end subroutine

    subroutine expect_once(what, step)
        character(*), intent(in) :: what
        integer, intent(in) :: step
        integer(8) :: wrong
        integer :: i
        wrong = 0
        do i = 1, count
            if (hits(i) /= merge(1, 0, mod(i - 1, step) == 0)) wrong = wrong + 1
        end do
        call expect(what, wrong, 0_8)
        hits = 0
    end subroutine

    subroutine orphan(first, last)
        integer, intent(in) :: first, last
        integer :: i
        !$omp do ! left alone
        do i = first, last
            !$omp atomic
            hits(i) = hits(i) + 1
        end do
        !$omp end do nowait
    end subroutine
end module

program exact
    use exactness
    implicit none
    integer :: i, j, last
    integer(8) :: k, total
    integer(1) :: short
    integer(2) :: down
    integer, allocatable :: table(:, :)
    real :: x(count)

    !$omp parallel do
    do i = 1, count
        hits(i) = hits(i) + 1
    end do
    call expect_once('parallel do', 1)

    !$omp parallel do
    do k = count, 1_8, -1
        hits(k) = hits(k) + 1
    end do
    call expect_once('integer(8) downwards', 1)

    !$omp parallel do
    do k = huge(k) - 999, huge(k) - 1, 3
        hits(k - (huge(k) - 1000)) = hits(k - (huge(k) - 1000)) + 1
    end do
    hits(1000) = hits(1000) + 1
    call expect_once('integer(8) next to its end', 3)

    !$omp parallel do
    do down = 991, 1, -10
        hits(down) = hits(down) + 1
    end do
    call expect_once('integer(2) downwards by ten', 10)

    total = 0
    !$omp parallel do reduction(+: total)
    do short = -100, 20
        total = total + short
    end do
    call expect('integer(1) from -100 to 20', total, -4840_8)

    !$omp parallel
    call orphan(1, 400)
    call orphan(401, 400)
    call orphan(401, count)
    !$omp end parallel
    call expect_once('orphaned loops', 1)

    allocate (table(40, 25))
    table = 0
    !$omp parallel do simd collapse(2)
    do j = 1, 25
        do i = 1, 40
            table(i, j) = table(i, j) + 1
        end do
    end do
    call expect('do simd collapse(2)', int(sum(abs(table - 1)), 8), 0_8)

    last = 0
    total = 0
    !$omp parallel do lastprivate(last) reduction(+: total, hits)
    do i = 1, count
        last = i
        total = total + i
        hits(i) = hits(i) + 1
    end do
    call expect('lastprivate', int(last, 8), int(count, 8))
    call expect('reduction', total, 500500_8)
    call expect_once('an array reduction', 1)

    !$omp parallel workshare ! left alone
    x = 1
    x = 2 * x + 1
    !$omp end parallel workshare
    call expect('workshare', int(sum(x), 8), 3000_8)

    !$omp teams distribute parallel do
    do i = 1, count
        hits(i) = hits(i) + 1
    end do
    call expect_once('teams distribute parallel do', 1)

    call inner(2)
    if (failures /= 0) stop 1
    print '(a)', 'exact'
contains
    subroutine inner(step)
        integer, intent(in) :: step
        integer :: n
        !$omp parallel do
        do n = 1, count, step
            hits(n) = hits(n) + 1
        end do
        call expect_once('a contained procedure', step)
    end subroutine
end program
