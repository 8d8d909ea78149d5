! Keel's interface for Fortran programs, as keel.h is for C. Most programs need none of it: KEEL_SCHEDULE in the
! environment is enough.
!
!     include 'keel.f90'                     before the program unit, or compile this file first for its .mod file
!
!     program rows
!       use keel
!       call keel_set_schedule('fac2,16')
!       !$omp parallel do schedule(runtime)
!       do i = 1, n
!
!     gfortran $(keel cflags) rows.f90 $(keel libs) -o rows
!
! A schedule is written as for KEEL_SCHEDULE: name[,value...][:key=value,...], see `keel list`; 'libgomp' leaves loops
! to libgomp. Blanks around it are ignored.
module keel
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr, c_size_t, c_loc, &
    c_f_pointer
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  public :: keel_set_schedule, keel_get_schedule, keel_set_costs, keel_problem, keel_version

  ! Results, with the values of keel.h; all but keel_ok leave everything as it was, except keel_overruled.
  integer, parameter, public :: keel_ok = 0
  integer, parameter, public :: keel_unreadable = 1 ! not a schedule, or a parameter or a cost is wrong: keel_problem()
  integer, parameter, public :: keel_overruled = 2  ! noted, but KEEL_SCHEDULE has a schedule for all loops, which rules
  integer, parameter, public :: keel_no_room = 3    ! more than 1024 different schedules, or no memory

  interface
    function c_set_schedule(schedule) bind(c, name='keel_set_schedule') result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: schedule
      integer(c_int) :: code
    end function c_set_schedule

    function c_get_schedule(text, size) bind(c, name='keel_get_schedule') result(length)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
      integer(c_int) :: length
    end function c_get_schedule

    function c_set_costs(costs, count) bind(c, name='keel_set_costs') result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: costs
      integer(c_size_t), value :: count
      integer(c_int) :: code
    end function c_set_costs

    function c_problem() bind(c, name='keel_problem') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_problem

    function c_version() bind(c, name='keel_version') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_version

    pure function c_strlen(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! Sets the schedule of the loops that the calling thread starts next: of its own schedule(runtime) loops, and of those
  ! of teams that it creates. In a parallel region it holds until the region ends. Without `schedule`, takes it back.
  ! `ierr` gets keel_ok or what was wrong; where it is absent, a schedule that cannot be used is reported on
  ! error_unit, and the program goes on with the schedule it had. Any thread, at any time. See keel.h for its rank
  ! beside OMP_SCHEDULE and omp_set_schedule().
  subroutine keel_set_schedule(schedule, ierr)
    character(len=*), intent(in), optional :: schedule
    integer, intent(out), optional :: ierr
    character(kind=c_char, len=:), allocatable, target :: text
    integer :: code

    if (present(schedule)) then
      text = trim(schedule)//c_null_char
      code = c_set_schedule(c_loc(text))
    else
      code = c_set_schedule(c_null_ptr)
    end if
    if (present(ierr)) then
      ierr = code
    else if (code == keel_unreadable) then
      write (error_unit, '(3a)') 'keel: keel_set_schedule: ', keel_problem(), '; the schedule stays as it was'
    else if (code == keel_no_room) then
      write (error_unit, '(a)') 'keel: keel_set_schedule: no room for another schedule; the schedule stays as it was'
    end if
  end subroutine keel_set_schedule

  ! The schedule that the calling thread's next loop will have, unless a rule means that loop; 'libgomp' if libgomp
  ! decides. Cut or filled with blanks to the length of `schedule`; 256 characters hold any. Any thread.
  subroutine keel_get_schedule(schedule)
    character(len=*), intent(out) :: schedule
    character(kind=c_char) :: text(len(schedule) + 1)
    integer :: length, i

    length = min(int(c_get_schedule(text, size(text, kind=c_size_t))), len(schedule))
    schedule = ' '
    do i = 1, length
      schedule(i:i) = text(i)
    end do
  end subroutine keel_get_schedule

  ! Gives the costs of a loop's iterations, in the order in which it would run alone, relative to each other and in any
  ! unit, to the schedules binlpt and lpt. They hold for loops of exactly size(costs) iterations that the calling thread
  ! starts next, and for those of teams that it creates, until its next call; in a parallel region, until the region
  ! ends. Each is at least 0 and finite; they are copied. Without `costs`, takes them back. `ierr` gets keel_ok or what
  ! was wrong; where it is absent, costs that cannot be used are reported on error_unit, and the program goes on with
  ! those it had. Any thread, at any time. See keel.h for more.
  subroutine keel_set_costs(costs, ierr)
    real(c_double), intent(in), optional, target, contiguous :: costs(:)
    integer, intent(out), optional :: ierr
    integer :: code

    if (.not. present(costs)) then
      code = c_set_costs(c_null_ptr, 0_c_size_t)
    else if (size(costs) == 0) then
      code = c_set_costs(c_null_ptr, 0_c_size_t)
    else
      code = c_set_costs(c_loc(costs), size(costs, kind=c_size_t))
    end if
    if (present(ierr)) then
      ierr = code
    else if (code /= keel_ok) then
      write (error_unit, '(3a)') 'keel: keel_set_costs: ', keel_problem(), '; the costs stay as they were'
    end if
  end subroutine keel_set_costs

  ! What was wrong in the calling thread's last keel_set_schedule or keel_set_costs, '' if nothing.
  function keel_problem() result(text)
    character(len=:), allocatable :: text

    text = copied(c_problem())
  end function keel_problem

  ! The version of the library that is loaded.
  function keel_version() result(text)
    character(len=:), allocatable :: text

    text = copied(c_version())
  end function keel_version

  ! C text as a Fortran string.
  function copied(source) result(text)
    type(c_ptr), intent(in) :: source
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i

    call c_f_pointer(source, letters, [c_strlen(source)])
    allocate (character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function copied
end module keel
