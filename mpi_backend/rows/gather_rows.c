/* Brings the rows of an array together, on one rank or on all.
 *
 *   own rows as ranges -> results/gather.h -> a buffer with all rows, in their order */
#include <string.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/results/gather.h"
#include "mpi_backend/rows/rows.h"
#include "omp_ext/support/message.h"

static void copy_own(const struct keel_mpi_array *array, const struct keel_mpi_range_list *own,
                     char *buffer)
{
    size_t bytes = keel_mpi_array_row_bytes(array);

    for (size_t i = 0; i < own->count; i++) {
        size_t at = (size_t)own->range[i].first * bytes;
        memcpy(buffer + at, array->store.base + at,
               (size_t)(own->range[i].last - own->range[i].first) * bytes);
    }
}

/* Whether there is one where it is needed, which is said otherwise. */
static bool has_buffer(const struct keel_mpi_rows *rows, const void *buffer, bool takes)
{
    bool has = !takes || buffer != NULL || rows->placement.rows == 0;

    if (!has) {
        keel_message("rows are to be brought together on rank %u in a buffer that is NULL, "
                     "expected room for all %llu; nothing is done",
                     rows->rank, (unsigned long long)rows->placement.rows);
    }
    return has;
}

static int bring_together(struct keel_mpi_rows *rows, const void *base, void *buffer, int root)
{
    int code = keel_mpi_rows_check(rows);
    struct keel_mpi_range_list own = {0};

    if (code != KEEL_MPI_OK) {
        return code;
    }
    struct keel_mpi_array *array = keel_mpi_rows_find_array(rows, base);
    bool takes = root == KEEL_MPI_GATHER_ALL || root == (int)rows->rank;
    code = array == NULL || !has_buffer(rows, buffer, takes) ? KEEL_MPI_ARGUMENT
           : keel_mpi_rows_own_ranges(rows, &own)            ? KEEL_MPI_OK
                                                             : KEEL_MPI_NO_ROOM;
    code = keel_mpi_rows_agree_for_good(rows, code, (uint64_t)root);
    if (code == KEEL_MPI_OK) {
        if (takes && buffer != NULL) {
            copy_own(array, &own, buffer);
        }
        code = keel_mpi_gather_ranges(&rows->peers, rows->placement.rows, &own,
                                      takes ? buffer : array->store.base,
                                      keel_mpi_array_row_bytes(array), MPI_BYTE, root);
    }
    if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) { /* else pending operations use it */
        keel_mpi_range_list_free(&own);
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_gather(struct keel_mpi_rows *rows, const void *array,
                                         void *buffer, int root)
{
    return bring_together(rows, array, buffer, root);
}

KEEL_MPI_PUBLIC int keel_mpi_rows_allgather(struct keel_mpi_rows *rows, const void *array,
                                            void *buffer)
{
    return bring_together(rows, array, buffer, KEEL_MPI_GATHER_ALL);
}
