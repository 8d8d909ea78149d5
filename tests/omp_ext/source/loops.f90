! Loops for source_lines_test.sh. Every line marked @X must mean loop X and no other.
module grid
contains
  subroutine sweep(v, n)
    integer :: n, i
    double precision :: v(n)
    !$omp parallel do & ! @A
    !$omp schedule(runtime) ! @A
    do i = 1, n             ! @A
      v(i) = v(i) + i
    end do
    !$omp end parallel do
    v(1) = 0
    !$omp parallel
    !$omp do schedule(runtime) ! @B
    do i = 1, n                ! @B
      v(i) = v(i) + i
    end do
    !$omp end do
    v(2) = 0
    !$omp do schedule(runtime) ! @C
    do i = 1, n                ! @C
      v(i) = v(i) + i
    end do
    !$omp end do
    !$omp end parallel
  end subroutine
end module

program main
  use grid
  double precision :: v(1000)
  integer :: j
  v = 0
  call sweep(v, 1000)
  !$omp parallel do schedule(runtime) ! @D
  do j = 1, 1000                      ! @D
    v(j) = v(j) + j
  end do
  call nested(v, 10)
contains
  subroutine nested(v, n)
    integer :: n, i, j
    double precision :: v(n)
    !$omp parallel do schedule(runtime) ! @E
    do i = 1, n                         ! @E
      !$omp parallel do schedule(runtime) ! @F
      do j = 1, n                         ! @F
        v(i) = v(i) + j
      end do
    end do
  end subroutine
end program
