/* What the module keel_mpi calls: handles of Fortran become those of C.
 *
 *   keel_mpi.f90 -> keel_mpi_f_...() -> keel_mpi.h. The module calls the rest of keel_mpi.h itself.
 * A type(MPI_Comm) is an integer handle in memory. Absent arguments are NULL. */
#include "mpi_backend/share.h"

KEEL_PUBLIC void keel_mpi_f_share(const MPI_Fint *comm, MPI_Fint *ierr);
KEEL_PUBLIC void keel_mpi_f_share_nowait(const MPI_Fint *comm, MPI_Fint *ierr);
KEEL_PUBLIC void keel_mpi_f_wait(const MPI_Fint *comm, MPI_Fint *ierr);
KEEL_PUBLIC int keel_mpi_f_gather(void *buffer, size_t count, MPI_Fint type, int root);
KEEL_PUBLIC int keel_mpi_f_allgather(void *buffer, size_t count, MPI_Fint type);
KEEL_PUBLIC void keel_mpi_f_loop_begin(const MPI_Fint *comm, const int32_t *iterations,
                                       struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                       MPI_Fint *ierr);
KEEL_PUBLIC void keel_mpi_f_loop_begin_long(const MPI_Fint *comm, const int64_t *iterations,
                                            struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                            MPI_Fint *ierr);

static void give(int code, MPI_Fint *ierr)
{
    if (ierr != NULL) {
        *ierr = code;
    }
}

void keel_mpi_f_share(const MPI_Fint *comm, MPI_Fint *ierr)
{
    give(keel_mpi_share(MPI_Comm_f2c(*comm)), ierr);
}

void keel_mpi_f_share_nowait(const MPI_Fint *comm, MPI_Fint *ierr)
{
    give(keel_mpi_share_nowait(MPI_Comm_f2c(*comm)), ierr);
}

void keel_mpi_f_wait(const MPI_Fint *comm, MPI_Fint *ierr)
{
    give(keel_mpi_wait(MPI_Comm_f2c(*comm)), ierr);
}

int keel_mpi_f_gather(void *buffer, size_t count, MPI_Fint type, int root)
{
    return keel_mpi_gather(buffer, count, MPI_Type_f2c(type), root);
}

int keel_mpi_f_allgather(void *buffer, size_t count, MPI_Fint type)
{
    return keel_mpi_allgather(buffer, count, MPI_Type_f2c(type));
}

/* As of a do loop from 1: with an end below that there are none. */
static uint64_t iterations_to(int64_t last)
{
    return last > 0 ? (uint64_t)last : 0;
}

static unsigned flags_of(const MPI_Fint *flags)
{
    return flags != NULL ? (unsigned)*flags : 0;
}

/* Where the program calls these is where its loop begins. */
void keel_mpi_f_loop_begin(const MPI_Fint *comm, const int32_t *iterations,
                           struct keel_mpi_loop **loop, const MPI_Fint *flags, MPI_Fint *ierr)
{
    give(keel_explicit_begin(MPI_Comm_f2c(*comm), iterations_to(*iterations), flags_of(flags),
                             (uintptr_t)__builtin_return_address(0), loop),
         ierr);
}

void keel_mpi_f_loop_begin_long(const MPI_Fint *comm, const int64_t *iterations,
                                struct keel_mpi_loop **loop, const MPI_Fint *flags, MPI_Fint *ierr)
{
    give(keel_explicit_begin(MPI_Comm_f2c(*comm), iterations_to(*iterations), flags_of(flags),
                             (uintptr_t)__builtin_return_address(0), loop),
         ierr);
}
