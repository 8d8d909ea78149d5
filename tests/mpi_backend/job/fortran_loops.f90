! Fortran: shared loops through the module keel_mpi, with the handles of mpi and with those of mpi_f08. Silent when
! nothing is wrong.

module checks
  use, intrinsic :: iso_fortran_env, only: int64
  use keel_mpi
  use passed
  use mpi, only: world => MPI_COMM_WORLD
  implicit none
  private :: world

  integer, parameter :: width = 3, rows = 1000
  integer :: image(width, rows), times(rows)

contains

  subroutine start()
    image = -1
    times = 0
  end subroutine start

  subroutine compute(row)
    integer, intent(in) :: row

    times(row) = times(row) + 1
    image(:, row) = [row, -row, row * row]
  end subroutine compute

  logical function is_whole()
    integer :: i

    is_whole = all([(all(image(:, i) == [i, -i, i * i]), i=1, rows)])
  end function is_whole

  ! Columns that this rank has not computed are as they were.
  logical function is_own()
    integer :: i

    is_own = all([(merge(image(1, i) == i, all(image(:, i) == -1), times(i) == 1), i=1, rows)])
  end function is_own

  ! Local: ranges, measurements and times say the same.
  subroutine check_ranges()
    integer(int64), allocatable :: ranges(:, :)
    type(keel_mpi_loop_figures) :: figures
    integer :: ierr, i, noted(rows)

    call keel_mpi_loop_ranges(world, ranges, ierr)
    call expect('code of ranges', ierr == keel_mpi_ok)
    noted = 0
    do i = 1, size(ranges, 2)
      noted(ranges(1, i):ranges(2, i)) = noted(ranges(1, i):ranges(2, i)) + 1
    end do
    call expect('ranges', all(noted == times))
    call keel_mpi_loop_report(world, figures, ierr)
    call expect('code of report', ierr == keel_mpi_ok)
    call expect('figures', figures%iterations == rows .and. figures%executed == sum(times))
  end subroutine check_ranges

  subroutine about_keel()
    integer :: major, minor
    character(len=20) :: text

    call keel_mpi_get_version(major, minor)
    call expect('version', major == keel_mpi_version_major .and. minor == keel_mpi_version_minor)
    write (text, '(i0,a,i0)') major, '.', minor
    call expect('version as text', keel_mpi_version() == trim(text))
    call expect('error text', keel_mpi_error_text(keel_mpi_no_room) == 'There is no memory.')
    call expect('text of no code', keel_mpi_error_text(-1) == 'This is no code that Keel returns.')
  end subroutine about_keel
end module checks

module with_integers
  use mpi
  use checks
  implicit none

contains

  subroutine expect_once(what)
    character(len=*), intent(in) :: what
    integer :: total(rows), ierr

    call MPI_Allreduce(times, total, rows, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect(what//': not each iteration exactly once', all(total == 1))
  end subroutine expect_once

  subroutine shared_integers()
    integer :: i, ierr, last, known, own, total

    call start()
    call keel_mpi_share(MPI_COMM_WORLD, ierr)
    call expect('code of share', ierr == keel_mpi_ok)
    last = 0
    !$omp parallel do schedule(runtime) lastprivate(last)
    do i = 1, rows
      call compute(i)
      last = i
    end do
    call expect_once('integers')
    if (ranks > 1) call check_ranges()
    call keel_mpi_loop_last_rank(MPI_COMM_WORLD, known, ierr)
    call expect('code of last', ierr == keel_mpi_ok)
    call MPI_Bcast(last, 1, MPI_INTEGER, known, MPI_COMM_WORLD, ierr)
    call expect('last', last == rows)

    own = sum(times)
    total = own
    call keel_mpi_reduce(total, 1, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ierr)
    call expect('code of reduce', ierr == keel_mpi_ok)
    call expect('reduced', total == merge(rows, own, rank == ranks - 1))
    total = own
    call keel_mpi_allreduce(total, 1_int64, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect('code of allreduce', ierr == keel_mpi_ok)
    call expect('reduced on all', total == rows)

    call keel_mpi_gather(image, width, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    call expect('code of gather', ierr == keel_mpi_ok)
    call expect('gathered', merge(is_whole(), is_own(), rank == ranks - 1))
    call keel_mpi_allgather(image, int(width, int64), MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call expect('code of allgather', ierr == keel_mpi_ok)
    call expect('gathered on all', is_whole())
  end subroutine shared_integers

  subroutine explicit_integers()
    type(keel_mpi_loop) :: loop
    integer :: first, last, i, ierr

    call start()
    call keel_mpi_loop_begin(MPI_COMM_WORLD, rows, loop, ierr=ierr)
    call expect('code of begin', ierr == keel_mpi_ok)
    do while (keel_mpi_loop_next(loop, first, last))
      call expect('bounds', 1 <= first .and. first <= last .and. last <= rows)
      do i = first, last
        call compute(i)
      end do
    end do
    call expect('no bounds', first > last)
    call keel_mpi_loop_end(loop, ierr)
    call expect('code of end', ierr == keel_mpi_ok)
    call expect_once('explicit integers')
    call check_ranges()
    call keel_mpi_gather(image(:, :), int(width, int64), MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect('gathered explicit loop', merge(is_whole(), is_own(), rank == 0))
  end subroutine explicit_integers
end module with_integers

module with_types
  use mpi_f08
  use checks
  use with_integers, only: expect_once
  implicit none

contains

  subroutine shared_types()
    integer(int64), allocatable :: ranges(:, :)
    type(keel_mpi_loop_figures) :: figures
    integer :: i, ierr, last, total(2)

    call start()
    call keel_mpi_share_nowait(MPI_COMM_WORLD, ierr)
    call expect('code of share_nowait', ierr == keel_mpi_ok)
    !$omp parallel do schedule(runtime)
    do i = 1, rows
      call compute(i)
    end do
    call keel_mpi_wait(MPI_COMM_WORLD, ierr)
    call expect('code of wait', ierr == keel_mpi_ok)
    call expect_once('types')
    total = sum(times)
    call keel_mpi_allreduce(total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect('reduced on all, types', all(total == rows))
    total = sum(times)
    call keel_mpi_reduce(total, 2_int64, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call expect('code of reduce, types', ierr == keel_mpi_ok)
    call expect('reduced, types', all(total == merge(rows, sum(times), rank == 0)))

    call keel_mpi_gather(image, width, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call expect('code of gather, types', ierr == keel_mpi_ok)
    call expect('gathered, types', merge(is_whole(), is_own(), rank == 0))
    call keel_mpi_gather(image, int(width, int64), MPI_INTEGER, 0, MPI_COMM_WORLD)
    call keel_mpi_allgather(image, width, MPI_INTEGER, MPI_COMM_WORLD)
    call expect('gathered on all, types', is_whole())
    call keel_mpi_allgather(image, int(width, int64), MPI_INTEGER, MPI_COMM_WORLD)
    call expect('gathered on all again, types', is_whole())
    call keel_mpi_loop_report(MPI_COMM_WORLD, figures, ierr)
    call expect('figures, types', ranks == 1 .or. (ierr == keel_mpi_ok .and. figures%executed == sum(times)))
    call keel_mpi_loop_ranges(MPI_COMM_WORLD, ranges, ierr)
    call expect('ranges, types', ranks == 1 .or. sum(ranges(2, :) - ranges(1, :) + 1) == sum(times))
    call keel_mpi_loop_last_rank(MPI_COMM_WORLD, last)
    call expect('last, types', last >= 0 .and. last < ranks)
  end subroutine shared_types

  ! The loop's end does not wait, but what is gathered does.
  subroutine explicit_types()
    type(keel_mpi_loop) :: loop
    integer(int64) :: first, last, i

    call start()
    call keel_mpi_loop_begin(MPI_COMM_WORLD, int(rows, int64), loop, keel_mpi_nowait)
    do while (keel_mpi_loop_next(loop, first, last))
      do i = first, last
        call compute(int(i))
      end do
    end do
    call keel_mpi_loop_end(loop)
    call keel_mpi_allgather(image, width, MPI_INTEGER, MPI_COMM_WORLD)
    call expect_once('explicit types')
    call expect('gathered on all, explicit types', is_whole())

    call keel_mpi_loop_begin(MPI_COMM_WORLD, 0, loop)
    call expect('no iterations', .not. keel_mpi_loop_next(loop, first, last))
    call keel_mpi_loop_end(loop)
  end subroutine explicit_types
end module with_types

program fortran_loops
  use checks
  use with_integers, only: explicit_integers, shared_integers
  use with_types, only: explicit_types, shared_types
  implicit none
  integer :: ierr

  call begin_checks()
  call about_keel()
  call shared_integers()
  call explicit_integers()
  call shared_types()
  call explicit_types()

  call keel_mpi_set_schedule('fac2', ierr)
  call expect('code of set_schedule', ierr == keel_mpi_ok)
  call shared_integers()
  call keel_mpi_set_schedule()
  call shared_types()
  call end_checks()
end program fortran_loops
