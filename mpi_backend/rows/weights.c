/* Weights of rows. */
#include "mpi_backend/rows/rows.h"

#include <math.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/errors.h"

bool keel_mpi_weights_open(struct keel_mpi_rows *rows)
{
    uint64_t first, last, from = 0;

    if (!keel_mpi_store_open(&rows->weights, rows->placement.rows, sizeof(double))) {
        return false;
    }
    while (keel_mpi_placement_next(&rows->placement, rows->rank, from, &first, &last)) {
        if (!keel_mpi_store_commit(&rows->weights, first, last)) {
            return false;
        }
        from = last;
    }
    return true;
}

double keel_mpi_weights_sum(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    double sum = 0;

    if (!rows->weighted) {
        return (double)placement->owned[rows->rank];
    }
    for (size_t i = 0; i < placement->count; i++) {
        uint64_t end = keel_mpi_placement_end(placement, i);
        for (uint64_t row = placement->run[i].first;
             placement->run[i].owner == rows->rank && row < end; row++) {
            sum += keel_mpi_weights_of(rows, row);
        }
    }
    return sum;
}

static bool are_own(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last)
{
    const struct keel_mpi_placement *placement = &rows->placement;

    if (first == last) {
        return last <= placement->rows;
    }
    if (first > last || last > placement->rows) {
        return false;
    }
    size_t i = keel_mpi_placement_find(placement, first);
    return placement->run[i].owner == rows->rank && last <= keel_mpi_placement_end(placement, i);
}

#define DRIFT 1e-3

static int weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last, const double *weight,
                 const char *function)
{
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    double *own = (double *)(void *)rows->weights.base;
    bool fits = are_own(rows, first, last);

    for (uint64_t row = first; fits && row < last; row++) {
        fits = weight[row - first] >= 0 && !isinf(weight[row - first]);
    }
    if (!fits) {
        keel_mpi_misuse("%s(): rows %llu to %llu are not one's own, or a weight is negative or no "
                        "number; weights stay as they are",
                        function, (unsigned long long)first, (unsigned long long)last);
        return KEEL_MPI_ARGUMENT;
    }
    double change = 0;
    for (uint64_t row = first; row < last; row++) {
        change += weight[row - first] - keel_mpi_weights_of(rows, row);
        own[row] = keel_mpi_weight_encode(weight[row - first]);
    }
    rows->weighted = rows->told = true;
    /* Sums of differences drift. They are made afresh for all own rows at once, and where work gets
     * much less. */
    bool afresh = last - first == rows->placement.owned[rows->rank] ||
                  rows->work + change < DRIFT * rows->work;
    rows->work = afresh ? keel_mpi_weights_sum(rows) : rows->work + change;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                                        const double *weight)
{
    return weigh(rows, first, last, weight, "keel_mpi_rows_weigh");
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh_ahead(struct keel_mpi_rows *rows, uint64_t first,
                                              uint64_t last, const double *weight)
{
    double before = rows != NULL ? rows->work : 0;
    int code = weigh(rows, first, last, weight, "keel_mpi_rows_weigh_ahead");

    if (code == KEEL_MPI_OK && rows->work_before < 0) {
        rows->work_before = before;
    }
    return code;
}
