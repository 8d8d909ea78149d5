! A whole MPI and OpenMP program whose loop is shared by all ranks: draws the Mandelbrot set. The
! same as mandelbrot.c, with more about it there.
!
!   mpifort -O2 -fopenmp $(keel cflags --mpi) keel_mpi.f90 bench/hybrid/mandelbrot.f90 \
!     $(keel libs --mpi) -o hybrid        keel_mpi.f90 lies in the folder that `keel cflags` names
!   mpirun -n 2 --bind-to none -x OMP_NUM_THREADS=1 ./hybrid 800
program hybrid
  use mpi_f08
  use omp_lib
  use keel_mpi
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

  integer, parameter :: limit = 1000 ! steps after which a point counts as part of the set
  integer, allocatable :: image(:, :)
  integer :: points, level, rank, ranks, code
  real(real64) :: start_s, time_s
  real(real64) :: part(3) ! of this rank: seconds in rows, summed over its threads; rows; threads
  logical :: same

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  points = picture_size()
  allocate (image(points, points), source=0)

  call MPI_Barrier(MPI_COMM_WORLD)
  start_s = MPI_Wtime()
  call draw(code)
  time_s = MPI_Wtime() - start_s
  if (code /= keel_mpi_ok) call MPI_Abort(MPI_COMM_WORLD, code)

  call report()
  same = .true.
  if (rank == 0) call verify()
  call MPI_Finalize()
  if (.not. same) error stop

contains

  integer function picture_size() result(points)
    character(len=16) :: word
    integer :: problem

    points = 800
    problem = 0
    if (command_argument_count() > 0) then
      call get_command_argument(1, word)
      read (word, *, iostat=problem) points
    end if
    if (problem /= 0 .or. points < 1) then
      if (rank == 0) print '(a)', 'the number of rows is not a whole number from 1'
      call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
  end function picture_size

  pure integer function steps_to_escape(re, im) result(steps)
    real(real64), intent(in) :: re, im
    real(real64) :: x, y, next

    x = 0
    y = 0
    steps = 0
    do while (steps < limit .and. x * x + y * y < 4)
      next = x * x - y * y + re
      y = 2 * x * y + im
      x = next
      steps = steps + 1
    end do
  end function steps_to_escape

  pure subroutine draw_row(row, steps)
    integer, intent(in) :: row
    integer, intent(out) :: steps(:)
    integer :: column

    do column = 1, size(steps)
      steps(column) = steps_to_escape(0.5_real64 - (row - 1) * (2.3_real64 / size(steps)), &
                                      1.2_real64 - (column - 1) * (2.4_real64 / size(steps)))
    end do
  end subroutine draw_row

  ! Draws all rows, each on one of the ranks; rank 0 gets the picture. A reduction is over the
  ! threads of one rank, and over the rows that this rank has drawn.
  subroutine draw(code)
    integer, intent(out) :: code
    real(real64) :: busy_s, row_start_s
    integer :: row, rows

    busy_s = 0
    rows = 0
    call keel_mpi_share(MPI_COMM_WORLD, code) ! the next scheduled loop belongs to all ranks
    if (code /= keel_mpi_ok) return
    !$omp parallel do schedule(runtime) private(row_start_s) reduction(+: busy_s, rows)
    do row = 1, points
      row_start_s = omp_get_wtime()
      call draw_row(row, image(:, row))
      busy_s = busy_s + omp_get_wtime() - row_start_s
      rows = rows + 1
    end do
    part = [busy_s, real(rows, real64), real(omp_get_max_threads(), real64)]
    ! rows come from wherever they were computed
    call keel_mpi_gather(image, size(image, 1), MPI_INTEGER, 0, MPI_COMM_WORLD, code)
  end subroutine draw

  ! Percent imbalance: by how much the busiest rank lies over the mean, per thread. Collective.
  subroutine report()
    real(real64) :: parts(3, 0:ranks - 1), busy_s(0:ranks - 1), mean_s
    integer :: i

    call MPI_Gather(part, 3, MPI_DOUBLE_PRECISION, parts, 3, MPI_DOUBLE_PRECISION, 0, &
                    MPI_COMM_WORLD)
    if (rank /= 0) return
    busy_s = parts(1, :) / parts(3, :)
    mean_s = sum(busy_s) / ranks
    do i = 0, ranks - 1
      print '(a, i0, a, i0, a, i0, a, f9.4, a, sp, f0.1, a)', 'rank ', i, ': ', nint(parts(2, i)), &
        ' rows, ', nint(parts(3, i)), ' threads busy for', busy_s(i), ' s, ', &
        (busy_s(i) / mean_s - 1) * 100, ' % from the mean'
    end do
    print '(a, f9.4, a, f0.1, a)', 'time', time_s, ' s, imbalance ', &
      (maxval(busy_s) / mean_s - 1) * 100, ' %'
  end subroutine report

  subroutine verify()
    integer :: row_alone(points), row

    do row = 1, points
      call draw_row(row, row_alone)
      if (any(row_alone /= image(:, row))) then
        print '(a, i0, a)', 'row ', row, ' differs from what one rank computes'
        same = .false.
        return
      end if
    end do
    print '(a)', 'the picture is the one that rank 0 draws alone'
  end subroutine verify
end program hybrid
