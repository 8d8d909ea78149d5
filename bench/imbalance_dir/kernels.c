/* The kernels of bench/imbalance, their list at the end, and their common functions; loops that
 * are drawn at random come first. */
#include "bench/imbalance_dir/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"
#include "bench/support/support.h"

/* The logistic map, which does not settle: the compiler can neither predict nor skip a step. */
static double spin(double x, double steps)
{
    for (uint64_t left = (uint64_t)llround(steps); left > 0; left--) {
        x = 3.9 * x * (1 - x);
    }
    return x;
}

/* --- drawn ---
 *
 * Random loops, so that schedules can be compared on loops that were not considered when they were
 * written: "drawn:SEED". Size, total work, costs along the loop, variation of single iterations,
 * their variation from one instance to the next, and the memory that they read are drawn. */

#define STEPS_ALL 2.9e6 /* of all iterations at scale 1 */
#define LINE 64         /* bytes */
#define MEMORY_MAX (UINT64_C(64) << 20)

enum shape { FLAT, RISING, FALLING, WAVES, STEP, PEAKS, SHAPES };

static uint64_t seed;
static size_t iterations;
static float *steps;      /* of each iteration, without the variation between instances */
static double strays;     /* part of its steps that an iteration may have more */
static unsigned instance; /* 0: without variation */
static uint64_t *memory;  /* `lines` lines for each iteration; NULL: none is read */
static size_t lines;

/* Draw number `which` of the loop, in [0, 1). */
static double draw(uint64_t which)
{
    return kernel_random_at(1000 + seed % 100000, which);
}

static double log_between(double low, double high, double fraction)
{
    return low * pow(high / low, fraction);
}

/* Mean cost at position `place`, 0 .. 1, of the loop, any unit. */
static double cost_at(enum shape shape, double place, double strength)
{
    switch (shape) {
    case RISING:
        return 1 + strength * place;
    case FALLING:
        return 1 + strength * (1 - place);
    case WAVES:
        return 1 + strength * (1 + sin(6.2831853 * place * (1 + floor(8 * draw(5)))));
    case STEP:
        return place < draw(5) ? 1 : 1 + strength;
    case PEAKS:
        return 1 + 20 * strength * (fmod(place * 7 + draw(5), 1) < 0.05);
    case FLAT:
    case SHAPES:
        break;
    }
    return 1;
}

/* Factor with mean about 1: none, exponentially distributed, or with a heavy tail. */
static double stray_of(size_t i, int kind)
{
    double fraction = kernel_random_at(2000 + seed % 100000, i);

    return kind == 0   ? 1
           : kind == 1 ? -log(1 - fraction)
           : kind == 2 ? 0.5 + fraction
                       : fmin(0.3 / pow(1 - fraction, 0.7), 30);
}

static void draw_memory(void)
{
    free(memory);
    memory = NULL;
    lines = draw(6) < 0.4 ? (size_t)log_between(1, 400, draw(7)) : 0;
    if (lines > 0 && iterations * lines * LINE <= MEMORY_MAX) {
        uint64_t *made = memory_new(iterations * lines, LINE);
        for (size_t k = 0; k < iterations * lines; k++) {
            made[k * LINE / sizeof *made] = k;
        }
        memory = made;
    }
}

static size_t prepare(double scale)
{
    enum shape shape = (enum shape)(draw(0) * SHAPES);
    double strength = log_between(0.3, 10, draw(1)), sum = 0;
    double all = STEPS_ALL * scale * log_between(0.3, 3, draw(2));
    int kind = (int)(draw(3) * 4);

    iterations = (size_t)log_between(60, 20000, draw(4));
    strays = draw(8) < 0.5 ? draw(9) : 0;
    free(steps);
    steps = memory_new(iterations, sizeof *steps);
    for (size_t i = 0; i < iterations; i++) {
        steps[i] = (float)(cost_at(shape, ((double)i + 0.5) / (double)iterations, strength) *
                           stray_of(i, kind));
        sum += steps[i];
    }
    for (size_t i = 0; i < iterations; i++) {
        steps[i] *= (float)(all / sum);
    }
    draw_memory();
    return iterations;
}

static void begin(unsigned number)
{
    instance = number;
}

static double run(size_t i)
{
    double result = spin(0.25 + 0.5 * (double)i / (double)iterations, steps[i]);
    uint64_t sum = 0;

    if (instance > 0 && strays > 0) {
        double more = 2 * strays * kernel_random_at(5000 + instance, i);
        volatile double ignored = spin(0.3, more * steps[i]);
        (void)ignored;
    }
    for (size_t k = 0; memory != NULL && k < lines; k++) {
        sum += memory[(i * lines + k) * LINE / sizeof *memory];
    }
    return result + (double)(sum & 1023);
}

static const struct kernel *kernel_draw(uint64_t drawn_seed)
{
    static const struct kernel drawn = {"drawn:SEED", prepare, run, begin};

    seed = drawn_seed;
    return &drawn;
}

/* --- common functions --- */

size_t kernel_scaled(size_t count, double factor, size_t least)
{
    double scaled = round((double)count * factor);

    return scaled < (double)least ? least : (size_t)scaled;
}

/* --- spin ---
 *
 * Loops that only compute, each iteration a number of dependent steps given by a formula. */

#define ITERATIONS 1000
#define STEPS_MEAN 2900.0 /* of one iteration at scale 1 */

static double steps_mean;

static double spin_from(size_t i, double steps)
{
    return spin(0.25 + 0.5 * (double)i / ITERATIONS, steps);
}

static size_t spin_prepare(double scale)
{
    steps_mean = STEPS_MEAN * scale;
    return ITERATIONS;
}

static double uniform_run(size_t i)
{
    return spin_from(i, steps_mean);
}

static double increasing_run(size_t i)
{
    return spin_from(i, 2 * steps_mean * ((double)i + 0.5) / ITERATIONS);
}

static double decreasing_run(size_t i)
{
    return spin_from(i, 2 * steps_mean * ((double)(ITERATIONS - 1 - i) + 0.5) / ITERATIONS);
}

/* Exponentially distributed: the deviation is as large as the mean. */
static double random_run(size_t i)
{
    return spin_from(i, -steps_mean * log(1 - kernel_random_at(1, i)));
}

static double tail_run(size_t i)
{
    return spin_from(i, i < ITERATIONS * 19 / 20 ? steps_mean * 10 / 19 : steps_mean * 10);
}

/* --- mandelbrot ---
 *
 * Rows of the Mandelbrot set: neighbours cost alike, those through the set's middle the most. The
 * window is that of bench/demo. */

#define LIMIT 256

static size_t picture_size; /* rows, and columns */

static size_t mandelbrot_prepare(double scale)
{
    picture_size = kernel_scaled(176, sqrt(scale), 4);
    return picture_size;
}

static double mandelbrot_run(size_t row)
{
    double real = 0.5 - (double)row * 2.3 / (double)picture_size;
    long steps = 0;

    for (size_t column = 0; column < picture_size; column++) {
        steps += mandelbrot_steps(real, 1.2 - (double)column * 2.4 / (double)picture_size, LIMIT);
    }
    return (double)steps;
}

/* --- triangular ---
 *
 * The product of two lower triangular matrices by rows: row i takes about i * i / 2 steps.
 *
 * The factor's entries are L[i][k] = (k + 1) / (i + 1), k <= i, which gives the product
 * (L L)[i][j] = (j + 1) (i - j + 1) / (i + 1), and (i + 2) (i + 3) / 6 as the sum of its row i. */

static size_t matrix_size; /* rows, and columns */
static double *factor, *product;

static size_t triangular_prepare(double scale)
{
    matrix_size = kernel_scaled(420, cbrt(scale), 4);
    factor = memory_new(matrix_size * matrix_size, sizeof *factor);
    product = memory_new(matrix_size * matrix_size, sizeof *product);
    for (size_t i = 0; i < matrix_size; i++) {
        for (size_t k = 0; k <= i; k++) {
            factor[i * matrix_size + k] = (double)(k + 1) / (double)(i + 1);
        }
    }
    return matrix_size;
}

static double triangular_run(size_t i)
{
    double *row = &product[i * matrix_size], sum = 0;

    for (size_t j = 0; j <= i; j++) {
        row[j] = 0;
    }
    for (size_t k = 0; k <= i; k++) {
        for (size_t j = 0; j <= k; j++) {
            row[j] += factor[i * matrix_size + k] * factor[k * matrix_size + j];
        }
    }
    for (size_t j = 0; j <= i; j++) {
        sum += row[j];
    }
    return sum;
}

/* --- sparse matrix ---
 *
 * A sparse matrix times a block of vectors, by rows. Row lengths follow a power law, as the numbers
 * of links on pages do, and long rows are anywhere. All entries and the vectors are ones, so that
 * each result is the number of entries in its row. */

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

static size_t spmv_prepare(double scale)
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

static double spmv_run(size_t i)
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

/* --- the list --- */

const struct kernel kernels[] = {
    {"uniform", spin_prepare, uniform_run, NULL},
    {"increasing", spin_prepare, increasing_run, NULL},
    {"decreasing", spin_prepare, decreasing_run, NULL},
    {"random", spin_prepare, random_run, NULL},
    {"tail", spin_prepare, tail_run, NULL},
    {"mandelbrot", mandelbrot_prepare, mandelbrot_run, NULL},
    {"triangular", triangular_prepare, triangular_run, NULL},
    {"spmv", spmv_prepare, spmv_run, NULL},
    {NULL, NULL, NULL, NULL},
};

#define DRAWN "drawn:"

static const struct kernel *drawn_of(const char *number)
{
    char *end;
    uint64_t seed = strtoull(number, &end, 10);

    return *number >= '0' && *number <= '9' && *end == '\0' ? kernel_draw(seed) : NULL;
}

const struct kernel *kernel_find(const char *name)
{
    const struct kernel *kernel = kernels;

    if (strncmp(name, DRAWN, strlen(DRAWN)) == 0) {
        return drawn_of(name + strlen(DRAWN));
    }
    while (kernel->name != NULL && strcmp(kernel->name, name) != 0) {
        kernel++;
    }
    return kernel->name != NULL ? kernel : NULL;
}
