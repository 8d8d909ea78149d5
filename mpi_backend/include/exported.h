/* How sources mark what libkeel_mpi.so exports. */
#ifndef MPI_BACKEND_INCLUDE_EXPORTED_H
#define MPI_BACKEND_INCLUDE_EXPORTED_H

#define KEEL_MPI_PUBLIC __attribute__((visibility("default")))

#endif
