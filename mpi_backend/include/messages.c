/* Where the messages of libkeel_mpi.so go. */
#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/support/message_handler.h"

KEEL_MPI_PUBLIC void keel_mpi_set_message_handler(void (*handler)(const char *text, void *context),
                                                  void *context)
{
    keel_message_set_handler(handler, context);
}
