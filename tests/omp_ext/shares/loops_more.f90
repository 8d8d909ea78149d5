! Static loops in Fortran: cases that may be taken over, as in taken_loops.c, and cases that may not, as in refused_loops.c.
! Prints the name of each case, or of those that the command line names, and a digest of all arrays behind it.
module more_cases
    use omp_lib
    implicit none

    integer, parameter :: n = 997, even = 600, room = 2048, rows = 37, columns = 27
    type point
        real(8) :: x, y
        integer :: number, id
    end type

    real(8) :: x(room), y(room), z(room), m(rows, columns), w(rows, columns)
    real :: f(room), g(room)
    integer :: a(room), b(room), c(room)
    integer(8) :: l(room), total(16)
    type(point) :: p(room)
    integer :: limit = n, few = 3
    real(8) :: factor = 1.25d0

    integer :: counter = 0
    !$omp threadprivate(counter)
contains
    subroutine taken_copy()
        integer :: i
        !$omp parallel do
        do i = 1, n
            y(i) = x(i)
        end do
    end subroutine

    ! Neither elements of a column nor columns lie side by side.
    subroutine taken_sections()
        real(8), target :: all(2 * rows, 3 * columns)
        real(8), pointer :: part(:, :)
        integer :: i, j
        part => all(::2, ::3)
        !$omp parallel do private(j)
        do i = 1, columns
            do j = 1, rows
                part(j, i) = w(j, i) * 2
            end do
        end do
        m = part
    end subroutine

    subroutine taken_short()
        integer(2) :: i
        !$omp parallel do
        do i = 5_2, 900_2
            a(i) = i
        end do
    end subroutine

    subroutine taken_runtime_step()
        integer :: i
        !$omp parallel do
        do i = 1, limit, few + 2
            y(i) = x(i) + 3
        end do
    end subroutine

    subroutine taken_columns()
        integer :: j
        !$omp parallel do
        do j = 1, columns
            m(:, j) = w(:, j) * 2 + sum(w(1:5, j))
        end do
    end subroutine

    subroutine taken_inner()
        integer :: i, j
        real(8) :: t
        !$omp parallel do private(t, j)
        do i = 1, n
            t = 0
            do j = 1, i
                t = t + x(j)
            end do
            y(i) = t
        end do
    end subroutine

    subroutine taken_private_array()
        integer :: i
        real(8) :: t(6)
        !$omp parallel do private(t)
        do i = 1, n
            t = x(i:i + 5)
            y(i) = maxval(t) - t(3)
        end do
    end subroutine

    subroutine taken_lastprivate()
        integer :: i, t
        !$omp parallel do lastprivate(t)
        do i = 1, limit
            t = a(i) * 2
            c(i) = t
        end do
        total(1) = t
    end subroutine

    subroutine taken_maximum()
        integer :: i, t
        t = 0
        !$omp parallel do reduction(max: t)
        do i = 1, limit
            t = max(t, a(i) - i)
        end do
        total(1) = t
    end subroutine

    subroutine taken_gather()
        integer :: i
        !$omp parallel do schedule(static, 8)
        do i = 1, n
            y(b(i)) = x(b(i) + 1)
        end do
    end subroutine

    subroutine taken_intrinsics()
        integer :: i
        !$omp parallel do
        do i = 1, n
            y(i) = sqrt(x(i)) + sin(z(i)) + mod(x(i), 2d0) + abs(y(i) - 4) + nint(x(i))
        end do
    end subroutine

    subroutine taken_simd()
        integer :: i
        !$omp parallel do simd
        do i = 1, limit
            g(i) = f(i) * 3
        end do
    end subroutine

    subroutine taken_pair()
        integer :: i
        !$omp parallel
        !$omp do schedule(static)
        do i = 1, limit
            y(i) = x(i) * 2
        end do
        !$omp end do nowait
        !$omp do schedule(static)
        do i = 1, limit
            z(i) = y(i) + 1
        end do
        !$omp end do nowait
        !$omp end parallel
    end subroutine

    integer function fibonacci(k) result(r)
        integer, intent(in) :: k
        integer :: i, t, v
        r = 0
        v = 1
        do i = 1, k
            t = r + v
            r = v
            v = t
        end do
    end function

    subroutine taken_call()
        integer :: i
        !$omp parallel do
        do i = 1, n
            a(i) = fibonacci(mod(a(i), 20))
        end do
    end subroutine

    ! Carried from one iteration to the next.
    subroutine refused_walk()
        integer :: i, t
        t = 1
        !$omp parallel do firstprivate(t)
        do i = 1, n
            y(i) = x(t)
            t = t + 1
        end do
    end subroutine

    subroutine refused_running_sum()
        integer :: i
        real(8) :: t
        !$omp parallel private(t)
        t = 0
        !$omp do
        do i = 1, n
            t = t + x(i)
            y(i) = t
        end do
        !$omp end do nowait
        !$omp end parallel
    end subroutine

    subroutine refused_array()
        integer :: i, k, t(8)
        t = 0
        !$omp parallel do firstprivate(t) private(k)
        do i = 1, n
            k = iand(a(i), 7) + 1
            c(i) = t(k)
            t(k) = i
        end do
    end subroutine

    subroutine refused_allocatable()
        integer :: i, k
        integer, allocatable :: t(:)
        allocate (t(8))
        t = few
        !$omp parallel do firstprivate(t) private(k)
        do i = 1, n
            k = iand(a(i), 7) + 1
            c(i) = t(k)
            t(k) = t(k) + 1
        end do
    end subroutine

    subroutine refused_collapsed()
        integer :: i, j, t
        t = 0
        !$omp parallel do collapse(2) firstprivate(t)
        do j = 1, columns
            do i = 1, rows
                m(i, j) = t
                t = t + 1
            end do
        end do
    end subroutine

    subroutine refused_lastprivate()
        integer :: i, t
        t = 0
        !$omp parallel do firstprivate(t) lastprivate(t)
        do i = 1, n
            t = t + a(i)
        end do
        total(1) = t
    end subroutine

    subroutine refused_block_value()
        integer :: i
        real(8) :: t
        !$omp parallel do private(t) num_threads(3)
        do i = 1, even
            if (mod(i, 20) == 1) t = x(i)
            y(i) = t
        end do
    end subroutine

    ! The number of the thread.
    subroutine refused_team()
        integer :: i
        !$omp parallel do
        do i = 1, n
            a(i) = mod(i, omp_get_num_threads())
        end do
    end subroutine

    subroutine refused_spmd_of_maximum()
        integer :: i, team
        team = omp_get_max_threads()
        !$omp parallel private(i)
        do i = omp_get_thread_num() + 1, n, team
            y(i) = y(i) + 1
        end do
        !$omp end parallel
    end subroutine

    ! Threads' own variables.
    subroutine refused_threadprivate()
        integer :: i
        !$omp parallel num_threads(8)
        counter = 0
        !$omp end parallel
        !$omp parallel
        counter = 0
        !$omp end parallel
        !$omp parallel do
        do i = 1, n
            a(i) = counter
            counter = counter + 1
        end do
    end subroutine

    subroutine refused_copyin()
        integer :: i
        counter = few
        !$omp parallel do copyin(counter)
        do i = 1, n
            a(i) = counter
            counter = counter + 1
        end do
    end subroutine

    ! Code around the loop.
    subroutine refused_atomic_behind()
        integer :: i
        !$omp parallel
        !$omp do
        do i = 1, n
            y(i) = x(i) + 1
        end do
        !$omp end do nowait
        !$omp atomic
        total(1) = total(1) + 3
        !$omp end parallel
    end subroutine

    subroutine refused_single()
        integer :: i
        !$omp parallel
        !$omp single
        total(1) = total(1) + 1
        !$omp end single nowait
        !$omp do
        do i = 1, n
            y(i) = x(i) + 2
        end do
        !$omp end do nowait
        !$omp end parallel
    end subroutine

    subroutine refused_master()
        integer :: i
        !$omp parallel
        !$omp master
        total(1) = omp_get_num_threads()
        !$omp end master
        !$omp do
        do i = 1, n
            y(i) = x(i) + 3
        end do
        !$omp end do nowait
        !$omp end parallel
    end subroutine

    subroutine refused_barrier()
        integer :: i
        !$omp parallel
        !$omp do
        do i = 1, n
            y(i) = x(i) + 4
        end do
        !$omp do
        do i = 1, n
            z(i) = y(n + 1 - i)
        end do
        !$omp end parallel
    end subroutine

    subroutine refused_ordered()
        integer :: i, t
        t = 0
        !$omp parallel do ordered
        do i = 1, n
            y(i) = x(i) + 5
            !$omp ordered
            t = t + a(i)
            c(i) = t
            !$omp end ordered
        end do
    end subroutine

    subroutine refused_workshare()
        !$omp parallel
        !$omp workshare
        y(1:n) = x(1:n) + 6
        z(1:n) = y(n:1:-1)
        !$omp end workshare
        total(iand(omp_get_thread_num(), 15) + 1) = 1
        !$omp end parallel
    end subroutine
end module

program loops_more
    use more_cases
    implicit none
    integer(8) :: drawn

    call run('taken_copy', taken_copy)
    call run('taken_sections', taken_sections)
    call run('taken_short', taken_short)
    call run('taken_runtime_step', taken_runtime_step)
    call run('taken_columns', taken_columns)
    call run('taken_inner', taken_inner)
    call run('taken_private_array', taken_private_array)
    call run('taken_lastprivate', taken_lastprivate)
    call run('taken_maximum', taken_maximum)
    call run('taken_gather', taken_gather)
    call run('taken_intrinsics', taken_intrinsics)
    call run('taken_simd', taken_simd)
    call run('taken_pair', taken_pair)
    call run('taken_call', taken_call)
    call run('refused_walk', refused_walk)
    call run('refused_running_sum', refused_running_sum)
    call run('refused_array', refused_array)
    call run('refused_allocatable', refused_allocatable)
    call run('refused_collapsed', refused_collapsed)
    call run('refused_lastprivate', refused_lastprivate)
    call run('refused_block_value', refused_block_value)
    call run('refused_team', refused_team)
    call run('refused_spmd_of_maximum', refused_spmd_of_maximum)
    call run('refused_threadprivate', refused_threadprivate)
    call run('refused_copyin', refused_copyin)
    call run('refused_atomic_behind', refused_atomic_behind)
    call run('refused_single', refused_single)
    call run('refused_master', refused_master)
    call run('refused_barrier', refused_barrier)
    call run('refused_ordered', refused_ordered)
    call run('refused_workshare', refused_workshare)
contains
    ! Four times, as share_cases.c does.
    subroutine run(name, one)
        character(*), intent(in) :: name
        interface
            subroutine one()
            end subroutine
        end interface
        integer(8) :: digest
        integer :: k
        if (.not. named(name)) return
        digest = 1
        do k = 1, 4
            call fill()
            call one()
            call mix(digest, transfer([x, y, z], [0_8]))
            call mix(digest, transfer([m, w], [0_8]))
            call mix(digest, transfer([f, g], [0_8]))
            call mix(digest, transfer([a, b, c], [0_8]))
            call mix(digest, transfer(p, [0_8]))
            call mix(digest, l)
            call mix(digest, total)
        end do
        print '(a, " ", z8.8)', name, digest
        flush (6)
    end subroutine

    logical function named(name)
        character(*), intent(in) :: name
        character(80) :: argument
        integer :: k
        named = command_argument_count() == 0
        do k = 1, command_argument_count()
            call get_command_argument(k, argument)
            named = named .or. argument == name
        end do
    end function

    ! Half words, modulo a prime: no product overflows.
    subroutine mix(digest, words)
        integer(8), intent(inout) :: digest
        integer(8), intent(in) :: words(:)
        integer(8), parameter :: half = 2147483647_8
        integer :: k
        do k = 1, size(words)
            digest = mod(ieor(digest, iand(words(k), half)) * 48271, half)
            digest = mod(ieor(digest, iand(ishft(words(k), -31), half)) * 48271, half)
        end do
    end subroutine

    integer function draw(below)
        integer, intent(in) :: below
        drawn = mod(drawn * 48271, 2147483647_8)
        draw = int(mod(drawn, int(below, 8)))
    end function

    subroutine fill()
        integer :: i, j
        drawn = 1
        do i = 1, room
            x(i) = draw(128) / 16d0 + 0.5d0
            y(i) = draw(128) / 16d0 + 0.5d0
            z(i) = draw(128) / 16d0 + 0.5d0
            f(i) = draw(128) / 16.0
            g(i) = draw(128) / 16.0
            a(i) = draw(1000)
            b(i) = merge(mod(i * 389, n) + 1, i, i <= n)
            c(i) = draw(17) - 8
            l(i) = draw(100000)
            p(i) = point(draw(128) / 16d0, draw(128) / 16d0, draw(100), i)
        end do
        do j = 1, columns
            do i = 1, rows
                m(i, j) = draw(128) / 16d0
                w(i, j) = draw(128) / 16d0
            end do
        end do
        total = 0
    end subroutine
end program
