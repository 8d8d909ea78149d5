! Calls every procedure of the module keel and runs a loop under the schedule that it sets.
program uses_keel
  use, intrinsic :: iso_c_binding, only: c_double
  use keel
  implicit none
  real(c_double) :: costs(2, 3) = reshape([1, 2, 3, 4, 5, -6], [2, 3])
  character(len=32) :: schedule
  character(len=3) :: short
  integer :: code, i, total, major, minor

  print '(a)', keel_version()
  call keel_get_version(major, minor)
  print '(i0,a,i0,2l2)', major, '.', minor, major == keel_version_major, minor == keel_version_minor
  call keel_get_schedule(schedule)
  print '(3a)', 'first ', trim(schedule), '.'
  call keel_set_schedule('fac2,16  ', code)
  call keel_get_schedule(schedule)
  call keel_get_schedule(short)
  print '(a,i0,5a)', 'set ', code, ' ', schedule(1:8), '. ', short, '.'

  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 1, 1000
    total = total + i
  end do
  print '(i0)', total

  print '(3a)', 'no problem: ', keel_problem(), '.'
  call keel_set_schedule('gsss', code)
  print '(a,l1,2a)', 'wrong ', code == keel_unreadable, ' ', keel_problem()
  call keel_set_schedule('gsss')
  call keel_set_schedule(ierr=code)
  call keel_get_schedule(schedule)
  print '(a,i0,3a)', 'taken back ', code, ' ', trim(schedule), '.'

  call keel_set_costs(costs(1, :), code)
  print '(a,i0,3a)', 'costs ', code, ' ', keel_problem(), '.'
  call keel_set_costs(costs(2, :), code)
  print '(a,l1,2a)', 'wrong ', code == keel_unreadable, ' ', keel_problem()
  call keel_set_costs(costs(2, :))
  call keel_set_costs(costs(2, 1:0), code)
  print '(a,i0)', 'no costs ', code
  call keel_set_costs(ierr=code)
  print '(a,i0)', 'taken back ', code
  call keel_set_costs()
end program uses_keel
