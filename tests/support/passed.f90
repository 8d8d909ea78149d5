! As rank_checks.h and checks.h have it for programs in C: what is wrong is printed, and success is said in the file that
! KEEL_TEST_PASSED names.
module passed
  use mpi
  implicit none
  private
  public :: begin_checks, expect, end_checks

  integer, public :: rank, ranks ! of MPI_COMM_WORLD
  integer :: checks_made = 0
  logical :: failed = .false.

contains

  subroutine begin_checks()
    integer :: level, ierr

    call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  end subroutine begin_checks

  subroutine expect(what, right)
    character(len=*), intent(in) :: what
    logical, intent(in) :: right

    checks_made = checks_made + 1
    if (right) return
    print '(a,i0,2a)', 'rank ', rank, ': wrong: ', what
    failed = .true.
  end subroutine expect

  subroutine end_checks()
    logical :: any_failed
    integer :: ierr

    call MPI_Allreduce(failed, any_failed, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
    if (any_failed) stop 1
    if (rank == 0) call say_passed()
  end subroutine end_checks

  ! By one process, for all ranks.
  subroutine say_passed()
    character(len=4096) :: path
    integer :: length, status, unit, each

    call get_environment_variable('KEEL_TEST_PASSED', path, length, status)
    if (status /= 0) return
    open (newunit=unit, file=path(:length), position='append', action='write')
    write (unit, '(a,i0)') ('passed Fortran checks=', checks_made, each=1, ranks)
    close (unit)
  end subroutine say_passed
end module passed
