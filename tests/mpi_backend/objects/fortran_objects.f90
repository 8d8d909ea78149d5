! Objects that move, from Fortran: data that Fortran allocates, handlers, results.
module things
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use mpi_f08
  use keel_mpi
  use passed
  implicit none

  type :: thing
    integer(int64) :: number, computed, sum
  end type thing

  integer, parameter :: count = 60
  type(keel_mpi_objects) :: set
  integer(int64) :: here = 0, gathered = 0
  logical :: fine = .true.

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what

    checks_made = checks_made + 1
    if (.not. right) print '(a)', 'wrong: '//what
    fine = fine .and. right
  end subroutine check

  function thing_size(context, index, data) bind(c) result(bytes)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data
    integer(c_size_t) :: bytes

    bytes = 24
  end function thing_size

  function thing_pack(context, index, data, buffer) bind(c) result(code)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data, buffer
    integer(c_int) :: code
    type(thing), pointer :: one
    integer(int64), pointer :: to(:)

    call c_f_pointer(data, one)
    call c_f_pointer(buffer, to, [3])
    to = [one%number, one%computed, one%sum]
    code = 0
  end function thing_pack

  function thing_unpack(context, index, buffer, bytes, data) bind(c) result(code)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: buffer
    integer(c_size_t), value :: bytes
    type(c_ptr), intent(out) :: data
    integer(c_int) :: code
    type(thing), pointer :: one
    integer(int64), pointer :: from(:)

    call c_f_pointer(buffer, from, [3])
    allocate (one)
    one = thing(from(1), from(2), from(3))
    data = c_loc(one)
    here = here + 1
    code = 0
    call check(bytes == 24 .and. from(1) == index, 'unpack')
  end function thing_unpack

  subroutine thing_drop(context, index, data) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data
    type(thing), pointer :: one

    call c_f_pointer(data, one)
    call check(one%number == index, 'drop')
    deallocate (one)
    here = here - 1
  end subroutine thing_drop

  subroutine add(context, index, data, message, bytes) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data, message
    integer(c_size_t), value :: bytes
    type(thing), pointer :: one
    integer(int64), pointer :: what

    call c_f_pointer(data, one)
    call c_f_pointer(message, what)
    call check(bytes == 8, 'message')
    one%sum = one%sum + what
  end subroutine add

  subroutine unused(context, index, data, message, bytes) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data, message
    integer(c_size_t), value :: bytes

    call check(.false., 'this handler was not called for')
  end subroutine unused

  subroutine compute(context, index, data) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data
    type(thing), pointer :: one
    integer(int64), target :: what
    integer :: code

    call c_f_pointer(data, one)
    one%computed = one%computed + 1
    what = index
    call keel_mpi_objects_send(set, mod(index + 1, int(count, int64)), 2, c_loc(what), 8_c_size_t, code)
    call check(code == keel_mpi_ok, 'send')
  end subroutine compute

  subroutine take(context, index, packed, bytes) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: packed
    integer(c_size_t), value :: bytes
    integer(int64), pointer :: from(:)

    call c_f_pointer(packed, from, [3])
    gathered = gathered + 1
    call check(from(1) == index .and. from(2) == 5, 'computed')
    call check(from(3) == 5 * mod(index + count - 1, int(count, int64)), 'sum')
  end subroutine take
end module things

program fortran_objects
  use things
  implicit none
  type(keel_mpi_objects_figures) :: figures
  type(thing), pointer :: one
  integer(int64), allocatable :: list(:)
  integer(int64) :: index, asked(2)
  integer :: level, rank, ranks, code, phase, owner(2)
  logical :: all_fine

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call keel_mpi_objects_create(MPI_COMM_WORLD, thing_size, thing_pack, thing_unpack, thing_drop, &
                               [c_funloc(unused), c_funloc(add)], set, ierr=code)
  call check(code == keel_mpi_ok, 'create')
  call keel_mpi_objects_set_balance(set, 'shake', code)
  call check(code == keel_mpi_ok, 'set_balance')
  do index = rank, count - 1, ranks
    allocate (one)
    one = thing(index, 0, 0)
    here = here + 1
    call keel_mpi_objects_insert(set, index, c_loc(one), code)
    call check(code == keel_mpi_ok, 'insert')
    call keel_mpi_objects_weigh(set, index, 2.0_real64, code)
    call check(code == keel_mpi_ok, 'weigh')
  end do
  do phase = 1, 5
    call keel_mpi_objects_each(set, compute, code)
    call check(code == keel_mpi_ok, 'each')
  end do
  call keel_mpi_objects_gather(set, 0, take, code)
  call check(code == keel_mpi_ok .and. gathered == merge(count, 0, rank == 0), 'gather')
  call keel_mpi_objects_list(set, list, code)
  call check(size(list) == here, 'list')
  asked = [merge(list(1), 0_int64, size(list) > 0), int(count, int64)]
  call keel_mpi_objects_owner(set, asked, owner, code)
  call check((owner(1) == rank .or. size(list) == 0) .and. owner(2) == -1, 'owner')
  call check(.not. c_associated(keel_mpi_objects_data(set, int(count, int64))), 'data')
  call keel_mpi_objects_report(set, figures, code)
  call check(figures%objects == here .and. (ranks == 1 .or. figures%given > 0), 'report')
  call check(keel_mpi_objects_new_index(set) < 0, 'new index')
  call keel_mpi_objects_send(set, int(count, int64), 1)
  call keel_mpi_objects_wait(set, code)
  call check(code == keel_mpi_no_object, 'a message to nobody')
  if (rank == 0) then
    do index = 0, count - 1
      call keel_mpi_objects_delete(set, index)
    end do
  end if
  call keel_mpi_objects_wait(set, code)
  call check(code == keel_mpi_ok .and. here == 0, 'delete')
  call keel_mpi_objects_destroy(set, code)
  call check(code == keel_mpi_ok, 'destroy')
  call MPI_Allreduce(fine, all_fine, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (.not. all_fine) error stop 1
  if (rank == 0) call say_passed(ranks)
end program fortran_objects
