! Keel across the ranks of an MPI job, for Fortran programs: loops whose iterations are shared by all ranks, rows that
! move between ranks with their iterations, and pipelined sweeps over such rows. keel_mpi.h says the same for C, and more
! about each procedure: who may call it, and what it waits for.
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
! Rows that move are columns of Fortran arrays, counted from 1:
!
!     type(keel_mpi_rows) :: rows
!     real(real64), pointer :: old(:, :), new(:, :)
!     call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows)
!     call keel_mpi_rows_array(rows, width, 1, old)                  n rows of width elements; old(:, i) is row i
!     call keel_mpi_rows_array(rows, width, 1, new)
!     do step = 1, steps
!       call keel_mpi_rows_exchange(rows, old)
!       call keel_mpi_rows_bounds(rows, first, last)
!       !$omp parallel do schedule(runtime)
!       do i = first, last
!         call relax(i, old, new)
!       end do
!       call swap(old, new)
!       call keel_mpi_rows_balance(rows)                                  rows may move here
!     end do
!
! Communicators and datatypes are integers, as `use mpi` has them, or type(MPI_Comm) and type(MPI_Datatype) of mpi_f08.
! Counts, iterations and rows are of the default kind or of kind int64. `ierr` gets keel_mpi_ok or what was wrong, which
! was also written to error_unit; it may be absent everywhere.
module keel_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_funloc, c_funptr, c_int, c_int64_t, c_loc, &
    c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op
  implicit none
  private

  public :: keel_mpi_share, keel_mpi_share_nowait, keel_mpi_wait, keel_mpi_gather, keel_mpi_allgather, keel_mpi_reduce, &
    keel_mpi_allreduce, keel_mpi_loop_last_rank, keel_mpi_poll, keel_mpi_loop_ranges, keel_mpi_loop_report, keel_mpi_set_schedule
  public :: keel_mpi_loop_begin, keel_mpi_loop_next, keel_mpi_loop_end
  public :: keel_mpi_rows_create, keel_mpi_rows_free, keel_mpi_rows_array, keel_mpi_rows_items, keel_mpi_rows_bounds, &
    keel_mpi_rows_list, keel_mpi_rows_owner, keel_mpi_rows_exchange, keel_mpi_rows_exchange_begin, &
    keel_mpi_rows_exchange_end, keel_mpi_rows_gather, keel_mpi_rows_allgather
  public :: keel_mpi_rows_balance, keel_mpi_rows_set_balance, keel_mpi_rows_weigh, keel_mpi_rows_weigh_ahead, &
    keel_mpi_rows_expect, keel_mpi_rows_work_begin, keel_mpi_rows_work_end, keel_mpi_rows_move, keel_mpi_rows_report
  public :: keel_mpi_pipeline_create, keel_mpi_pipeline_begin, keel_mpi_pipeline_next, keel_mpi_pipeline_end, &
    keel_mpi_pipeline_report, keel_mpi_pipeline_free
  public :: keel_mpi_rows_item_size, keel_mpi_rows_item_pack, keel_mpi_rows_item_unpack, keel_mpi_rows_item_drop

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
  integer, parameter, public :: keel_mpi_late = 11      ! other ranks have not come in time
  integer, parameter, public :: keel_mpi_callback = 12  ! one of the program's own procedures has failed in some rank
  integer, parameter, public :: keel_mpi_error = 13     ! a call of MPI has failed, in this rank or another one

  ! Flag: the loop's end does not wait for the iterations of others.
  integer, parameter, public :: keel_mpi_nowait = 1

  ! How rows are distributed: in blocks in the order of ranks, moving between neighbours only; or in any way.
  integer, parameter, public :: keel_mpi_adjacent = 0
  integer, parameter, public :: keel_mpi_any = 1

  ! Sweeps: from row 1 and element 1 up, or from the last ones down.
  integer, parameter, public :: keel_mpi_forward = 0
  integer, parameter, public :: keel_mpi_backward = 1

  ! A loop without OpenMP, from keel_mpi_loop_begin to keel_mpi_loop_end.
  type, bind(c), public :: keel_mpi_loop
    private
    type(c_ptr) :: handle = c_null_ptr
  end type keel_mpi_loop

  ! One rank's part in the last shared loop.
  type, bind(c), public :: keel_mpi_loop_figures
    integer(c_int64_t) :: iterations ! of the whole loop
    integer(c_int64_t) :: executed   ! by this rank
    integer(c_int64_t) :: chunks     ! that it took them in
    integer(c_int64_t) :: migrations ! times that it got iterations which another rank had held before
    integer(c_int64_t) :: migrated   ! iterations that it got so
    integer(c_int64_t) :: messages   ! that it sent for this loop; collective operations not counted
    real(c_double) :: busy_s         ! time in iterations, summed over its threads; 0: not measured
  end type keel_mpi_loop_figures

  ! Rows that are distributed over ranks, from keel_mpi_rows_create to keel_mpi_rows_free.
  type, bind(c), public :: keel_mpi_rows
    private
    type(c_ptr) :: handle = c_null_ptr
  end type keel_mpi_rows

  ! How balancing has gone so far, on the calling rank unless it says otherwise. Times in s.
  type, bind(c), public :: keel_mpi_rows_figures
    integer(c_int64_t) :: hooks         ! calls of keel_mpi_rows_balance
    integer(c_int64_t) :: interactions  ! of these, those that began to exchange figures; of all ranks
    integer(c_int64_t) :: movements     ! times that rows were moved; of all ranks
    integer(c_int64_t) :: rows_moved    ! in them, by all ranks; rows that pass through a rank count again
    integer(c_int64_t) :: rows_sent
    integer(c_int64_t) :: rows_received
    integer(c_int64_t) :: bytes_sent    ! of these rows
    real(c_double) :: decision_s        ! in hooks that did more than count, but for the next two
    real(c_double) :: waiting_s         ! there, for other ranks
    real(c_double) :: movement_s        ! moving rows
    real(c_double) :: busy_s            ! computing, as far as hooks have asked for it
    real(c_double) :: work              ! own rows, or the sum of their weights
    real(c_double) :: rate              ! work per s between the last two exchanges; 0: not known
    real(c_double) :: filtered_rate     ! what decisions are made from
    real(c_double) :: gain              ! part of the time that moving would save by the last decision
    real(c_double) :: period_s          ! from one exchange to the next; of all ranks
  end type keel_mpi_rows_figures

  ! Sweeps over an array of rows, from keel_mpi_pipeline_create to keel_mpi_pipeline_free.
  type, bind(c), public :: keel_mpi_pipeline
    private
    type(c_ptr) :: handle = c_null_ptr
  end type keel_mpi_pipeline

  ! How the last sweep went on the calling rank.
  type, bind(c), public :: keel_mpi_pipeline_figures
    integer(c_int64_t) :: block  ! elements in a block
    integer(c_int64_t) :: blocks ! of a sweep
    integer(c_int64_t) :: sweeps ! so far
    real(c_double) :: busy_s     ! computing
    real(c_double) :: waiting_s  ! for other ranks
    real(c_double) :: element_s  ! an element of a row, on this rank
    real(c_double) :: start_s    ! what a block takes beside its elements, on this rank
    real(c_double) :: fixed_s    ! what an empty message adds to a block
    real(c_double) :: incr_s     ! what each element of a block adds to it
    real(c_double) :: filling    ! how many blocks' time a sweep waits, at least, as estimated
  end type keel_mpi_pipeline_figures

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

  ! Combines what the ranks' parts of the last loop shared over `comm` have come to: (buffer, count, datatype, op, root,
  ! comm [, ierr]). In place: `buffer` holds this rank's part, and that of rank `root` the whole afterwards. A reduction
  ! variable has to begin with the neutral element on every rank, 0 of a sum. Where the loop could not be shared and ran
  ! whole on every rank, nothing is combined: each rank has the result of its own loop, and ierr tells why.
  interface keel_mpi_reduce
    procedure reduce_integer, reduce_integer_long, reduce_type, reduce_type_long
  end interface keel_mpi_reduce

  ! The same, with the result on all ranks: (buffer, count, datatype, op, comm [, ierr]).
  interface keel_mpi_allreduce
    procedure allreduce_integer, allreduce_integer_long, allreduce_type, allreduce_type_long
  end interface keel_mpi_allreduce

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

  ! Distributes rows 1 to n in blocks over the ranks of `comm`: (comm, n, rows [, how] [, ierr]). how: keel_mpi_adjacent,
  ! which is what it is without it, or keel_mpi_any.
  interface keel_mpi_rows_create
    subroutine rows_create_integer(comm, n, rows, how, ierr) bind(c, name='keel_mpi_f_rows_create')
      import :: c_int, keel_mpi_rows
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(in) :: n
      type(keel_mpi_rows), intent(out) :: rows
      integer(c_int), intent(in), optional :: how
      integer(c_int), intent(out), optional :: ierr
    end subroutine rows_create_integer

    subroutine rows_create_integer_long(comm, n, rows, how, ierr) bind(c, name='keel_mpi_f_rows_create_long')
      import :: c_int, c_int64_t, keel_mpi_rows
      integer(c_int), intent(in) :: comm
      integer(c_int64_t), intent(in) :: n
      type(keel_mpi_rows), intent(out) :: rows
      integer(c_int), intent(in), optional :: how
      integer(c_int), intent(out), optional :: ierr
    end subroutine rows_create_integer_long

    subroutine rows_create_type(comm, n, rows, how, ierr) bind(c, name='keel_mpi_f_rows_create')
      import :: c_int, keel_mpi_rows, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int), intent(in) :: n
      type(keel_mpi_rows), intent(out) :: rows
      integer(c_int), intent(in), optional :: how
      integer(c_int), intent(out), optional :: ierr
    end subroutine rows_create_type

    subroutine rows_create_type_long(comm, n, rows, how, ierr) bind(c, name='keel_mpi_f_rows_create_long')
      import :: c_int, c_int64_t, keel_mpi_rows, MPI_Comm
      type(MPI_Comm), intent(in) :: comm
      integer(c_int64_t), intent(in) :: n
      type(keel_mpi_rows), intent(out) :: rows
      integer(c_int), intent(in), optional :: how
      integer(c_int), intent(out), optional :: ierr
    end subroutine rows_create_type_long
  end interface keel_mpi_rows_create

  ! Adds an array: (rows, length, halo, array [, ierr]). Each row is `length` elements, all 0 at first, with `halo` rows
  ! on either side of each own one for reading. array: a pointer to an array of rank 2, which gets the bounds (1:length,
  ! 1:n); array(:, i) is row i, on whatever rank it is. Only own rows and halo may be touched. Elements are of type real
  ! or integer, of 32 or 64 bits. For others, (rows, length, halo, address, size [, ierr]) gives the type(c_ptr) of row
  ! 1; size: bytes of an element, storage_size(element) / 8.
  interface keel_mpi_rows_array
    procedure array_real32, array_real64, array_int32, array_int64, array_address, array_address_long
  end interface keel_mpi_rows_array

  ! The own rows, first to last, both of them included: (rows, first, last [, ierr]). None: first > last, so that a do
  ! loop over them does nothing. Or they are no block, see keel_mpi_rows_list: keel_mpi_argument.
  interface keel_mpi_rows_bounds
    procedure bounds, bounds_long
  end interface keel_mpi_rows_bounds

  ! Which rank has a row: (rows, row, rank [, ierr]).
  interface keel_mpi_rows_owner
    procedure owner, owner_long
  end interface keel_mpi_rows_owner

  ! The hook: (rows [, moved] [, ierr]). Put it where rows may move, on all ranks alike. moved: rows that this call has
  ! moved in the whole job. What bounds and lists said before holds no longer then; arrays stay where they are.
  interface keel_mpi_rows_balance
    procedure balance, balance_short
  end interface keel_mpi_rows_balance

  ! Says what own rows cost, relative to each other: (rows, first, weight [, ierr]). weight(1) is of row `first`,
  ! weight(2) of the next; each >= 0.
  interface keel_mpi_rows_weigh
    procedure weigh, weigh_long
  end interface keel_mpi_rows_weigh

  ! The same for the phases to come alone: the one before the next hook counts with the weights that it had.
  interface keel_mpi_rows_weigh_ahead
    procedure weigh_ahead, weigh_ahead_long
  end interface keel_mpi_rows_weigh_ahead

  ! Says that the hook will be called so many times more: (rows, hooks [, ierr]).
  interface keel_mpi_rows_expect
    procedure expect, expect_long
  end interface keel_mpi_rows_expect

  ! Moves rows: (rows, shares [, ierr]). shares(r + 1): how many rank r is to have, the same on all ranks.
  interface keel_mpi_rows_move
    procedure move, move_long
  end interface keel_mpi_rows_move

  ! Prepares sweeps over an array of rows: (rows, array, pipeline [, block] [, ierr]). block: elements of a row in a
  ! block; without it, and where it is 0, it is chosen by what was measured.
  !
  !     call keel_mpi_pipeline_create(rows, u, pipeline)
  !     do sweep = 1, sweeps
  !       call keel_mpi_rows_bounds(rows, first, last)
  !       call keel_mpi_pipeline_begin(pipeline, keel_mpi_forward)
  !       do while (keel_mpi_pipeline_next(pipeline, from, to))
  !         do i = first, last
  !           do j = from, to
  !             call update(u, j, i)            reads rows i - 1 (new) and i + 1 (old)
  !           end do
  !         end do
  !       end do
  !       call keel_mpi_pipeline_end(pipeline)
  !       call keel_mpi_rows_balance(rows)
  !     end do
  interface keel_mpi_pipeline_create
    procedure pipeline_create, pipeline_create_long
  end interface keel_mpi_pipeline_create

  ! Gives the next elements of every own row, first to last, both of them included: (pipeline, first, last). False: there
  ! are no more.
  interface keel_mpi_pipeline_next
    procedure pipeline_next, pipeline_next_long
  end interface keel_mpi_pipeline_next

  ! What a row has beside its part of arrays, for keel_mpi_rows_items.
  abstract interface
    ! How many bytes pack will write for that row; 0: it has nothing.
    function keel_mpi_rows_item_size(context, row) bind(c) result(bytes)
      import :: c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_int64_t), value :: row
      integer(c_size_t) :: bytes
    end function keel_mpi_rows_item_size

    ! Writes them to `buffer`, and changes nothing: the row may stay. 0: done.
    function keel_mpi_rows_item_pack(context, row, buffer) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: row
      type(c_ptr), value :: buffer
      integer(c_int) :: code
    end function keel_mpi_rows_item_pack

    ! Makes what was packed on another rank. 0: done; else nothing has been made.
    function keel_mpi_rows_item_unpack(context, row, buffer, bytes) bind(c) result(code)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_int64_t), value :: row
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: bytes
      integer(c_int) :: code
    end function keel_mpi_rows_item_unpack

    ! The row is on another rank now, or will not come after all: frees what is here of it.
    subroutine keel_mpi_rows_item_drop(context, row) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: row
    end subroutine keel_mpi_rows_item_drop
  end interface

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

    function c_reduce(buffer, count, datatype, op, root, comm) bind(c, name='keel_mpi_f_reduce') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: count
      integer(c_int), value :: datatype, op, root, comm
      integer(c_int) :: code
    end function c_reduce

    function c_allreduce(buffer, count, datatype, op, comm) bind(c, name='keel_mpi_f_allreduce') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: count
      integer(c_int), value :: datatype, op, comm
      integer(c_int) :: code
    end function c_allreduce

    function c_last(rank) bind(c, name='keel_mpi_loop_last_rank') result(code)
      import :: c_int
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function c_last

    function c_ranges(ranges, count) bind(c, name='keel_mpi_loop_ranges') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: ranges
      integer(c_size_t), intent(out) :: count
      integer(c_int) :: code
    end function c_ranges

    ! Answers other ranks from within a long iteration.
    subroutine keel_mpi_poll() bind(c)
    end subroutine keel_mpi_poll

    function c_report(figures) bind(c, name='keel_mpi_loop_report') result(code)
      import :: c_int, keel_mpi_loop_figures
      type(keel_mpi_loop_figures), intent(inout) :: figures
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

    function c_rows_free(rows) bind(c, name='keel_mpi_f_rows_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: rows
      integer(c_int) :: code
    end function c_rows_free

    function c_rows_array(rows, size, length, halo, address, n) bind(c, name='keel_mpi_f_rows_array') result(code)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: rows
      integer(c_size_t), value :: size
      integer(c_int64_t), value :: length, halo
      type(c_ptr), intent(out) :: address
      integer(c_int64_t), intent(out) :: n
      integer(c_int) :: code
    end function c_rows_array

    function c_rows_items(rows, size, pack, unpack, drop, context) bind(c, name='keel_mpi_f_rows_items') result(code)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: rows
      type(c_funptr), value :: size, pack, unpack, drop
      type(c_ptr), value :: context
      integer(c_int) :: code
    end function c_rows_items

    function c_bounds(rows, first, last) bind(c, name='keel_mpi_rows_bounds') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), intent(inout) :: first, last
      integer(c_int) :: code
    end function c_bounds

    function c_list(rows, list, count) bind(c, name='keel_mpi_rows_list') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      type(c_ptr), intent(out) :: list
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: code
    end function c_list

    function c_owner(rows, row, rank) bind(c, name='keel_mpi_f_rows_owner') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: row
      integer(c_int), intent(inout) :: rank
      integer(c_int) :: code
    end function c_owner

    function c_exchange(rows, array) bind(c, name='keel_mpi_rows_exchange') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, array
      integer(c_int) :: code
    end function c_exchange

    function c_exchange_begin(rows, array) bind(c, name='keel_mpi_rows_exchange_begin') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, array
      integer(c_int) :: code
    end function c_exchange_begin

    function c_exchange_end(rows, array) bind(c, name='keel_mpi_rows_exchange_end') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, array
      integer(c_int) :: code
    end function c_exchange_end

    function c_rows_gather(rows, array, buffer, root) bind(c, name='keel_mpi_rows_gather') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, array, buffer
      integer(c_int), value :: root
      integer(c_int) :: code
    end function c_rows_gather

    function c_rows_allgather(rows, array, buffer) bind(c, name='keel_mpi_rows_allgather') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, array, buffer
      integer(c_int) :: code
    end function c_rows_allgather

    function c_balance(rows, moved) bind(c, name='keel_mpi_rows_balance') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), intent(inout) :: moved
      integer(c_int) :: code
    end function c_balance

    function c_set_balance(rows, policy) bind(c, name='keel_mpi_rows_set_balance') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: rows, policy
      integer(c_int) :: code
    end function c_set_balance

    function c_weigh(rows, first, last, weight) bind(c, name='keel_mpi_rows_weigh') result(code)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: first, last
      real(c_double), intent(in) :: weight(*)
      integer(c_int) :: code
    end function c_weigh

    function c_weigh_ahead(rows, first, last, weight) bind(c, name='keel_mpi_rows_weigh_ahead') result(code)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: first, last
      real(c_double), intent(in) :: weight(*)
      integer(c_int) :: code
    end function c_weigh_ahead

    function c_expect(rows, hooks) bind(c, name='keel_mpi_rows_expect') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: hooks
      integer(c_int) :: code
    end function c_expect

    subroutine c_work_begin(rows) bind(c, name='keel_mpi_rows_work_begin')
      import :: c_ptr
      type(c_ptr), value :: rows
    end subroutine c_work_begin

    subroutine c_work_end(rows) bind(c, name='keel_mpi_rows_work_end')
      import :: c_ptr
      type(c_ptr), value :: rows
    end subroutine c_work_end

    function c_move(rows, shares, count) bind(c, name='keel_mpi_f_rows_move') result(code)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: rows
      integer(c_int64_t), intent(in) :: shares(*)
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function c_move

    function c_rows_report(rows, figures) bind(c, name='keel_mpi_rows_report') result(code)
      import :: c_int, c_ptr, keel_mpi_rows_figures
      type(c_ptr), value :: rows
      type(keel_mpi_rows_figures), intent(inout) :: figures
      integer(c_int) :: code
    end function c_rows_report

    function c_pipeline_create(rows, array, block, pipeline) bind(c, name='keel_mpi_pipeline_create') result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: rows, array
      integer(c_int64_t), value :: block
      type(c_ptr), intent(out) :: pipeline
      integer(c_int) :: code
    end function c_pipeline_create

    function c_pipeline_begin(pipeline, direction) bind(c, name='keel_mpi_pipeline_begin') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: pipeline
      integer(c_int), value :: direction
      integer(c_int) :: code
    end function c_pipeline_begin

    function c_pipeline_next(pipeline, first, last) bind(c, name='keel_mpi_pipeline_next') result(more)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: pipeline
      integer(c_int64_t), intent(inout) :: first, last
      integer(c_int) :: more
    end function c_pipeline_next

    function c_pipeline_end(pipeline) bind(c, name='keel_mpi_pipeline_end') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: pipeline
      integer(c_int) :: code
    end function c_pipeline_end

    function c_pipeline_report(pipeline, figures) bind(c, name='keel_mpi_pipeline_report') result(code)
      import :: c_int, c_ptr, keel_mpi_pipeline_figures
      type(c_ptr), value :: pipeline
      type(keel_mpi_pipeline_figures), intent(inout) :: figures
      integer(c_int) :: code
    end function c_pipeline_report

    function c_pipeline_free(pipeline) bind(c, name='keel_mpi_pipeline_free') result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: pipeline
      integer(c_int) :: code
    end function c_pipeline_free
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

  subroutine reduce_integer(buffer, count, datatype, op, root, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    integer, intent(in) :: datatype, op, root, comm
    integer, intent(out), optional :: ierr

    call give(c_reduce(c_loc(buffer), int(count, c_size_t), datatype, op, root, comm), ierr)
  end subroutine reduce_integer

  subroutine allreduce_integer(buffer, count, datatype, op, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    integer, intent(in) :: datatype, op, comm
    integer, intent(out), optional :: ierr

    call give(c_allreduce(c_loc(buffer), int(count, c_size_t), datatype, op, comm), ierr)
  end subroutine allreduce_integer

  subroutine reduce_integer_long(buffer, count, datatype, op, root, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    integer, intent(in) :: datatype, op, root, comm
    integer, intent(out), optional :: ierr

    call give(c_reduce(c_loc(buffer), count, datatype, op, root, comm), ierr)
  end subroutine reduce_integer_long

  subroutine allreduce_integer_long(buffer, count, datatype, op, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    integer, intent(in) :: datatype, op, comm
    integer, intent(out), optional :: ierr

    call give(c_allreduce(c_loc(buffer), count, datatype, op, comm), ierr)
  end subroutine allreduce_integer_long

  subroutine reduce_type(buffer, count, datatype, op, root, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr

    call give(c_reduce(c_loc(buffer), int(count, c_size_t), datatype%MPI_VAL, op%MPI_VAL, root, comm%MPI_VAL), ierr)
  end subroutine reduce_type

  subroutine allreduce_type(buffer, count, datatype, op, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int32), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr

    call give(c_allreduce(c_loc(buffer), int(count, c_size_t), datatype%MPI_VAL, op%MPI_VAL, comm%MPI_VAL), ierr)
  end subroutine allreduce_type

  subroutine reduce_type_long(buffer, count, datatype, op, root, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr

    call give(c_reduce(c_loc(buffer), count, datatype%MPI_VAL, op%MPI_VAL, root, comm%MPI_VAL), ierr)
  end subroutine reduce_type_long

  subroutine allreduce_type_long(buffer, count, datatype, op, comm, ierr)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Op), intent(in) :: op
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: ierr

    call give(c_allreduce(c_loc(buffer), count, datatype%MPI_VAL, op%MPI_VAL, comm%MPI_VAL), ierr)
  end subroutine allreduce_type_long

  ! The rank that executed the last iteration of the last shared loop: the one to broadcast lastprivate variables from.
  ! -1 if the loop had no iterations.
  subroutine keel_mpi_loop_last_rank(rank, ierr)
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr

    rank = -1
    call give(c_last(rank), ierr)
  end subroutine keel_mpi_loop_last_rank

  ! What the calling rank executed of the last shared loop: iterations ranges(1, j) to ranges(2, j), both included and
  ! counted from 1 in the loop's order, increasing and apart from each other.
  subroutine keel_mpi_loop_ranges(ranges, ierr)
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
  end subroutine keel_mpi_loop_ranges

  ! The calling rank's part in the last shared loop.
  subroutine keel_mpi_loop_report(figures, ierr)
    type(keel_mpi_loop_figures), intent(out) :: figures
    integer, intent(out), optional :: ierr

    figures = keel_mpi_loop_figures(0, 0, 0, 0, 0, 0, 0.0_c_double)
    call give(c_report(figures), ierr)
  end subroutine keel_mpi_loop_report

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

  ! --- rows that move ---

  ! Ends a distribution; its arrays go. To be called before MPI_Finalize.
  subroutine keel_mpi_rows_free(rows, ierr)
    type(keel_mpi_rows), intent(inout) :: rows
    integer, intent(out), optional :: ierr

    call give(c_rows_free(rows%handle), ierr)
  end subroutine keel_mpi_rows_free

  subroutine array_real32(rows, length, halo, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer, intent(in) :: length, halo
    real(real32), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    integer(int64) :: n
    type(c_ptr) :: address
    integer :: code

    code = c_rows_array(rows%handle, 4_c_size_t, int(length, int64), int(halo, int64), address, n)
    nullify (array)
    if (code == keel_mpi_ok) call c_f_pointer(address, array, [int(length, int64), n])
    call give(code, ierr)
  end subroutine array_real32

  subroutine array_real64(rows, length, halo, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer, intent(in) :: length, halo
    real(real64), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    integer(int64) :: n
    type(c_ptr) :: address
    integer :: code

    code = c_rows_array(rows%handle, 8_c_size_t, int(length, int64), int(halo, int64), address, n)
    nullify (array)
    if (code == keel_mpi_ok) call c_f_pointer(address, array, [int(length, int64), n])
    call give(code, ierr)
  end subroutine array_real64

  subroutine array_int32(rows, length, halo, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer, intent(in) :: length, halo
    integer(int32), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    integer(int64) :: n
    type(c_ptr) :: address
    integer :: code

    code = c_rows_array(rows%handle, 4_c_size_t, int(length, int64), int(halo, int64), address, n)
    nullify (array)
    if (code == keel_mpi_ok) call c_f_pointer(address, array, [int(length, int64), n])
    call give(code, ierr)
  end subroutine array_int32

  subroutine array_int64(rows, length, halo, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer, intent(in) :: length, halo
    integer(int64), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    integer(int64) :: n
    type(c_ptr) :: address
    integer :: code

    code = c_rows_array(rows%handle, 8_c_size_t, int(length, int64), int(halo, int64), address, n)
    nullify (array)
    if (code == keel_mpi_ok) call c_f_pointer(address, array, [int(length, int64), n])
    call give(code, ierr)
  end subroutine array_int64

  subroutine array_address(rows, length, halo, address, size, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: length, halo
    type(c_ptr), intent(out) :: address
    integer, intent(in) :: size
    integer, intent(out), optional :: ierr
    integer(int64) :: n

    call give(c_rows_array(rows%handle, int(size, c_size_t), int(length, int64), int(halo, int64), address, n), ierr)
  end subroutine array_address

  subroutine array_address_long(rows, length, halo, address, size, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in) :: length, halo
    type(c_ptr), intent(out) :: address
    integer, intent(in) :: size
    integer, intent(out), optional :: ierr
    integer(int64) :: n

    call give(c_rows_array(rows%handle, int(size, c_size_t), int(length, int64), int(halo, int64), address, n), ierr)
  end subroutine array_address_long

  ! Adds what rows have beside their parts of arrays. context is passed on to the procedures; what it points to has to
  ! stay. They are called between loops, one at a time. The program makes the items of its first rows itself.
  subroutine keel_mpi_rows_items(rows, size, pack, unpack, drop, context, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    procedure(keel_mpi_rows_item_size) :: size
    procedure(keel_mpi_rows_item_pack) :: pack
    procedure(keel_mpi_rows_item_unpack) :: unpack
    procedure(keel_mpi_rows_item_drop), optional :: drop
    type(c_ptr), intent(in), optional :: context
    integer, intent(out), optional :: ierr
    type(c_funptr) :: c_drop
    type(c_ptr) :: c_context

    c_drop = c_null_funptr
    if (present(drop)) c_drop = c_funloc(drop)
    c_context = c_null_ptr
    if (present(context)) c_context = context
    call give(c_rows_items(rows%handle, c_funloc(size), c_funloc(pack), c_funloc(unpack), c_drop, c_context), ierr)
  end subroutine keel_mpi_rows_items

  subroutine bounds(rows, first, last, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(out) :: first, last
    integer, intent(out), optional :: ierr
    integer(int64) :: long_first, long_last

    call bounds_long(rows, long_first, long_last, ierr)
    first = int(long_first, int32)
    last = int(long_last, int32)
  end subroutine bounds

  subroutine bounds_long(rows, first, last, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(out) :: first, last
    integer, intent(out), optional :: ierr
    integer :: code

    first = 0
    last = 0
    code = c_bounds(rows%handle, first, last)
    if (code /= keel_mpi_ok) last = first
    first = first + 1
    call give(code, ierr)
  end subroutine bounds_long

  ! The own rows, one by one and increasing.
  subroutine keel_mpi_rows_list(rows, list, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), allocatable, intent(out) :: list(:)
    integer, intent(out), optional :: ierr
    integer(int64), pointer :: own(:)
    type(c_ptr) :: address
    integer(int64) :: count
    integer :: code

    address = c_null_ptr
    count = 0
    code = c_list(rows%handle, address, count)
    if (code /= keel_mpi_ok) count = 0
    allocate (list(count))
    if (count > 0) then
      call c_f_pointer(address, own, [count])
      list(:) = own + 1
    end if
    call give(code, ierr)
  end subroutine keel_mpi_rows_list

  subroutine owner(rows, row, rank, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: row
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr

    call owner_long(rows, int(row, int64), rank, ierr)
  end subroutine owner

  ! -1: there is no such row.
  subroutine owner_long(rows, row, rank, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in) :: row
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr

    rank = -1
    call give(c_owner(rows%handle, row, rank), ierr)
  end subroutine owner_long

  ! Brings the halo of an array, or without one of all, up to date. Its address is what counts: the dummy argument must not
  ! be contiguous, for gfortran copies pointer arrays then.
  subroutine keel_mpi_rows_exchange(rows, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(inout), target, optional :: array(..)
    integer, intent(out), optional :: ierr

    if (present(array)) then
      call give(c_exchange(rows%handle, c_loc(array)), ierr)
    else
      call give(c_exchange(rows%handle, c_null_ptr), ierr)
    end if
  end subroutine keel_mpi_rows_exchange

  ! The same in two steps. In between, own rows that others have in their halos must not be written, nor the own halo be
  ! touched.
  subroutine keel_mpi_rows_exchange_begin(rows, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(inout), target, optional :: array(..)
    integer, intent(out), optional :: ierr

    if (present(array)) then
      call give(c_exchange_begin(rows%handle, c_loc(array)), ierr)
    else
      call give(c_exchange_begin(rows%handle, c_null_ptr), ierr)
    end if
  end subroutine keel_mpi_rows_exchange_begin

  subroutine keel_mpi_rows_exchange_end(rows, array, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(inout), target, optional :: array(..)
    integer, intent(out), optional :: ierr

    if (present(array)) then
      call give(c_exchange_end(rows%handle, c_loc(array)), ierr)
    else
      call give(c_exchange_end(rows%handle, c_null_ptr), ierr)
    end if
  end subroutine keel_mpi_rows_exchange_end

  ! Brings all rows of an array together in `buffer` of rank `root`, in their order. The other ranks' buffers stay as they
  ! are; they may be of any size.
  subroutine keel_mpi_rows_gather(rows, array, buffer, root, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(in), target :: array(..)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer, intent(in) :: root
    integer, intent(out), optional :: ierr

    call give(c_rows_gather(rows%handle, c_loc(array), c_loc(buffer), root), ierr)
  end subroutine keel_mpi_rows_gather

  ! The same, on all ranks.
  subroutine keel_mpi_rows_allgather(rows, array, buffer, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(in), target :: array(..)
    type(*), intent(inout), target, contiguous :: buffer(..)
    integer, intent(out), optional :: ierr

    call give(c_rows_allgather(rows%handle, c_loc(array), c_loc(buffer)), ierr)
  end subroutine keel_mpi_rows_allgather

  ! --- balancing ---

  subroutine balance(rows, moved, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(out), optional :: moved
    integer, intent(out), optional :: ierr
    integer(int64) :: count

    count = 0
    call give(c_balance(rows%handle, count), ierr)
    if (present(moved)) moved = count
  end subroutine balance

  subroutine balance_short(rows, moved, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(out) :: moved
    integer, intent(out), optional :: ierr
    integer(int64) :: count

    call balance(rows, count, ierr)
    moved = int(min(count, int(huge(moved), int64)), int32)
  end subroutine balance_short

  ! Sets the policy, as KEEL_MPI_BALANCE does, which rules over it; blanks around it are ignored. Must be the same on all
  ! ranks. Without `policy`, takes it back.
  subroutine keel_mpi_rows_set_balance(rows, policy, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    character(len=*), intent(in), optional :: policy
    integer, intent(out), optional :: ierr
    character(kind=c_char, len=:), allocatable, target :: text

    if (present(policy)) then
      text = trim(policy)//c_null_char
      call give(c_set_balance(rows%handle, c_loc(text)), ierr)
    else
      call give(c_set_balance(rows%handle, c_null_ptr), ierr)
    end if
  end subroutine keel_mpi_rows_set_balance

  subroutine weigh(rows, first, weight, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: first
    real(real64), intent(in), contiguous :: weight(:)
    integer, intent(out), optional :: ierr

    call weigh_long(rows, int(first, int64), weight, ierr)
  end subroutine weigh

  subroutine weigh_long(rows, first, weight, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in) :: first
    real(real64), intent(in), contiguous :: weight(:)
    integer, intent(out), optional :: ierr

    call give(c_weigh(rows%handle, first - 1, first - 1 + size(weight, kind=int64), weight), ierr)
  end subroutine weigh_long

  subroutine weigh_ahead(rows, first, weight, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: first
    real(real64), intent(in), contiguous :: weight(:)
    integer, intent(out), optional :: ierr

    call weigh_ahead_long(rows, int(first, int64), weight, ierr)
  end subroutine weigh_ahead

  subroutine weigh_ahead_long(rows, first, weight, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in) :: first
    real(real64), intent(in), contiguous :: weight(:)
    integer, intent(out), optional :: ierr

    call give(c_weigh_ahead(rows%handle, first - 1, first - 1 + size(weight, kind=int64), weight), ierr)
  end subroutine weigh_ahead_long

  subroutine expect(rows, hooks, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: hooks
    integer, intent(out), optional :: ierr

    call expect_long(rows, int(hooks, int64), ierr)
  end subroutine expect

  subroutine expect_long(rows, hooks, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in) :: hooks
    integer, intent(out), optional :: ierr

    call give(c_expect(rows%handle, max(hooks, 0_int64)), ierr)
  end subroutine expect_long

  ! Marks computing on rows that is not in scheduled loops.
  subroutine keel_mpi_rows_work_begin(rows)
    type(keel_mpi_rows), intent(in) :: rows

    call c_work_begin(rows%handle)
  end subroutine keel_mpi_rows_work_begin

  subroutine keel_mpi_rows_work_end(rows)
    type(keel_mpi_rows), intent(in) :: rows

    call c_work_end(rows%handle)
  end subroutine keel_mpi_rows_work_end

  subroutine move(rows, shares, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int32), intent(in) :: shares(:)
    integer, intent(out), optional :: ierr

    call move_long(rows, int(shares, int64), ierr)
  end subroutine move

  subroutine move_long(rows, shares, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    integer(int64), intent(in), contiguous :: shares(:)
    integer, intent(out), optional :: ierr

    call give(c_move(rows%handle, shares, size(shares, kind=c_size_t)), ierr)
  end subroutine move_long

  ! How it has gone so far.
  subroutine keel_mpi_rows_report(rows, figures, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(keel_mpi_rows_figures), intent(out) :: figures
    integer, intent(out), optional :: ierr

    figures = keel_mpi_rows_figures(0, 0, 0, 0, 0, 0, 0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0)
    call give(c_rows_report(rows%handle, figures), ierr)
  end subroutine keel_mpi_rows_report

  ! --- pipelined sweeps ---

  subroutine pipeline_create(rows, array, pipeline, block, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(inout), target :: array(..)
    type(keel_mpi_pipeline), intent(out) :: pipeline
    integer(int32), intent(in), optional :: block
    integer, intent(out), optional :: ierr
    integer(int64) :: elements

    elements = 0
    if (present(block)) elements = block
    call give(c_pipeline_create(rows%handle, c_loc(array), elements, pipeline%handle), ierr)
  end subroutine pipeline_create

  subroutine pipeline_create_long(rows, array, pipeline, block, ierr)
    type(keel_mpi_rows), intent(in) :: rows
    type(*), intent(inout), target :: array(..)
    type(keel_mpi_pipeline), intent(out) :: pipeline
    integer(int64), intent(in) :: block
    integer, intent(out), optional :: ierr

    call give(c_pipeline_create(rows%handle, c_loc(array), block, pipeline%handle), ierr)
  end subroutine pipeline_create_long

  ! Begins a sweep. direction: keel_mpi_forward or keel_mpi_backward.
  subroutine keel_mpi_pipeline_begin(pipeline, direction, ierr)
    type(keel_mpi_pipeline), intent(in) :: pipeline
    integer, intent(in) :: direction
    integer, intent(out), optional :: ierr

    call give(c_pipeline_begin(pipeline%handle, direction), ierr)
  end subroutine keel_mpi_pipeline_begin

  function pipeline_next(pipeline, first, last) result(more)
    type(keel_mpi_pipeline), intent(in) :: pipeline
    integer(int32), intent(out) :: first, last
    logical :: more
    integer(int64) :: long_first, long_last

    more = pipeline_next_long(pipeline, long_first, long_last)
    first = int(long_first, int32)
    last = int(long_last, int32)
  end function pipeline_next

  function pipeline_next_long(pipeline, first, last) result(more)
    type(keel_mpi_pipeline), intent(in) :: pipeline
    integer(int64), intent(out) :: first, last
    logical :: more

    first = 0
    last = 0
    more = c_pipeline_next(pipeline%handle, first, last) /= 0
    if (.not. more) last = first
    first = first + 1
  end function pipeline_next_long

  ! Ends the sweep on this rank.
  subroutine keel_mpi_pipeline_end(pipeline, ierr)
    type(keel_mpi_pipeline), intent(in) :: pipeline
    integer, intent(out), optional :: ierr

    call give(c_pipeline_end(pipeline%handle), ierr)
  end subroutine keel_mpi_pipeline_end

  subroutine keel_mpi_pipeline_report(pipeline, figures, ierr)
    type(keel_mpi_pipeline), intent(in) :: pipeline
    type(keel_mpi_pipeline_figures), intent(out) :: figures
    integer, intent(out), optional :: ierr

    figures = keel_mpi_pipeline_figures(0, 0, 0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0, 0d0)
    call give(c_pipeline_report(pipeline%handle, figures), ierr)
  end subroutine keel_mpi_pipeline_report

  ! To be called before its rows go.
  subroutine keel_mpi_pipeline_free(pipeline, ierr)
    type(keel_mpi_pipeline), intent(inout) :: pipeline
    integer, intent(out), optional :: ierr

    call give(c_pipeline_free(pipeline%handle), ierr)
  end subroutine keel_mpi_pipeline_free

  subroutine give(code, ierr)
    integer, intent(in) :: code
    integer, intent(out), optional :: ierr

    if (present(ierr)) ierr = code
  end subroutine give
end module keel_mpi
