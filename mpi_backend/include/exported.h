/* How sources mark what libkeel_mpi.so exports; libkeel_mpi.lds lists it. */
#ifndef MPI_BACKEND_INCLUDE_EXPORTED_H
#define MPI_BACKEND_INCLUDE_EXPORTED_H

#define KEEL_MPI_PUBLIC __attribute__((visibility("default")))

#endif
