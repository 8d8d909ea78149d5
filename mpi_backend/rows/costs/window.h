/* Windows: what loops over the rows of a distribution have taken, row by row.
 *
 *   watch_loops() of libkeel.so (lending.h): threads of loops -> match -> [window] -> row_costs.c
 *
 * There is a fixed number of windows in a process, which are never freed: a thread that is still in
 * a loop finds the one that it has begun with. Distributions beyond that are not measured. */
#ifndef MPI_BACKEND_ROWS_COSTS_WINDOW_H
#define MPI_BACKEND_ROWS_COSTS_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>

#include "schedules/rows/row_weights.h"

#define KEEL_MPI_WINDOWS 8

struct keel_mpi_window {
    atomic_bool used;
    atomic_bool open;         /* loops that begin now are measured */
    struct keel_own_rows own; /* written while it is shut */
    /* Written by all threads of loops. */
    _Alignas(64) _Atomic uint64_t pieces;
    _Atomic uint64_t time_ns[KEEL_ROW_PARTS]; /* of loops of teams of n threads, 1/n of it */
};

/* One for the calling process to keep; NULL: there is none left, or no libkeel.so. */
struct keel_mpi_window *keel_mpi_window_take(void);

/* Gives it back; NULL: nothing. */
void keel_mpi_window_release(struct keel_mpi_window *window);

/* Opens or shuts it for loops that begin from now on. */
static inline void keel_mpi_window_open(struct keel_mpi_window *window, bool open)
{
    /* release: pairs with the acquire in begin(), which reads `own` */
    atomic_store_explicit(&window->open, open, memory_order_release);
}

#endif
