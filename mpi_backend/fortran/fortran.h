/* What the module keel_mpi calls beside keel_mpi.h; fortran_module.pl reads it. */
#ifndef MPI_BACKEND_FORTRAN_FORTRAN_H
#define MPI_BACKEND_FORTRAN_FORTRAN_H

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"

KEEL_MPI_PUBLIC int keel_mpi_f_share(MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_share_nowait(MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_repeatable(MPI_Fint comm, int64_t number);
KEEL_MPI_PUBLIC int keel_mpi_f_wait(MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_gather(void *buffer, size_t count, MPI_Fint type, int root,
                                      MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_allgather(void *buffer, size_t count, MPI_Fint type, MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_reduce(void *buffer, size_t count, MPI_Fint type, MPI_Fint op,
                                      int root, MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_allreduce(void *buffer, size_t count, MPI_Fint type, MPI_Fint op,
                                         MPI_Fint comm);
KEEL_MPI_PUBLIC int keel_mpi_f_loop_last_rank(MPI_Fint comm, int *rank);
KEEL_MPI_PUBLIC int keel_mpi_f_loop_ranges(MPI_Fint comm, const struct keel_mpi_range **ranges,
                                           size_t *count);
KEEL_MPI_PUBLIC int keel_mpi_f_loop_report(MPI_Fint comm, struct keel_mpi_loop_report *report);
KEEL_MPI_PUBLIC int keel_mpi_f_lost_ranks(MPI_Fint comm, const int **ranks, int *count);
KEEL_MPI_PUBLIC int keel_mpi_f_survivors(MPI_Fint comm, MPI_Fint *survivors);
KEEL_MPI_PUBLIC void keel_mpi_f_loop_begin(const MPI_Fint *comm, const int32_t *iterations,
                                           struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                           MPI_Fint *ierr);
KEEL_MPI_PUBLIC void keel_mpi_f_loop_begin_long(const MPI_Fint *comm, const int64_t *iterations,
                                                struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                                MPI_Fint *ierr);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_create(MPI_Fint comm, int64_t count, int how,
                                           struct keel_mpi_rows **rows);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_free(struct keel_mpi_rows **rows);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_array(struct keel_mpi_rows *rows, size_t size, int64_t length,
                                          int64_t halo, void **array, int64_t *count);
KEEL_MPI_PUBLIC int
keel_mpi_f_rows_items(struct keel_mpi_rows *rows, size_t (*size)(void *context, uint64_t row),
                      int (*pack)(void *context, uint64_t row, void *buffer),
                      int (*unpack)(void *context, uint64_t row, const void *buffer, size_t bytes),
                      void (*drop)(void *context, uint64_t row), void *context);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_owner(const struct keel_mpi_rows *rows, int64_t row, int *rank);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_move(struct keel_mpi_rows *rows, const int64_t *shares,
                                         size_t count);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_recover(struct keel_mpi_rows **rows, MPI_Fint survivors,
                                            int64_t *hook);
KEEL_MPI_PUBLIC int keel_mpi_f_rows_address(const struct keel_mpi_rows *rows, int64_t number,
                                            void **array, int64_t *length, int64_t *count);
KEEL_MPI_PUBLIC int keel_mpi_f_objects_recover(struct keel_mpi_objects **objects,
                                               MPI_Fint survivors, int64_t *phase);
KEEL_MPI_PUBLIC int keel_mpi_f_objects_create(
    MPI_Fint comm, size_t (*size)(void *context, uint64_t index, const void *data),
    int (*pack)(void *context, uint64_t index, const void *data, void *buffer),
    int (*unpack)(void *context, uint64_t index, const void *buffer, size_t bytes, void **data),
    void (*drop)(void *context, uint64_t index, void *data), const void *handlers, int count,
    void *context, struct keel_mpi_objects **objects);

#endif
