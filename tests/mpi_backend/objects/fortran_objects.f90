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

contains

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
    call expect('unpack', bytes == 24 .and. from(1) == index)
  end function thing_unpack

  subroutine thing_drop(context, index, data) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data
    type(thing), pointer :: one

    call c_f_pointer(data, one)
    call expect('drop', one%number == index)
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
    call expect('message', bytes == 8)
    one%sum = one%sum + what
  end subroutine add

  subroutine unused(context, index, data, message, bytes) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: data, message
    integer(c_size_t), value :: bytes

    call expect('this handler was not called for', .false.)
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
    call expect('send', code == keel_mpi_ok)
  end subroutine compute

  subroutine take(context, index, packed, bytes) bind(c)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: index
    type(c_ptr), value :: packed
    integer(c_size_t), value :: bytes
    integer(int64), pointer :: from(:)

    call c_f_pointer(packed, from, [3])
    gathered = gathered + 1
    call expect('computed', from(1) == index .and. from(2) == 5)
    call expect('sum', from(3) == 5 * mod(index + count - 1, int(count, int64)))
  end subroutine take
end module things

program fortran_objects
  use things
  implicit none
  type(keel_mpi_objects_figures) :: figures
  type(thing), pointer :: one
  integer(int64), allocatable :: list(:)
  integer(int64) :: index, asked(2)
  integer :: code, phase, owner(2)

  call begin_checks()
  call keel_mpi_objects_create(MPI_COMM_WORLD, thing_size, thing_pack, thing_unpack, thing_drop, &
                               [c_funloc(unused), c_funloc(add)], set, ierr=code)
  call expect('create', code == keel_mpi_ok)
  call keel_mpi_objects_set_balance(set, 'shake', code)
  call expect('set_balance', code == keel_mpi_ok)
  do index = rank, count - 1, ranks
    allocate (one)
    one = thing(index, 0, 0)
    here = here + 1
    call keel_mpi_objects_insert(set, index, c_loc(one), code)
    call expect('insert', code == keel_mpi_ok)
    call keel_mpi_objects_weigh(set, index, 2.0_real64, code)
    call expect('weigh', code == keel_mpi_ok)
  end do
  do phase = 1, 5
    call keel_mpi_objects_each(set, compute, code)
    call expect('each', code == keel_mpi_ok)
  end do
  call keel_mpi_objects_gather(set, 0, take, code)
  call expect('gather', code == keel_mpi_ok .and. gathered == merge(count, 0, rank == 0))
  call keel_mpi_objects_list(set, list, code)
  call expect('list', size(list) == here)
  asked = [merge(list(1), 0_int64, size(list) > 0), int(count, int64)]
  call keel_mpi_objects_owner(set, asked, owner, code)
  call expect('owner', (owner(1) == rank .or. size(list) == 0) .and. owner(2) == -1)
  call expect('data', .not. c_associated(keel_mpi_objects_data(set, int(count, int64))))
  call keel_mpi_objects_report(set, figures, code)
  call expect('report', figures%objects == here .and. (ranks == 1 .or. figures%given > 0))
  call expect('new index', keel_mpi_objects_new_index(set) < 0)
  call keel_mpi_objects_send(set, int(count, int64), 1)
  call keel_mpi_objects_wait(set, code)
  call expect('a message without an object', code == keel_mpi_no_object)
  if (rank == 0) then
    do index = 0, count - 1
      call keel_mpi_objects_delete(set, index)
    end do
  end if
  call keel_mpi_objects_wait(set, code)
  call expect('delete', code == keel_mpi_ok .and. here == 0)
  call keel_mpi_objects_destroy(set, code)
  call expect('destroy', code == keel_mpi_ok)
  call end_checks()
end program fortran_objects
