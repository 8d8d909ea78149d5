! A loop that all ranks share, through the Fortran module.
include 'keel_mpi.f90'

program shares
  use mpi
  use keel_mpi
  implicit none
  integer :: i, rank, level, total, ierror

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, level, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call keel_mpi_share(MPI_COMM_WORLD)
  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 0, 999
    total = total + i
  end do
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0)', total
  call MPI_Finalize(ierror)
end program shares
