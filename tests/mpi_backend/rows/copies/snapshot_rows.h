/* Rows with two arrays and two kinds of items, all on one rank, for copies of them. */
#ifndef TESTS_MPI_BACKEND_ROWS_COPIES_SNAPSHOT_ROWS_H
#define TESTS_MPI_BACKEND_ROWS_COPIES_SNAPSHOT_ROWS_H

#include "mpi_backend/rows/rows_state.h"

#define SNAPSHOT_ROWS 3

struct snapshot_rows {
    struct keel_mpi_rows rows;
    struct keel_mpi_run run;
    uint64_t owned;
    struct keel_mpi_array array[2];
    struct keel_mpi_items_entry items[2];
    double weight[SNAPSHOT_ROWS];
    char wide[SNAPSHOT_ROWS][24], narrow[SNAPSHOT_ROWS][1];
};

static inline struct keel_mpi_rows *
snapshot_rows_make(struct snapshot_rows *made,
                   int (*unpack)(void *context, uint64_t row, const void *buffer, size_t size))
{
    made->run = (struct keel_mpi_run){.first = 0, .owner = 0};
    made->owned = SNAPSHOT_ROWS;
    made->array[0] = (struct keel_mpi_array){
        .next = &made->array[1],
        .store = {.base = made->wide[0], .bytes = sizeof made->wide, .row_bytes = 24}};
    made->array[1] = (struct keel_mpi_array){
        .store = {.base = made->narrow[0], .bytes = sizeof made->narrow, .row_bytes = 1}};
    made->items[0] = (struct keel_mpi_items_entry){.next = &made->items[1], .call.unpack = unpack};
    made->items[1] = (struct keel_mpi_items_entry){.call.unpack = unpack};
    made->rows.ranks = 1;
    made->rows.placement = (struct keel_mpi_placement){
        .rows = SNAPSHOT_ROWS, .ranks = 1, .count = 1, .run = &made->run, .owned = &made->owned};
    made->rows.arrays = &made->array[0];
    made->rows.items = &made->items[0];
    made->rows.weights = (struct keel_mpi_store){
        .base = (char *)made->weight, .bytes = sizeof made->weight, .row_bytes = sizeof(double)};
    return &made->rows;
}

#endif
