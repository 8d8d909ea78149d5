! Fortran: rows that move and pipelined sweeps through the module keel_mpi. Silent when nothing is wrong.
!
!     fortran_rows            every check
!     fortran_rows errors     what is reported
module rows_checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08
  use keel_mpi
  use passed
  implicit none

  integer, parameter :: n = 40, width = 6
  integer(int64), target :: note(n) = 0 ! an item of each row: 1000 times the row where it is, else 0
  logical :: refuses = .false.

contains

  ! Shares of n rows that are different for each turn and add up to n.
  function shares_of(turn) result(shares)
    integer, intent(in) :: turn
    integer :: shares(ranks), i

    shares = [(mod(i * 7 + turn * 5, 4), i = 1, ranks)]
    if (sum(shares) == 0) shares(1) = 1
    shares = shares * (n / sum(shares))
    i = mod(turn, ranks) + 1
    shares(i) = shares(i) + n - sum(shares)
  end function shares_of

  ! --- items: each row has eight bytes, those with odd numbers none ---

  function note_size(context, row) bind(c) result(bytes)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: row
    integer(c_size_t) :: bytes
    integer(int64), pointer :: notes(:)

    call c_f_pointer(context, notes, [n])
    bytes = merge(8, 0, mod(row, 2_int64) == 0)
    if (notes(row) /= 1000 * row) bytes = 4000000 ! not here
  end function note_size

  function note_pack(context, row, buffer) bind(c) result(code)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: row
    type(c_ptr), value :: buffer
    integer(c_int) :: code
    integer(int64), pointer :: notes(:), place

    call c_f_pointer(context, notes, [n])
    call c_f_pointer(buffer, place)
    place = notes(row)
    code = 0
  end function note_pack

  function note_unpack(context, row, buffer, bytes) bind(c) result(code)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: row
    type(c_ptr), value :: buffer
    integer(c_size_t), value :: bytes
    integer(c_int) :: code
    integer(int64), pointer :: notes(:), place

    code = 0
    if (refuses) code = 3
    if (bytes /= merge(8, 0, mod(row, 2_int64) == 0)) code = 4
    if (code /= 0) return
    call c_f_pointer(context, notes, [n])
    notes(row) = 1000 * row
    if (bytes > 0) call c_f_pointer(buffer, place)
    if (bytes > 0) notes(row) = place
  end function note_unpack

  subroutine note_drop(context, row) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: row
    integer(int64), pointer :: notes(:)

    call c_f_pointer(context, notes, [n])
    notes(row) = 0
  end subroutine note_drop

  ! --- where rows are ---

  ! Bounds, list, owners and items say the same on all ranks.
  subroutine check_places(rows, shares)
    type(keel_mpi_rows), intent(in) :: rows
    integer, intent(in) :: shares(:)
    integer(int64), allocatable :: list(:)
    integer(int64) :: long_first, long_last
    integer :: first, last, i, owner, long_owner, ierr

    call keel_mpi_rows_bounds(rows, first, last, ierr)
    call expect('code of bounds', ierr == keel_mpi_ok)
    call expect('bounds', last == sum(shares(:rank + 1)) .and. last - first + 1 == shares(rank + 1))
    call keel_mpi_rows_bounds(rows, long_first, long_last)
    call expect('long bounds', long_first == first .and. long_last == last)
    call keel_mpi_rows_list(rows, list, ierr)
    call expect('code of list', ierr == keel_mpi_ok)
    call expect('size of list', size(list) == last - first + 1)
    call expect('list', all(list == [(i, i = first, last)]))
    do i = 1, n
      call keel_mpi_rows_owner(rows, i, owner, ierr)
      call keel_mpi_rows_owner(rows, int(i, int64), long_owner)
      call expect('owner', ierr == keel_mpi_ok .and. owner == long_owner)
      call expect('owner by bounds', (owner == rank) .eqv. (first <= i .and. i <= last))
      call expect('items', note(i) == merge(1000 * i, 0, owner == rank))
    end do
  end subroutine check_places

  ! --- arrays of each kind, and their halos ---

  integer function value_of(i, j)
    integer, intent(in) :: i, j

    value_of = 100 * j + i
  end function value_of

  logical function is_row(a, j)
    real(real64), intent(in) :: a(:)
    integer, intent(in) :: j
    integer :: i

    is_row = all(nint(a) == [(value_of(i, j), i = 1, width)])
  end function is_row

  logical function is_pair(z, j)
    complex(real64), intent(in) :: z(:)
    integer, intent(in) :: j

    is_pair = all(nint(real(z)) == [j, 2]) .and. all(nint(aimag(z)) == [1, j])
  end function is_pair

  subroutine check_arrays(a, b, k, l, first, last)
    real(real64), pointer, intent(in) :: a(:, :)
    real(real32), pointer, intent(in) :: b(:, :)
    integer(int32), pointer, intent(in) :: k(:, :)
    integer(int64), pointer, intent(in) :: l(:, :)
    integer, intent(in) :: first, last
    integer :: j

    do j = first, last
      call expect('real64', is_row(a(:, j), j))
      call expect('real32', is_row(real(b(:, j), real64), j))
      call expect('int32', is_row(real(k(:, j), real64), j))
      call expect('int64', is_row(real(l(:, j), real64), j))
    end do
  end subroutine check_arrays

  subroutine check_halos(rows, a, k, first, last)
    type(keel_mpi_rows), intent(in) :: rows
    real(real64), pointer, intent(inout) :: a(:, :)
    integer(int32), pointer, intent(inout) :: k(:, :)
    integer, intent(in) :: first, last
    integer :: j, ierr

    call keel_mpi_rows_exchange(rows, a, ierr)
    call expect('code of exchange', ierr == keel_mpi_ok)
    call keel_mpi_rows_exchange_begin(rows, k, ierr)
    call expect('code of exchange_begin', ierr == keel_mpi_ok)
    call keel_mpi_rows_exchange_end(rows, k, ierr)
    call expect('code of exchange_end', ierr == keel_mpi_ok)
    if (first > last) return
    do j = max(first - 2, 1), min(last + 2, n)
      call expect('halo of real64', is_row(a(:, j), j))
      call expect('halo of int32', is_row(real(k(:, j), real64), j))
    end do
  end subroutine check_halos

  subroutine arrays_move()
    type(keel_mpi_rows) :: rows
    type(keel_mpi_rows_figures) :: figures
    real(real64), pointer :: a(:, :), place(:, :)
    real(real32), pointer :: b(:, :)
    integer(int32), pointer :: k(:, :)
    integer(int64), pointer :: l(:, :)
    complex(real64), pointer :: z(:, :)
    complex(real64) :: all_z(2, n)
    real(real64) :: all_a(width, n)
    type(c_ptr) :: address, long_address
    integer :: first, last, i, j, turn, ierr, none(0)

    call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows, ierr=ierr)
    call expect('code of create', ierr == keel_mpi_ok)
    call keel_mpi_rows_array(rows, width, 2, a, ierr)
    call expect('code of array', ierr == keel_mpi_ok)
    call expect('bounds of array', all(lbound(a) == 1) .and. all(shape(a) == [width, n]))
    call keel_mpi_rows_array(rows, width, 0, b)
    call keel_mpi_rows_array(rows, width, 2, k)
    call keel_mpi_rows_array(rows, width, 0, l)
    call keel_mpi_rows_array(rows, 2, 0, address, storage_size((0d0, 0d0)) / 8, ierr)
    call expect('code of array by address', ierr == keel_mpi_ok)
    call keel_mpi_rows_array(rows, 2_int64, 0_int64, long_address, 1)
    call expect('arrays apart', .not. c_associated(address, long_address))
    call c_f_pointer(address, z, [2, n])
    call keel_mpi_rows_items(rows, note_size, note_pack, note_unpack, note_drop, c_loc(note), ierr)
    call expect('code of items', ierr == keel_mpi_ok)

    call keel_mpi_rows_bounds(rows, first, last)
    do j = first, last
      call expect('zeros', all(nint(a(:, j)) == 0) .and. all(l(:, j) == 0))
      a(:, j) = [(value_of(i, j), i = 1, width)]
      b(:, j) = [(value_of(i, j), i = 1, width)]
      k(:, j) = [(value_of(i, j), i = 1, width)]
      l(:, j) = [(value_of(i, j), i = 1, width)]
      z(:, j) = [cmplx(j, 1, real64), cmplx(2, j, real64)]
      note(j) = 1000 * j
    end do
    do turn = 1, 5
      if (mod(turn, 2) == 0) call keel_mpi_rows_move(rows, shares_of(turn), ierr)
      if (mod(turn, 2) == 1) call keel_mpi_rows_move(rows, int(shares_of(turn), int64), ierr)
      call expect('code of move', ierr == keel_mpi_ok)
      call check_places(rows, shares_of(turn))
      call keel_mpi_rows_bounds(rows, first, last)
      call check_arrays(a, b, k, l, first, last)
      call check_halos(rows, a, k, first, last)
    end do
    call keel_mpi_rows_exchange(rows)

    call keel_mpi_rows_report(rows, figures, ierr)
    call expect('code of report', ierr == keel_mpi_ok)
    call expect('movements', figures%movements >= merge(1, 0, ranks > 1) .and. figures%movements <= 5)
    call expect('work', nint(figures%work) == last - first + 1)
    all_a = -1
    call keel_mpi_rows_gather(rows, a, all_a, ranks - 1, ierr)
    call expect('code of gather', ierr == keel_mpi_ok)
    call expect('gathered', merge(all([(is_row(all_a(:, j), j), j = 1, n)]), all(nint(all_a) == -1), rank == ranks - 1))
    if (rank == 0) call keel_mpi_rows_gather(rows, a, all_a, 0)
    if (rank /= 0) call keel_mpi_rows_gather(rows, a, none, 0)
    call expect('gathered on rank 0', rank /= 0 .or. all([(is_row(all_a(:, j), j), j = 1, n)]))
    allocate (place(width, n), source=-1d0)
    call keel_mpi_rows_allgather(rows, a, place)
    call expect('gathered where a pointer shows', all([(is_row(place(:, j), j), j = 1, n)]))
    deallocate (place)
    call keel_mpi_rows_allgather(rows, z, all_z, ierr)
    call expect('code of allgather', ierr == keel_mpi_ok)
    call expect('gathered on all', all([(is_pair(all_z(:, j), j), j = 1, n)]))
    call keel_mpi_rows_free(rows, ierr)
    call expect('code of free', ierr == keel_mpi_ok)
    note = 0
  end subroutine arrays_move

  ! --- balancing ---

  ! Rows that have doubled once per balance call, wherever they were: integers, with handles of mpi.
  subroutine hooks()
    type(keel_mpi_rows) :: rows
    type(keel_mpi_rows_figures) :: figures
    integer(int64), pointer :: a(:, :)
    integer(int64) :: long_moved, all_moved, everything(2, n)
    integer(int64), allocatable :: list(:)
    integer :: i, j, hook, moved, ierr

    call keel_mpi_rows_create(MPI_COMM_WORLD%MPI_VAL, int(n, int64), rows, keel_mpi_any, ierr)
    call expect('code of create, any', ierr == keel_mpi_ok)
    call keel_mpi_rows_array(rows, 2, 0, a)
    call keel_mpi_rows_set_balance(rows, ' shake:seed=3  ', ierr)
    call expect('code of set_balance', ierr == keel_mpi_ok)
    call keel_mpi_rows_list(rows, list)
    do i = 1, size(list)
      a(:, list(i)) = list(i)
    end do
    all_moved = 0
    do hook = 1, 12
      call keel_mpi_rows_work_begin(rows)
      call keel_mpi_rows_list(rows, list)
      do i = 1, size(list)
        a(:, list(i)) = a(:, list(i)) * 2
      end do
      call keel_mpi_rows_work_end(rows)
      select case (mod(hook, 3))
      case (0)
        call keel_mpi_rows_balance(rows, moved, ierr)
        all_moved = all_moved + moved
      case (1)
        call keel_mpi_rows_balance(rows, long_moved, ierr)
        all_moved = all_moved + long_moved
      case default
        call keel_mpi_rows_balance(rows, ierr=ierr)
      end select
      call expect('code of balance', ierr == keel_mpi_ok)
    end do
    call expect('nothing has moved', ranks == 1 .or. all_moved > 0)
    call keel_mpi_rows_allgather(rows, a, everything)
    call expect('rows that moved', all([(all(everything(:, j) == j * 2_int64**12), j = 1, n)]))
    call keel_mpi_rows_report(rows, figures)
    call expect('hooks', figures%hooks == 12)
    call expect('moved', figures%rows_moved >= all_moved)
    call expect('busy', figures%busy_s >= 0 .and. figures%busy_s < 60)
    call keel_mpi_rows_free(rows)
  end subroutine hooks

  subroutine weights()
    type(keel_mpi_rows) :: rows
    type(keel_mpi_rows_figures) :: figures
    real(real64) :: weight(2 * n)
    integer :: first, last, i, ierr

    weight = [(i, 0, i = 1, n)]
    call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows, keel_mpi_adjacent)
    call keel_mpi_rows_bounds(rows, first, last)
    call keel_mpi_rows_weigh(rows, first, weight(2 * first - 1:2 * last - 1:2), ierr)
    call expect('code of weigh', ierr == keel_mpi_ok)
    call keel_mpi_rows_weigh(rows, int(last, int64), [0.5_real64], ierr)
    call expect('code of long weigh', ierr == keel_mpi_ok .or. first > last)
    call keel_mpi_rows_report(rows, figures)
    call expect('work by weights', abs(figures%work - sum(weight(2 * first - 1:2 * last - 3:2)) - 0.5) < 1e-9)
    call keel_mpi_rows_weigh_ahead(rows, int(last, int64), [0.25_real64])
    call keel_mpi_rows_weigh_ahead(rows, last, [1.5_real64], ierr)
    call expect('code of weigh ahead', ierr == keel_mpi_ok .or. first > last)
    call keel_mpi_rows_report(rows, figures)
    call expect('work ahead', abs(figures%work - sum(weight(2 * first - 1:2 * last - 3:2)) - 1.5) < 1e-9)
    call keel_mpi_rows_set_balance(rows, 'off')
    call keel_mpi_rows_set_balance(rows)
    call keel_mpi_rows_expect(rows, 0, ierr)
    call expect('code of expect', ierr == keel_mpi_ok)
    call keel_mpi_rows_expect(rows, 7_int64)
    call keel_mpi_rows_free(rows)
  end subroutine weights

  ! --- pipelined sweeps: Gauss-Seidel of integers, there and back, against the same in one piece ---

  pure subroutine relax(u, i, j)
    integer(int64), intent(inout) :: u(:, :)
    integer, intent(in) :: i, j

    if (i == 1 .or. i == n .or. j == 1 .or. j == width) return
    u(j, i) = mod(u(j, i - 1) + 2 * u(j, i + 1) + 3 * u(j - 1, i) + 4 * u(j + 1, i) + u(j, i), 10007_int64)
  end subroutine relax

  subroutine sweeps(block)
    integer, intent(in) :: block
    type(keel_mpi_rows) :: rows
    type(keel_mpi_pipeline) :: pipeline
    type(keel_mpi_pipeline_figures) :: figures
    integer(int64), pointer :: u(:, :)
    integer(int64) :: serial(width, n), result(width, n), long_from, long_to, first_row, last_row
    integer :: first, last, from, to, i, j, sweep, ierr

    serial = reshape([(mod(i * i, 101), i = 1, n * width)], [width, n])
    call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows)
    call keel_mpi_rows_array(rows, width, 1, u)
    call keel_mpi_rows_bounds(rows, first, last)
    u(:, first:last) = serial(:, first:last)
    select case (block)
    case (0)
      call keel_mpi_pipeline_create(rows, u, pipeline, ierr=ierr)
    case (1)
      call keel_mpi_pipeline_create(rows, u, pipeline, int(block, int64), ierr)
    case default
      call keel_mpi_pipeline_create(rows, u, pipeline, block, ierr)
    end select
    call expect('code of pipeline_create', ierr == keel_mpi_ok)
    do sweep = 1, 3
      call keel_mpi_rows_bounds(rows, first, last)
      call keel_mpi_pipeline_begin(pipeline, keel_mpi_forward, ierr)
      call expect('code of pipeline_begin', ierr == keel_mpi_ok)
      do while (keel_mpi_pipeline_next(pipeline, from, to))
        call expect('bounds of block', 1 <= from .and. from <= to .and. to <= width)
        call expect('size of block', block == 0 .or. to - from < max(block, 1))
        do i = first, last
          do j = from, to
            call relax(u, i, j)
          end do
        end do
      end do
      call expect('no block', from > to)
      call keel_mpi_pipeline_end(pipeline, ierr)
      call expect('code of pipeline_end', ierr == keel_mpi_ok)
      ! In the last sweep, whose blocks are counted, all rows stay where they are.
      call keel_mpi_pipeline_hooks(pipeline, merge(sweep, 0, sweep < 3), ierr)
      call expect('code of pipeline_hooks', ierr == keel_mpi_ok)
      call keel_mpi_pipeline_begin(pipeline, keel_mpi_backward)
      do while (keel_mpi_pipeline_next_rows(pipeline, first_row, last_row, long_from, long_to))
        do i = int(last_row), int(first_row), -1
          do j = int(long_to), int(long_from), -1
            call relax(u, i, j)
          end do
        end do
      end do
      call expect('no rows', first_row > last_row)
      call keel_mpi_pipeline_end(pipeline)
      call keel_mpi_pipeline_hooks(pipeline, 0_int64)
      call keel_mpi_rows_move(rows, shares_of(sweep))
      do i = 1, n
        do j = 1, width
          call relax(serial, i, j)
        end do
      end do
      do i = n, 1, -1
        do j = width, 1, -1
          call relax(serial, i, j)
        end do
      end do
    end do
    call keel_mpi_rows_allgather(rows, u, result)
    call expect('sweeps', all(result == serial))
    call keel_mpi_pipeline_report(pipeline, figures, ierr)
    call expect('code of pipeline_report', ierr == keel_mpi_ok)
    call expect('sweeps counted', figures%sweeps == 6)
    if (first <= last) then
      call expect('block', merge(figures%block >= 1, figures%block == block, block == 0))
      call expect('blocks', figures%blocks == (width + figures%block - 1) / max(figures%block, 1_int64))
    end if
    call expect('times', figures%busy_s >= 0 .and. figures%waiting_s >= 0 .and. figures%fixed_s >= 0)
    call keel_mpi_pipeline_free(pipeline, ierr)
    call expect('code of pipeline_free', ierr == keel_mpi_ok)
    call keel_mpi_rows_free(rows)
  end subroutine sweeps

  ! --- what is wrong ---

  ! Before MPI is initialised, and once it is finalised.
  subroutine without_mpi()
    type(keel_mpi_rows) :: rows
    type(keel_mpi_objects) :: objects
    type(keel_mpi_loop) :: loop
    type(MPI_Comm) :: left
    integer(int64) :: step
    integer :: first, last, ierr
    real(real64) :: a(1)
    logical :: more

    call keel_mpi_share(MPI_COMM_WORLD, ierr)
    call expect('nothing is shared without MPI', ierr == keel_mpi_not_ready)
    call keel_mpi_loop_begin(MPI_COMM_WORLD, n, loop, ierr=ierr)
    more = keel_mpi_loop_next(loop, first, last)
    call expect('the loop is whole without MPI', ierr == keel_mpi_not_ready .and. more .and. last == n)
    call keel_mpi_loop_end(loop, ierr)
    call keel_mpi_allreduce(a, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect('nothing is combined without MPI', ierr == keel_mpi_not_ready)
    call keel_mpi_survivors(MPI_COMM_WORLD, left, ierr)
    call expect('no survivors without MPI', ierr == keel_mpi_not_ready .and. left == MPI_COMM_NULL)
    call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows, ierr=ierr)
    call expect('no rows without MPI', ierr == keel_mpi_not_ready)
    call keel_mpi_rows_owner(rows, 1, first, ierr)
    call expect('no owner without rows', ierr == keel_mpi_argument .and. first == -1)
    call keel_mpi_rows_recover(rows, left, step, ierr)
    call expect('no rows to recover', ierr == keel_mpi_argument .and. step == 0)
    call keel_mpi_objects_recover(objects, left, step, ierr)
    call expect('no objects to recover', ierr == keel_mpi_argument .and. step == 0)
  end subroutine without_mpi

  subroutine errors()
    type(keel_mpi_rows) :: rows
    type(keel_mpi_pipeline) :: pipeline
    real(real64), pointer :: a(:, :)
    real(real64) :: elsewhere(width, n)
    integer :: ierr, owner, too_many(ranks + 1), first, last

    call keel_mpi_rows_create(MPI_COMM_WORLD, -1, rows, ierr=ierr)
    call expect('no negative number of rows', ierr == keel_mpi_argument)
    call keel_mpi_rows_create(MPI_COMM_NULL, n, rows, ierr=ierr)
    call expect('no communicator', ierr == keel_mpi_comm)
    call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows)
    call keel_mpi_rows_array(rows, 0, 0, a, ierr)
    call expect('no length', ierr == keel_mpi_argument .and. .not. associated(a))
    call keel_mpi_rows_array(rows, width, 0, a)
    call keel_mpi_rows_exchange(rows, elsewhere, ierr)
    call expect('no array', ierr == keel_mpi_argument)
    call keel_mpi_rows_owner(rows, 0, owner, ierr)
    call expect('no row', ierr == keel_mpi_argument .and. owner == -1)
    call keel_mpi_rows_owner(rows, n + 1, owner, ierr)
    call expect('no row behind', ierr == keel_mpi_argument)
    too_many = 0
    too_many(1) = n
    call keel_mpi_rows_move(rows, too_many, ierr)
    call expect('too many shares', ierr == keel_mpi_argument)
    call keel_mpi_rows_set_balance(rows, 'shuffle', ierr)
    call expect('no policy', ierr == keel_mpi_argument)
    call keel_mpi_pipeline_create(rows, a, pipeline, ierr=ierr)
    call expect('no halo', ierr == keel_mpi_argument)

    call keel_mpi_rows_items(rows, note_size, note_pack, note_unpack, note_drop, c_loc(note))
    call keel_mpi_rows_bounds(rows, first, last)
    note(first:last) = [(1000 * owner, owner = first, last)]
    refuses = .true.
    call keel_mpi_rows_move(rows, too_many(:ranks), ierr)
    call expect('code of a failing procedure', ierr == merge(keel_mpi_callback, keel_mpi_ok, ranks > 1))
    refuses = .false.
    call keel_mpi_rows_move(rows, too_many(:ranks), ierr)
    call expect('code of moving after all', ierr == keel_mpi_ok)
    call check_places(rows, too_many(:ranks))
    call keel_mpi_rows_free(rows)
  end subroutine errors
end module rows_checks

program fortran_rows
  use rows_checks
  implicit none
  character(len=10) :: what

  call get_command_argument(1, what)
  if (what == 'errors') call without_mpi()
  call begin_checks()
  if (what == 'errors') then
    call errors()
  else
    call arrays_move()
    call hooks()
    call weights()
    call sweeps(0)
    call sweeps(1)
    call sweeps(4)
  end if
  call end_checks()
  if (what == 'errors') call without_mpi()
end program fortran_rows
