/* The memory of one array of rows: addresses for all rows, memory for those that are here.
 *
 *   rows_array() -> [store] -> rows that come are held, rows that have gone are given back
 *
 * So a row has the same place in the array on every rank, at any time. Nothing is shifted when
 * other rows come and go, and messages go from array to array. A page that holds a part of a row
 * that is here stays. Touching rows on other pages ends the process (SIGSEGV). No MPI. One
 * thread. */
#ifndef MPI_BACKEND_ROWS_ROW_STORE_H
#define MPI_BACKEND_ROWS_ROW_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"

struct keel_mpi_store {
    char *base;   /* row 0 */
    size_t bytes; /* of addresses: those of all rows, in whole pages, one page at least */
    size_t row_bytes;
};

/* Takes addresses for `rows` rows of `row_bytes` >= 1 each; nothing is held. False: there are none,
 * or more bytes than a size_t counts; *store is empty. */
bool keel_mpi_store_open(struct keel_mpi_store *store, uint64_t rows, size_t row_bytes);

/* Makes rows [first, last) readable and writable. Those that lie on pages which were not held are
 * 0. False: no memory; what was held still is, and some of these may be. */
bool keel_mpi_store_commit(struct keel_mpi_store *store, uint64_t first, uint64_t last);

/* Gives back the pages that have no part of any of `count` ranges of rows, increasing and apart. */
void keel_mpi_store_trim(struct keel_mpi_store *store, const struct keel_mpi_range *range,
                         size_t count);

/* An empty one may be closed. */
void keel_mpi_store_close(struct keel_mpi_store *store);

#endif
