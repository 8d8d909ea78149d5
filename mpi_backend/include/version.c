/* Which libkeel_mpi.so this is, and where its messages go. */
#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/support/message.h"

#define TEXT_OF(major, minor) #major "." #minor
#define TEXT(major, minor) TEXT_OF(major, minor)

KEEL_MPI_PUBLIC const char *keel_mpi_version(void)
{
    return TEXT(KEEL_MPI_VERSION_MAJOR, KEEL_MPI_VERSION_MINOR);
}

KEEL_MPI_PUBLIC void keel_mpi_get_version(int *major, int *minor)
{
    *major = KEEL_MPI_VERSION_MAJOR;
    *minor = KEEL_MPI_VERSION_MINOR;
}

KEEL_MPI_PUBLIC void keel_mpi_set_message_handler(void (*handler)(const char *text, void *context),
                                                  void *context)
{
    keel_message_set_handler(handler, context);
}
