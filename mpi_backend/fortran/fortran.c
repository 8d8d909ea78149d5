/* What the module keel_mpi calls: handles of Fortran become those of C.
 *
 *   keel_mpi.f90 -> keel_mpi_f_...() -> keel_mpi.h. The module calls the rest of keel_mpi.h itself.
 * keel_mpi.f90 is made of templates, C headers and the functions here, see fortran_module.pl. A
 * type(MPI_Comm) is an integer handle in memory. Absent arguments are NULL. Rows are counted from 1
 * there. */
#include <stdlib.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/shared_loop.h"
#include "mpi_backend/rows/rows_room.h"
#include "omp_ext/support/message.h"

/* Where MPI is not there, its conversions end the process, and the function that gets the handle
 * returns KEEL_MPI_NOT_READY. */
static MPI_Comm comm_of(MPI_Fint comm)
{
    return keel_mpi_is_there() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

static MPI_Datatype type_of(MPI_Fint type)
{
    return keel_mpi_is_there() ? MPI_Type_f2c(type) : MPI_DATATYPE_NULL;
}

static MPI_Op op_of(MPI_Fint op)
{
    return keel_mpi_is_there() ? MPI_Op_f2c(op) : MPI_OP_NULL;
}

KEEL_MPI_PUBLIC int keel_mpi_f_share(MPI_Fint comm)
{
    return keel_mpi_share(comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_share_nowait(MPI_Fint comm)
{
    return keel_mpi_share_nowait(comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_repeatable(MPI_Fint comm, int64_t number)
{
    return keel_mpi_repeatable(comm_of(comm), (uint64_t)number);
}

KEEL_MPI_PUBLIC int keel_mpi_f_wait(MPI_Fint comm)
{
    return keel_mpi_wait(comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_gather(void *buffer, size_t count, MPI_Fint type, int root,
                                      MPI_Fint comm)
{
    return keel_mpi_gather(buffer, count, type_of(type), root, comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_allgather(void *buffer, size_t count, MPI_Fint type, MPI_Fint comm)
{
    return keel_mpi_allgather(buffer, count, type_of(type), comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_reduce(void *buffer, size_t count, MPI_Fint type, MPI_Fint op,
                                      int root, MPI_Fint comm)
{
    return keel_mpi_reduce(buffer, count, type_of(type), op_of(op), root, comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_allreduce(void *buffer, size_t count, MPI_Fint type, MPI_Fint op,
                                         MPI_Fint comm)
{
    return keel_mpi_allreduce(buffer, count, type_of(type), op_of(op), comm_of(comm));
}

KEEL_MPI_PUBLIC int keel_mpi_f_loop_last_rank(MPI_Fint comm, int *rank)
{
    return keel_mpi_loop_last_rank(comm_of(comm), rank);
}

KEEL_MPI_PUBLIC int keel_mpi_f_loop_ranges(MPI_Fint comm, const struct keel_mpi_range **ranges,
                                           size_t *count)
{
    return keel_mpi_loop_ranges(comm_of(comm), ranges, count);
}

KEEL_MPI_PUBLIC int keel_mpi_f_loop_report(MPI_Fint comm, struct keel_mpi_loop_report *report)
{
    return keel_mpi_loop_report(comm_of(comm), report);
}

KEEL_MPI_PUBLIC int keel_mpi_f_lost_ranks(MPI_Fint comm, const int **ranks, int *count)
{
    return keel_mpi_lost_ranks(comm_of(comm), ranks, count);
}

KEEL_MPI_PUBLIC int keel_mpi_f_survivors(MPI_Fint comm, MPI_Fint *survivors)
{
    MPI_Comm made;
    int code = keel_mpi_survivors(comm_of(comm), &made);

    if (made != MPI_COMM_NULL) { /* as which *survivors comes */
        *survivors = MPI_Comm_c2f(made);
    }
    return code;
}

/* Iterations as of a do loop from 1: with an end below that there are none. Where the program calls
 * these is where its loop begins. */
static void begin(const MPI_Fint *comm, int64_t last, uintptr_t site, struct keel_mpi_loop **loop,
                  const MPI_Fint *flags, MPI_Fint *ierr)
{
    int code = keel_mpi_error_return(
        keel_mpi_explicit_begin(comm_of(*comm), last > 0 ? (uint64_t)last : 0,
                                flags != NULL ? (unsigned)*flags : 0, site, loop));

    if (ierr != NULL) {
        *ierr = code;
    }
}

KEEL_MPI_PUBLIC void keel_mpi_f_loop_begin(const MPI_Fint *comm, const int32_t *iterations,
                                           struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                           MPI_Fint *ierr)
{
    begin(comm, *iterations, (uintptr_t)__builtin_return_address(0), loop, flags, ierr);
}

KEEL_MPI_PUBLIC void keel_mpi_f_loop_begin_long(const MPI_Fint *comm, const int64_t *iterations,
                                                struct keel_mpi_loop **loop, const MPI_Fint *flags,
                                                MPI_Fint *ierr)
{
    begin(comm, *iterations, (uintptr_t)__builtin_return_address(0), loop, flags, ierr);
}

/* --- rows that move --- */

/* Negative numbers are too large ones here, which get a message. */
KEEL_MPI_PUBLIC int keel_mpi_f_rows_create(MPI_Fint comm, int64_t count, int how,
                                           struct keel_mpi_rows **rows)
{
    return keel_mpi_rows_create(comm_of(comm), (uint64_t)count, (unsigned)how, rows);
}

/* count: of all rows. */
KEEL_MPI_PUBLIC int keel_mpi_f_rows_array(struct keel_mpi_rows *rows, size_t size, int64_t length,
                                          int64_t halo, void **array, int64_t *count)
{
    int code = keel_mpi_rows_array(rows, size, (uint64_t)length, (uint64_t)halo, array);

    *count = code == KEEL_MPI_OK ? (int64_t)rows->placement.rows : 0;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_f_rows_address(const struct keel_mpi_rows *rows, int64_t number,
                                            void **array, int64_t *length, int64_t *count)
{
    int code =
        number >= 1 ? keel_mpi_rows_address(rows, (size_t)number - 1, array) : KEEL_MPI_ARGUMENT;

    if (number < 1) {
        *array = NULL;
        keel_mpi_misuse("keel_mpi_rows_address: there is no array %lld, expected one from 1 on",
                        (long long)number);
    }
    *length = *count = 0;
    for (const struct keel_mpi_array *found = code == KEEL_MPI_OK ? rows->arrays : NULL;
         found != NULL; found = found->next) {
        if (found->store.base == *array) {
            *length = (int64_t)found->length;
            *count = (int64_t)rows->placement.rows;
        }
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_f_rows_owner(const struct keel_mpi_rows *rows, int64_t row, int *rank)
{
    if (rows != NULL && (row < 1 || (uint64_t)row > rows->placement.rows)) {
        keel_mpi_misuse("keel_mpi_rows_owner: there is no row %lld, expected one from 1 to %llu",
                        (long long)row, (unsigned long long)rows->placement.rows);
        return KEEL_MPI_ARGUMENT;
    }
    return keel_mpi_rows_owner(rows, (uint64_t)row - 1, rank);
}

KEEL_MPI_PUBLIC int keel_mpi_f_rows_move(struct keel_mpi_rows *rows, const int64_t *shares,
                                         size_t count)
{
    int code = keel_mpi_rows_check(rows);

    if (code == KEEL_MPI_OK && count != rows->ranks) {
        keel_mpi_misuse("keel_mpi_rows_move: shares of %zu ranks, expected %u; nothing is moved",
                        count, rows->ranks);
        code = KEEL_MPI_ARGUMENT;
    }
    return code == KEEL_MPI_OK ? keel_mpi_rows_move(rows, (const uint64_t *)shares) : code;
}

/* --- items, whose procedures count rows from 1 --- */

struct items {
    struct items *next;
    const struct keel_mpi_rows *rows; /* whose they are */
    struct keel_mpi_rows_items call;  /* of the program */
};

/* Of all distributions. */
static struct items *all_items;

static size_t item_size(void *context, uint64_t row)
{
    const struct keel_mpi_rows_items *call = context;

    return call->size(call->context, row + 1);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    const struct keel_mpi_rows_items *call = context;

    return call->pack(call->context, row + 1, buffer);
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t bytes)
{
    const struct keel_mpi_rows_items *call = context;

    return call->unpack(call->context, row + 1, buffer, bytes);
}

static void item_drop(void *context, uint64_t row)
{
    const struct keel_mpi_rows_items *call = context;

    call->drop(call->context, row + 1);
}

/* Without memory it adds none: the call is collective, and all ranks learn of it there. */
KEEL_MPI_PUBLIC int
keel_mpi_f_rows_items(struct keel_mpi_rows *rows, size_t (*size)(void *context, uint64_t row),
                      int (*pack)(void *context, uint64_t row, void *buffer),
                      int (*unpack)(void *context, uint64_t row, const void *buffer, size_t bytes),
                      void (*drop)(void *context, uint64_t row), void *context)
{
    struct items *items = malloc(sizeof *items);

    if (items == NULL) {
        keel_message("no memory for items of rows");
        return keel_mpi_rows_items(
            rows, &(struct keel_mpi_rows_items){.struct_size = sizeof(struct keel_mpi_rows_items)});
    }
    *items =
        (struct items){all_items, rows, {sizeof items->call, context, size, pack, unpack, drop}};
    int code = keel_mpi_rows_items(rows, &(struct keel_mpi_rows_items){
                                             .struct_size = sizeof(struct keel_mpi_rows_items),
                                             .context = &items->call,
                                             .size = item_size,
                                             .pack = item_pack,
                                             .unpack = item_unpack,
                                             .drop = drop != NULL ? item_drop : NULL,
                                         });
    if (code == KEEL_MPI_OK) {
        all_items = items;
    } else {
        free(items);
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_f_rows_recover(struct keel_mpi_rows **rows, MPI_Fint survivors,
                                            int64_t *call)
{
    const struct keel_mpi_rows *before = *rows;
    uint64_t calls;
    int code = keel_mpi_rows_recover(rows, comm_of(survivors), &calls);

    for (struct items *items = all_items; items != NULL; items = items->next) {
        if (items->rows == before) {
            items->rows = *rows;
        }
    }
    *call = (int64_t)calls;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_f_rows_free(struct keel_mpi_rows **rows)
{
    const struct keel_mpi_rows *ended = *rows;
    struct items **link = &all_items;
    int code = keel_mpi_rows_free(rows);

    while (code == KEEL_MPI_OK && *link != NULL) {
        struct items *items = *link;
        if (items->rows == ended) {
            *link = items->next;
            free(items);
        } else {
            link = &items->next;
        }
    }
    return code;
}

/* --- objects --- */

/* handlers: addresses of functions, one behind the other. */
KEEL_MPI_PUBLIC int keel_mpi_f_objects_create(
    MPI_Fint comm, size_t (*size)(void *context, uint64_t index, const void *data),
    int (*pack)(void *context, uint64_t index, const void *data, void *buffer),
    int (*unpack)(void *context, uint64_t index, const void *buffer, size_t bytes, void **data),
    void (*drop)(void *context, uint64_t index, void *data), const void *handlers, int count,
    void *context, struct keel_mpi_objects **objects)
{
    return keel_mpi_objects_create(comm_of(comm),
                                   &(struct keel_mpi_objects_functions){
                                       .struct_size = sizeof(struct keel_mpi_objects_functions),
                                       .context = context,
                                       .size = size,
                                       .pack = pack,
                                       .unpack = unpack,
                                       .drop = drop,
                                       .handler = handlers,
                                       .handlers = (unsigned)count},
                                   objects);
}

KEEL_MPI_PUBLIC int keel_mpi_f_objects_recover(struct keel_mpi_objects **objects,
                                               MPI_Fint survivors, int64_t *phase)
{
    uint64_t phases;
    int code = keel_mpi_objects_recover(objects, comm_of(survivors), &phases);

    *phase = (int64_t)phases;
    return code;
}
