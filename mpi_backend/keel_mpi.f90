! Keel across the ranks of an MPI job, for Fortran programs: loops whose iterations are shared by all ranks. keel_mpi.h
! says the same for C, and more about each procedure: who may call it, and what it waits for.
!
!     include 'keel_mpi.f90'                 before the program unit, or compile this file first for its .mod file
!
!     use mpi_f08                                                    or: use mpi
!     use keel_mpi
!     call keel_mpi_share(MPI_COMM_WORLD)                            the next scheduled loop belongs to all ranks
!     !$omp parallel do schedule(runtime)
!     do i = 1, rows
!       call compute(i, image(:, i))
!     end do
!     call keel_mpi_gather(image, size(image, 1), MPI_INTEGER, 0)    rows come from wherever they were computed
!
!     mpifort $(keel cflags) rows.f90 $(keel libs --mpi) -o rows
!
! Communicators and datatypes are integers, as `use mpi` has them, or type(MPI_Comm) and type(MPI_Datatype) of mpi_f08.
! Counts and iterations are of the default kind or of kind int64. `ierr` gets keel_mpi_ok or what was wrong, which was
! also written to error_unit; it may be absent everywhere.
module keel_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, &
    c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  implicit none
  private

  public :: keel_mpi_share, keel_mpi_share_nowait, keel_mpi_wait, keel_mpi_gather, keel_mpi_allgather, keel_mpi_last, &
    keel_mpi_poll, keel_mpi_ranges, keel_mpi_report, keel_mpi_set_schedule
  public :: keel_mpi_loop_begin, keel_mpi_loop_next, keel_mpi_loop_end

  ! Results, with the values of keel_mpi.h.
  integer, parameter, public :: keel_mpi_ok = 0
  integer, parameter, public :: keel_mpi_not_ready = 1  ! MPI is not initialised, or finalised already
  integer, parameter, public :: keel_mpi_threads = 2    ! the thread level is too low, or the wrong thread calls
  integer, parameter, public :: keel_mpi_comm = 3       ! not an intracommunicator, or freed meanwhile
  integer, parameter, public :: keel_mpi_mismatch = 4   ! ranks came with different loops or schedules, or with none
  integer, parameter, public :: keel_mpi_no_loop = 5    ! no shared loop has run
  integer, parameter, public :: keel_mpi_busy = 6       ! a shared loop is running, or waits for its loop to start
  integer, parameter, public :: keel_mpi_no_keel = 7    ! libkeel.so is not in the process, so no loop can be shared
  integer, parameter, public :: keel_mpi_no_room = 8    ! no memory
  integer, parameter, public :: keel_mpi_argument = 9   ! an argument is out of its range
  integer, parameter, public :: keel_mpi_cancelled = 10 ! the loop was cancelled in some rank

  ! Flag: the loop's end does not wait for the iterations of others.
  integer, parameter, public :: keel_mpi_nowait = 1

  ! A loop without OpenMP, from keel_mpi_loop_begin to keel_mpi_loop_end.
  type, bind(c), public :: keel_mpi_loop
    private
    type(c_ptr) :: handle = c_null_ptr
  end type keel_mpi_loop

  ! One rank's part in the last shared loop.
  type, bind(c), public :: keel_mpi_figures
    integer(c_int64_t) :: iterations ! of the whole loop
    integer(c_int64_t) :: executed   ! by this rank
    integer(c_int64_t) :: chunks     ! that it took them in
    integer(c_int64_t) :: migrations ! times that it got iterations which another rank had held before
    integer(c_int64_t) :: migrated   ! iterations that it got so
    integer(c_int64_t) :: messages   ! that it sent for this loop; collective operations not counted
    real(c_double) :: busy_s         ! time in iterations, summed over its threads; 0: not measured
  end type keel_mpi_figures

  type, bind(c) :: c_range
    integer(c_int64_t) :: first, last
  end type c_range

  ! A type(MPI_Comm) is an integer in memory: C takes both.

  ! Shares the next schedule(runtime) loop that the calling process starts: (comm [, ierr]).
  interface keel_mpi_share
    subroutine share_integer(comm, ierr) bind(c, name='keel_mpi_f_share')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine share_integer

    subroutine share_type(comm, ierr) bind(c, name='keel_mpi_f_share')
      import :: c_int, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine share_type
  end interface keel_mpi_share

  ! The same, but a rank goes on as soon as all iterations have been begun somewhere: (comm [, ierr]).
  interface keel_mpi_share_nowait
    subroutine share_nowait_integer(comm, ierr) bind(c, name='keel_mpi_f_share_nowait')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine share_nowait_integer

    subroutine share_nowait_type(comm, ierr) bind(c, name='keel_mpi_f_share_nowait')
      import :: c_int, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine share_nowait_type
  end interface keel_mpi_share_nowait

  ! Waits until all loops shared over `comm` have been executed in the whole job: (comm [, ierr]).
  interface keel_mpi_wait
    subroutine wait_integer(comm, ierr) bind(c, name='keel_mpi_f_wait')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine wait_integer

    subroutine wait_type(comm, ierr) bind(c, name='keel_mpi_f_wait')
      import :: c_int, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(out), optional :: ierr
    end subroutine wait_type
  end interface keel_mpi_wait

  ! Brings together what the last shared loop has computed: (buffer, count, datatype, root [, ierr]). The loop's first
  ! iteration stands for the first `count` elements of `buffer`, the next one for the next, and so on: for the columns of
  ! an array. Afterwards the buffer of rank `root` holds those of all iterations. In place: every rank gives a buffer for
  ! the whole loop.
  interface keel_mpi_gather
    procedure gather_integer, gather_integer_long, gather_type, gather_type_long
  end interface keel_mpi_gather

  ! The same, with the result on all ranks: (buffer, count, datatype [, ierr]).
  interface keel_mpi_allgather
    procedure allgather_integer, allgather_integer_long, allgather_type, allgather_type_long
  end interface keel_mpi_allgather

  ! Begins a loop of the iterations 1 to `iterations`, the same number on all ranks of `comm`:
  ! (comm, iterations, loop [, flags] [, ierr]). flags: keel_mpi_nowait.
  !
  !     type(keel_mpi_loop) :: loop
  !     call keel_mpi_loop_begin(MPI_COMM_WORLD, rows, loop)
  !     do while (keel_mpi_loop_next(loop, first, last))
  !       do i = first, last
  !         call compute(i, image(:, i))
  !       end do
  !     end do
  !     call keel_mpi_loop_end(loop)
  interface keel_mpi_loop_begin
    subroutine begin_integer(comm, iterations, loop, flags, ierr) bind(c, name='keel_mpi_f_loop_begin')
      import :: c_int, keel_mpi_loop
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(in) :: iterations
      type(keel_mpi_loop), intent(out) :: loop
      integer(c_int), intent(in), optional :: flags
      integer(c_int), intent(out), optional :: ierr
    end subroutine begin_integer

    subroutine begin_integer_long(comm, iterations, loop, flags, ierr) bind(c, name='keel_mpi_f_loop_begin_long')
      import :: c_int, c_int64_t, keel_mpi_loop
      integer(c_int), intent(in) :: comm
      integer(c_int64_t), intent(in) :: iterations
      type(keel_mpi_loop), intent(out) :: loop
      integer(c_int), intent(in), optional :: flags
      integer(c_int), intent(out), optional :: ierr
    end subroutine begin_integer_long

    subroutine begin_type(comm, iterations, loop, flags, ierr) bind(c, name='keel_mpi_f_loop_begin')
      import :: c_int, keel_mpi_loop, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(in) :: iterations
      type(keel_mpi_loop), intent(out) :: loop
      integer(c_int), intent(in), optional :: flags
      integer(c_int), intent(out), optional :: ierr
    end subroutine begin_type

    subroutine begin_type_long(comm, iterations, loop, flags, ierr) bind(c, name='keel_mpi_f_loop_begin_long')
      import :: c_int, c_int64_t, keel_mpi_loop, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int64_t), intent(in) :: iterations
      type(keel_mpi_loop), intent(out) :: loop
      integer(c_int), intent(in), optional :: flags
      integer(c_int), intent(out), optional :: ierr
    end subroutine begin_type_long
  end interface keel_mpi_loop_begin

  ! Gives the rank's next iterations, first to last, both of them included: (loop, first, last). False: there are none
  ! left for this rank.
  interface keel_mpi_loop_next
    procedure next, next_long
  end interface keel_mpi_loop_next

  interface
    function c_gather(buffer, count, datatype, root) bind(c, name='keel_mpi_f_gather') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: count
      integer(c_int), value :: datatype
      integer(c_int), value :: root
      integer(c_int) :: code
    end function c_gather

    function c_allgather(buffer, count, datatype) bind(c, name='keel_mpi_f_allgather') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: count
      integer(c_int), value :: datatype
      integer(c_int) :: code
    end function c_allgather

    function c_last(rank) bind(c, name='keel_mpi_last') result(code)
      import :: c_int
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function c_last

    function c_ranges(ranges, count) bind(c, name='keel_mpi_ranges') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: ranges
      integer(c_size_t), intent(out) :: count
      integer(c_int) :: code
    end function c_ranges

    ! Answers other ranks from within a long iteration.
    subroutine keel_mpi_poll() bind(c)
    end subroutine keel_mpi_poll

    function c_report(figures) bind(c, name='keel_mpi_report') result(code)
      import :: c_int, keel_mpi_figures
      type(keel_mpi_figures), intent(inout) :: figures
      integer(c_int) :: code
    end function c_report

    function c_set_schedule(schedule) bind(c, name='keel_mpi_set_schedule') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int) :: code
    end function c_set_schedule

    function c_next(loop, first, last) bind(c, name='keel_mpi_loop_next') result(more)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: loop
      integer(c_int64_t), intent(inout) :: first, last
      integer(c_int) :: more
    end function c_next

    function c_end(loop) bind(c, name='keel_mpi_loop_end') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: loop
      integer(c_int) :: code
    end function c_end
  end interface

contains

  subroutine gather_integer(buffer, count, datatype, root, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    integer, intent(in) :: datatype, root
    integer, intent(out), optional :: ierr

    call give(c_gather(c_loc(buffer), int(count, c_size_t), datatype, root), ierr)
  end subroutine gather_integer

  subroutine gather_integer_long(buffer, count, datatype, root, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    integer, intent(in) :: datatype, root
    integer, intent(out), optional :: ierr

    call give(c_gather(c_loc(buffer), count, datatype, root), ierr)
  end subroutine gather_integer_long

  subroutine gather_type(buffer, count, datatype, root, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    integer, intent(out), optional :: ierr

    call give(c_gather(c_loc(buffer), int(count, c_size_t), datatype%MPI_VAL, root), ierr)
  end subroutine gather_type

  subroutine gather_type_long(buffer, count, datatype, root, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: root
    integer, intent(out), optional :: ierr

    call give(c_gather(c_loc(buffer), count, datatype%MPI_VAL, root), ierr)
  end subroutine gather_type_long

  subroutine allgather_integer(buffer, count, datatype, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(out), optional :: ierr

    call give(c_allgather(c_loc(buffer), int(count, c_size_t), datatype), ierr)
  end subroutine allgather_integer

  subroutine allgather_integer_long(buffer, count, datatype, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    integer, intent(in) :: datatype
    integer, intent(out), optional :: ierr

    call give(c_allgather(c_loc(buffer), count, datatype), ierr)
  end subroutine allgather_integer_long

  subroutine allgather_type(buffer, count, datatype, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(out), optional :: ierr

    call give(c_allgather(c_loc(buffer), int(count, c_size_t), datatype%MPI_VAL), ierr)
  end subroutine allgather_type

  subroutine allgather_type_long(buffer, count, datatype, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(out), optional :: ierr

    call give(c_allgather(c_loc(buffer), count, datatype%MPI_VAL), ierr)
  end subroutine allgather_type_long

  ! The rank that executed the last iteration of the last shared loop: the one to broadcast lastprivate variables from.
  ! -1 if the loop had no iterations.
  subroutine keel_mpi_last(rank, ierr)
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr

    rank = -1
    call give(c_last(rank), ierr)
  end subroutine keel_mpi_last

  ! What the calling rank executed of the last shared loop: iterations ranges(1, j) to ranges(2, j), both included and
  ! counted from 1 in the loop's order, increasing and apart from each other.
  subroutine keel_mpi_ranges(ranges, ierr)
    integer(int64), allocatable, intent(out) :: ranges(:, :)
    integer, intent(out), optional :: ierr
    type(c_range), pointer :: list(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    integer :: code

    address = c_null_ptr
    count = 0
    code = c_ranges(address, count)
    if (code /= keel_mpi_ok) count = 0
    allocate (ranges(2, count))
    if (count > 0) then
      call c_f_pointer(address, list, [count])
      ranges(1, :) = list%first + 1
      ranges(2, :) = list%last
    end if
    call give(code, ierr)
  end subroutine keel_mpi_ranges

  ! The calling rank's part in the last shared loop.
  subroutine keel_mpi_report(figures, ierr)
    type(keel_mpi_figures), intent(out) :: figures
    integer, intent(out), optional :: ierr

    figures = keel_mpi_figures(0, 0, 0, 0, 0, 0, 0.0_c_double)
    call give(c_report(figures), ierr)
  end subroutine keel_mpi_report

  ! Sets how ranks get their iterations, as KEEL_MPI_SCHEDULE does, which rules over it; blanks around it are ignored.
  ! Must be the same on all ranks. Without `schedule`, takes it back.
  subroutine keel_mpi_set_schedule(schedule, ierr)
    character(len=*), intent(in), optional :: schedule
    integer, intent(out), optional :: ierr
    character(kind=c_char, len=:), allocatable, target :: text

    if (present(schedule)) then
      text = trim(schedule)//c_null_char
      call give(c_set_schedule(c_loc(text)), ierr)
    else
      call give(c_set_schedule(c_null_ptr), ierr)
    end if
  end subroutine keel_mpi_set_schedule

  function next(loop, first, last) result(more)
    type(keel_mpi_loop), intent(in) :: loop
    integer(int32), intent(out) :: first, last
    logical :: more
    integer(int64) :: long_first, long_last

    more = next_long(loop, long_first, long_last)
    first = int(long_first, int32)
    last = int(long_last, int32)
  end function next

  ! Without iterations it is first > last, so that a do loop over them does nothing.
  function next_long(loop, first, last) result(more)
    type(keel_mpi_loop), intent(in) :: loop
    integer(int64), intent(out) :: first, last
    logical :: more

    first = 0
    last = 0
    more = c_next(loop%handle, first, last) /= 0
    if (.not. more) last = first
    first = first + 1
  end function next_long

  ! Ends the rank's part. Without nowait it waits until all iterations have been executed. A loop that is ended before
  ! keel_mpi_loop_next has said false is cancelled for all ranks.
  subroutine keel_mpi_loop_end(loop, ierr)
    type(keel_mpi_loop), intent(inout) :: loop
    integer, intent(out), optional :: ierr

    call give(c_end(loop%handle), ierr)
  end subroutine keel_mpi_loop_end

  subroutine give(code, ierr)
    integer, intent(in) :: code
    integer, intent(out), optional :: ierr

    if (present(ierr)) ierr = code
  end subroutine give
end module keel_mpi
