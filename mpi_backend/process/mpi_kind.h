/* Which MPI this library was built for, and which one the process has. Handles of one family mean
 * nothing to the other: MPICH's are numbers, Open MPI's are addresses. */
#ifndef MPI_BACKEND_PROCESS_MPI_KIND_H
#define MPI_BACKEND_PROCESS_MPI_KIND_H

#include <stdbool.h>

enum keel_mpi_family {
    KEEL_MPI_FAMILY_UNKNOWN, /* goes with all others */
    KEEL_MPI_FAMILY_OPEN_MPI,
    KEEL_MPI_FAMILY_MPICH, /* the MPICH ABI: Intel MPI, Cray MPICH and MVAPICH, too */
};

struct keel_mpi_kind {
    enum keel_mpi_family family;
    const char *name; /* as people call it; static */
};

/* By what MPI_Get_library_version() says. Pure. */
struct keel_mpi_kind keel_mpi_kind_of(const char *library_version);

/* Whether the process has an MPI of another family; the first call that finds that says so. Any
 * thread, also before MPI is initialised and after its end. */
bool keel_mpi_kind_is_wrong(void);

#endif
