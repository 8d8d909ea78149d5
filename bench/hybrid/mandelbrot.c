/* A whole MPI and OpenMP program whose loop is shared by all ranks: draws the Mandelbrot set.
 *
 *   mpicc -O2 -fopenmp bench/hybrid/mandelbrot.c $(keel libs --mpi) -o hybrid
 *   mpirun -n 2 --bind-to none -x OMP_NUM_THREADS=1 ./hybrid 800
 *
 * Rows of the set cost between nothing and thousands of steps per point, so equal blocks of rows
 * leave ranks waiting. Two calls of Keel's, marked below, let them all finish together. The picture
 * is compared with one that rank 0 draws alone. */
#include <keel_mpi.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1000 /* steps after which a point counts as part of the set */

static int steps_to_escape(double real, double imaginary)
{
    double x = 0, y = 0;
    int steps = 0;

    while (steps < LIMIT && x * x + y * y < 4) {
        double next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        steps++;
    }
    return steps;
}

static void draw_row(long row, long size, int *steps)
{
    double real = 0.5 - (double)row * (2.3 / (double)size);

    for (long column = 0; column < size; column++) {
        steps[column] = steps_to_escape(real, 1.2 - (double)column * (2.4 / (double)size));
    }
}

/* What one rank has done. */
struct part {
    double busy_s; /* in rows, summed over its threads */
    double rows, threads;
};

/* Draws all rows, each on one of the ranks; rank 0 gets the picture. A reduction is over the
 * threads of one rank, and over the rows that this rank has drawn. */
static int draw(long size, int *image, struct part *part)
{
    double busy_s = 0;
    long rows = 0;

    int code = keel_mpi_share(MPI_COMM_WORLD); /* the next scheduled loop belongs to all ranks */
    if (code != KEEL_MPI_OK) {
        return code;
    }
#pragma omp parallel for schedule(runtime) reduction(+ : busy_s, rows)
    for (long row = 0; row < size; row++) {
        double start_s = omp_get_wtime();
        draw_row(row, size, &image[row * size]);
        busy_s += omp_get_wtime() - start_s;
        rows++;
    }
    *part = (struct part){busy_s, (double)rows, omp_get_max_threads()};
    /* rows come from wherever they were computed */
    return keel_mpi_gather(image, (size_t)size, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Percent imbalance: by how much the busiest rank lies over the mean, per thread. */
static void report(const struct part *part, int ranks, double time_s)
{
    double most_s = 0, sum_s = 0;

    for (int i = 0; i < ranks; i++) {
        double busy_s = part[i].busy_s / part[i].threads;
        most_s = busy_s > most_s ? busy_s : most_s;
        sum_s += busy_s;
    }
    for (int i = 0; i < ranks; i++) {
        double busy_s = part[i].busy_s / part[i].threads;
        printf("rank %d: %.0f rows, %.0f threads busy for %.4f s, %+.1f %% from the mean\n", i,
               part[i].rows, part[i].threads, busy_s, (busy_s / (sum_s / ranks) - 1) * 100);
    }
    printf("time %.4f s, imbalance %.1f %%\n", time_s, (most_s / (sum_s / ranks) - 1) * 100);
}

static int verify(long size, const int *image)
{
    int *row_alone = malloc((size_t)size * sizeof *row_alone);

    for (long row = 0; row_alone != NULL && row < size; row++) {
        draw_row(row, size, row_alone);
        if (memcmp(row_alone, &image[row * size], (size_t)size * sizeof *row_alone) != 0) {
            printf("row %ld differs from what one rank computes\n", row);
            free(row_alone);
            return 1;
        }
    }
    free(row_alone);
    puts("the picture is the one that rank 0 draws alone");
    return 0;
}

int main(int arguments, char **argument)
{
    long size = arguments > 1 ? atol(argument[1]) : 800;
    int level, rank, ranks, wrong = 0;
    struct part part, *parts;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *image = size > 0 ? calloc((size_t)size * (size_t)size, sizeof *image) : NULL;
    parts = calloc((size_t)ranks, sizeof *parts);
    if (image == NULL || parts == NULL) {
        fprintf(stderr, "rank %d: no memory for %ld x %ld points\n", rank, size, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    MPI_Barrier(MPI_COMM_WORLD);
    double start_s = MPI_Wtime();
    int code = draw(size, image, &part);
    double time_s = MPI_Wtime() - start_s;
    if (code != KEEL_MPI_OK) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }

    MPI_Gather(&part, 3, MPI_DOUBLE, parts, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        report(parts, ranks, time_s);
        wrong = verify(size, image);
    }
    free(parts);
    free(image);
    MPI_Finalize();
    return wrong;
}
