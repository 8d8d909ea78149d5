! Two ranks that call MPI from Fortran: fortran_calls FOLDER. With MPI_F08: by the module mpi_f08, with MPIF by mpif.h.
program fortran_calls
#ifdef MPI_F08
  use mpi_f08
#endif
#if !defined(MPI_F08) && !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
#ifdef MPI_F08
  type(MPI_Request) :: request
  type(MPI_Win) :: window
  type(MPI_File) :: file
#else
  integer :: request, window, file
#endif
  integer :: rank, other, level, code, total, came
  integer(MPI_ADDRESS_KIND) :: bytes
  integer(MPI_OFFSET_KIND) :: place
  character(1000) :: folder

  call get_command_argument(1, folder)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  other = 1 - rank
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (total /= 1) stop 3
  call MPI_Isend(rank, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, request, code)
  call MPI_Recv(came, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  if (came /= other) stop 4
  call MPI_Sendrecv(other, 1, MPI_INTEGER, other, 2, came, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, code)
  if (came /= rank) stop 5
  bytes = 4
  call MPI_Win_create(total, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, window, code)
  call MPI_Win_fence(0, window, code)
  call MPI_Win_free(window, code)
  call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/fortran', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, file, code)
  if (code /= MPI_SUCCESS) stop 6
  place = 4 * rank
  call MPI_File_set_view(file, place, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, code)
  call MPI_File_write_all(file, rank, 1, MPI_INTEGER, MPI_STATUS_IGNORE, code)
  call MPI_File_close(file, code)
  do level = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end do
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize(code)
end program
