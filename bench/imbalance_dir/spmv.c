/* A sparse matrix times a block of vectors, by rows. Row lengths follow a power law, as the numbers
 * of links on pages do, and long rows stand anywhere. All entries and the vectors are ones, so that
 * each result is the number of entries in its row. */
#include "bench/imbalance_dir/kernel.h"

#include <math.h>
#include <stdlib.h>

#include "bench/support/memory.h"

#define ROWS 2000
#define VECTORS 16
#define LENGTH_MEAN 450.0 /* entries of a row at scale 1 */
#define EXPONENT 0.7      /* the r-th longest row has r^-EXPONENT of the longest */

static size_t rows;
static size_t *row_start; /* row i has the entries row_start[i] .. row_start[i + 1] - 1 */
static uint32_t *entry_column;
static double *entry_value;
static double (*vector)[VECTORS], (*result)[VECTORS];

/* Ranks 1 .. rows in an order that is random, but always the same (Fisher & Yates). */
static size_t *shuffled_ranks(void)
{
    size_t *rank = memory_new(rows, sizeof *rank);

    for (size_t i = 0; i < rows; i++) {
        size_t j = (size_t)(kernel_random_at(2, i) * (double)(i + 1));
        rank[i] = rank[j];
        rank[j] = i + 1;
    }
    return rank;
}

static void prepare_rows(void)
{
    size_t *rank = shuffled_ranks();
    double sum = 0;

    for (size_t r = 1; r <= rows; r++) {
        sum += pow((double)r, -EXPONENT);
    }
    double longest = LENGTH_MEAN * (double)rows / sum;
    row_start = memory_new(rows + 1, sizeof *row_start);
    for (size_t i = 0; i < rows; i++) {
        double length = 1 + longest * pow((double)rank[i], -EXPONENT);
        row_start[i + 1] = row_start[i] + (size_t)length;
    }
    free(rank);
}

static void prepare_entries(void)
{
    entry_column = memory_new(row_start[rows], sizeof *entry_column);
    entry_value = memory_new(row_start[rows], sizeof *entry_value);
    for (size_t e = 0; e < row_start[rows]; e++) {
        entry_column[e] = (uint32_t)(kernel_random_at(3, e) * (double)rows);
        entry_value[e] = 1;
    }
}

size_t spmv_prepare(double scale)
{
    rows = kernel_scaled(ROWS, scale, 16);
    vector = memory_new(rows, sizeof *vector);
    result = memory_new(rows, sizeof *result);
    for (size_t i = 0; i < rows * VECTORS; i++) {
        vector[i / VECTORS][i % VECTORS] = 1;
    }
    prepare_rows();
    prepare_entries();
    return rows;
}

double spmv_run(size_t i)
{
    double sum[VECTORS] = {0};

    for (size_t e = row_start[i]; e < row_start[i + 1]; e++) {
        const double *from = vector[entry_column[e]];
        for (int v = 0; v < VECTORS; v++) {
            sum[v] += entry_value[e] * from[v];
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        result[i][v] = sum[v];
    }
    return sum[0];
}
