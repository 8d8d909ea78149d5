/* The product of two lower triangular matrices by rows: row i takes about i * i / 2 steps.
 *
 * The factor's entries are L[i][k] = (k + 1) / (i + 1), k <= i, which gives the product
 * (L L)[i][j] = (j + 1) (i - j + 1) / (i + 1), and (i + 2) (i + 3) / 6 as the sum of its row i. */
#include "bench/imbalance_dir/kernels/kernel.h"

#include <math.h>

static size_t size; /* rows, and columns */
static double *factor, *product;

static size_t prepare(double scale)
{
    size = kernel_scaled(420, cbrt(scale), 4);
    factor = kernel_memory(size * size, sizeof *factor);
    product = kernel_memory(size * size, sizeof *product);
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k <= i; k++) {
            factor[i * size + k] = (double)(k + 1) / (double)(i + 1);
        }
    }
    return size;
}

static double run(size_t i)
{
    double *row = &product[i * size], sum = 0;

    for (size_t j = 0; j <= i; j++) {
        row[j] = 0;
    }
    for (size_t k = 0; k <= i; k++) {
        for (size_t j = 0; j <= k; j++) {
            row[j] += factor[i * size + k] * factor[k * size + j];
        }
    }
    for (size_t j = 0; j <= i; j++) {
        sum += row[j];
    }
    return sum;
}

const struct kernel kernel_triangular = {.name = "triangular",
                                         .about = "product of triangular matrices, cost as i^2",
                                         .prepare = prepare,
                                         .run = run};
