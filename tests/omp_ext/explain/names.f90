! A loop in a procedure of a module, for KEEL_EXPLAIN to name.
module tissue
  implicit none
contains
  subroutine relax(value)
    real, intent(inout) :: value(:)
    integer :: i

    !$omp parallel do schedule(runtime) num_threads(2)
    do i = 1, size(value)
      value(i) = sqrt(value(i) + i)
    end do
  end subroutine
end module

program names
  use tissue
  implicit none
  real :: value(10000)
  integer :: k

  value = 1
  do k = 1, 20
    call relax(value)
  end do
  print *, value(7)
end program
