! Fortran: every iteration of do loops of several kinds and steps is executed exactly once, whichever schedule is asked for. The
! schedules come from the environment; the program is run once for each.
program fortran_loops
    use omp_lib
    use passed
    use iso_fortran_env, only: int8, int64
    implicit none
    integer, parameter :: sizes(5) = [1, 2, 3, 4, 7]
    integer :: times(1000), k
    logical :: failed = .false.

    do k = 1, size(sizes)
        call omp_set_num_threads(sizes(k))
        call default_kind()
        call wide_kind()
        call narrow_kind()
        call nested_dos()
        call shares()
        call in_order()
    end do
    if (failed) stop 1
    call say_passed(1)
contains
    subroutine hit(place)
        integer, intent(in) :: place
        !$omp atomic
        times(place) = times(place) + 1
    end subroutine

    subroutine expect_once(loop, last)
        character(*), intent(in) :: loop
        integer, intent(in) :: last
        checks_made = checks_made + 1
        if (any(times(:last) /= 1) .or. any(times(last + 1:) /= 0)) then
            print *, loop, ': not each iteration exactly once'
            failed = .true.
        end if
        times = 0
    end subroutine

    subroutine default_kind()
        integer :: i
        times = 0
        !$omp parallel do schedule(runtime)
        do i = -99, 900
            call hit(i + 100)
        end do
        call expect_once('integer', 1000)
        !$omp parallel do schedule(runtime)
        do i = 700, 1, -7
            call hit(i / 7)
        end do
        call expect_once('downwards', 100)
        !$omp parallel do schedule(runtime)
        do i = 3, 2
            call hit(1)
        end do
        call expect_once('empty', 0)
    end subroutine

    subroutine wide_kind()
        integer(int64) :: i, first
        first = -huge(first)
        !$omp parallel
        !$omp do schedule(runtime)
        do i = first, first + 999_int64 * 3, 3_int64
            call hit(int((i - first) / 3) + 1)
        end do
        !$omp end do nowait
        !$omp end parallel
        call expect_once('integer(int64)', 1000)
    end subroutine

    subroutine narrow_kind()
        integer(int8) :: i
        !$omp parallel do schedule(nonmonotonic: runtime)
        do i = -100_int8, 100_int8
            call hit(int(i) + 101)
        end do
        call expect_once('integer(int8)', 201)
    end subroutine

    subroutine nested_dos()
        integer :: i, j
        !$omp parallel do collapse(2) schedule(runtime)
        do i = 1, 20
            do j = 10, 2, -2
                call hit((i - 1) * 5 + j / 2)
            end do
        end do
        call expect_once('collapse(2)', 100)
    end subroutine

    subroutine shares()
        integer :: i, last, total
        total = 0
        last = 0
        !$omp parallel do schedule(runtime) reduction(+:total) lastprivate(last)
        do i = 1, 500
            call hit(i)
            total = total + i
            last = i
        end do
        call expect_once('reduction', 500)
        if (total /= 125250 .or. last /= 500) then
            print *, 'reduction gives', total, 'lastprivate', last
            failed = .true.
        end if
    end subroutine

    subroutine in_order()
        integer :: i, next
        next = 1
        !$omp parallel do ordered schedule(runtime)
        do i = 1, 50
            call hit(i)
            !$omp ordered
            if (next /= i) then
                print *, 'ordered region', i, 'when it was the turn of', next
                failed = .true.
            end if
            next = i + 1
            !$omp end ordered
        end do
        call expect_once('ordered', 50)
    end subroutine
end program
