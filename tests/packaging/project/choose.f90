! The Fortran module, which is compiled with the program.
include 'keel.f90'

program choose
  use keel
  implicit none
  integer :: i, total

  call keel_set_schedule('fac2,16')
  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 0, 999
    total = total + i
  end do
  print '(i0)', total
end program choose
