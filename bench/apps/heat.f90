! Heat that spreads over a plate: Jacobi's method for Laplace's equation. The same as heat.c, with
! more about it there; rows are columns of Fortran arrays, and begin with other temperatures.
!
!   mpirun -n 2 heat_f --size 1000 --steps 100 --verify
program heat
  use mpi_f08
  use keel_mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none

  real(real64), pointer :: old(:, :), new(:, :)
  type(keel_mpi_rows) :: rows
  type(keel_mpi_rows_figures) :: figures
  integer :: n, steps, step, level, rank, ranks, code, first, last, edge, i
  logical :: checked, same
  real(real64) :: start_s, time_s

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_options()

  call keel_mpi_rows_create(MPI_COMM_WORLD, n, rows, ierr=code)
  call need(code)
  call keel_mpi_rows_array(rows, n, 1, old, code)
  call need(code)
  call keel_mpi_rows_array(rows, n, 1, new, code)
  call need(code)
  call keel_mpi_rows_bounds(rows, first, last)
  call heat_up(old, new, first, last)
  call keel_mpi_rows_expect(rows, steps)

  call MPI_Barrier(MPI_COMM_WORLD)
  start_s = MPI_Wtime()
  do step = 1, steps
    call keel_mpi_rows_bounds(rows, first, last)
    call keel_mpi_rows_exchange_begin(rows, old, code)
    call need(code)
    !$omp parallel do schedule(runtime)
    do i = first + 1, last - 1
      call relax(old, new, i)
    end do
    call keel_mpi_rows_exchange_end(rows, old, code)
    call need(code)
    ! The first and the last own row, which may be one.
    !$omp parallel do schedule(runtime)
    do edge = 1, min(2, last - first + 1)
      call relax(old, new, merge(first, last, edge == 1))
    end do
    call swap()
    call keel_mpi_rows_balance(rows, ierr=code) ! rows may move here
    call need(code)
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  time_s = MPI_Wtime() - start_s
  call keel_mpi_rows_report(rows, figures)

  same = .true.
  if (checked) call verify()
  call keel_mpi_rows_free(rows)
  call print_figures()
  call MPI_Finalize()
  if (.not. same) error stop

contains

  subroutine read_options()
    character(len=32) :: word
    integer :: at

    n = 1000
    steps = 100
    checked = .false.
    at = 1
    do while (at <= command_argument_count())
      call get_command_argument(at, word)
      select case (word)
      case ('--size')
        n = number_after(at, word, 1)
      case ('--steps')
        steps = number_after(at, word, 0)
      case ('--verify')
        checked = .true.
      case default
        call refuse("'"//trim(word)//"' is not an option")
      end select
      at = at + 1
    end do
  end subroutine read_options

  integer function number_after(at, option, least) result(number)
    integer, intent(inout) :: at
    character(len=*), intent(in) :: option
    integer, intent(in) :: least
    character(len=32) :: word
    integer :: problem

    at = at + 1
    call get_command_argument(at, word)
    read (word, '(i32)', iostat=problem) number
    if (problem /= 0 .or. number < least .or. len_trim(word) == 0) then
      call refuse(trim(option)//": '"//trim(word)//"' is not a number")
    end if
  end function number_after

  subroutine refuse(why)
    character(len=*), intent(in) :: why

    if (rank == 0) write (error_unit, '(a)') 'keel: heat_f: '//why//'; nothing is run'
    call MPI_Finalize()
    stop 2, quiet=.true.
  end subroutine refuse

  ! Keel has said what is wrong.
  subroutine need(code)
    integer, intent(in) :: code

    if (code /= keel_mpi_ok) call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine need

  subroutine heat_up(old, new, first, last)
    real(real64), intent(inout) :: old(:, :), new(:, :)
    integer, intent(in) :: first, last
    integer :: i, j

    do i = first, last
      do j = 1, n
        if (i == 1) then
          old(j, i) = 1
        else if (i == n .or. j == 1 .or. j == n) then
          old(j, i) = 0
        else
          old(j, i) = mod(7919*mod(i, 1000) + 104729*mod(j, 1000), 1000)/1000._real64
        end if
        new(j, i) = old(j, i)
      end do
    end do
  end subroutine heat_up

  ! Row i of the plate; those before and behind it are there.
  subroutine relax(old, new, i)
    real(real64), intent(in) :: old(:, :)
    real(real64), intent(inout) :: new(:, :)
    integer, intent(in) :: i
    integer :: j

    if (i == 1 .or. i == n) return
    do j = 2, n - 1
      new(j, i) = 0.25_real64*(old(j, i - 1) + old(j, i + 1) + old(j - 1, i) + old(j + 1, i))
    end do
  end subroutine relax

  subroutine swap()
    real(real64), pointer :: other(:, :)

    other => old
    old => new
    new => other
  end subroutine swap

  subroutine run_serial(result)
    real(real64), intent(out) :: result(:, :)
    real(real64), allocatable :: u(:, :, :)
    integer :: step, i, from

    allocate (u(n, n, 2))
    call heat_up(u(:, :, 1), u(:, :, 2), 1, n)
    from = 1
    do step = 1, steps
      do i = 1, n
        call relax(u(:, :, from), u(:, :, 3 - from), i)
      end do
      from = 3 - from
    end do
    result = u(:, :, from)
  end subroutine run_serial

  subroutine verify()
    real(real64), allocatable :: plate(:, :), serial(:, :)

    allocate (plate(merge(n, 1, rank == 0), merge(n, 1, rank == 0)))
    call keel_mpi_rows_gather(rows, old, plate, 0, code)
    call need(code)
    if (rank == 0) then
      allocate (serial(n, n))
      call run_serial(serial)
      same = all(transfer(plate, [0_int64]) == transfer(serial, [0_int64]))
    end if
    call MPI_Bcast(same, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
  end subroutine verify

  ! The same line as app.c prints.
  subroutine print_figures()
    character(len=64) :: policy
    real(real64) :: sums(2), most(2)
    integer :: there

    call get_environment_variable('KEEL_MPI_BALANCE', policy, status=there)
    if (there /= 0) policy = 'auto'
    sums = [real(figures%bytes_sent, real64), figures%busy_s]
    most = [figures%decision_s, figures%movement_s]
    call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_REAL8, MPI_MAX, MPI_COMM_WORLD)
    if (rank /= 0) return
    print '(a,i0,*(a))', 'heat_f,', ranks, ',"', trim(policy), '",', decimal(time_s), &
      whole(figures%hooks), whole(figures%interactions), whole(figures%movements), &
      whole(figures%rows_moved), whole(int(sums(1), int64)), ',', decimal(most(1)), ',', &
      decimal(most(2)), ',', decimal(sums(2)/(ranks*time_s)), ',', &
      trim(merge(merge('yes', 'no ', same), '-  ', checked))
  end subroutine print_figures

  function decimal(value) result(text)
    real(real64), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: digits

    write (digits, '(f32.6)') value
    text = trim(adjustl(digits))
  end function decimal

  function whole(value) result(text)
    integer(int64), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: digits

    write (digits, '(",",i0)') value
    text = trim(digits)
  end function whole
end program heat
