/* Rows that move among many simulated ranks of different speed.
 *
 *   many_rows adjacent|any ROWS_PER_RANK ROW_BYTES FLOPS PHASES
 *
 * FLOPS: of a row in a phase; adjacent blocks exchange rows before each; a hook comes after it.
 * Prints a line: ranks, time over the ideal in all and of the last quarter of the phases, exchanges
 * of figures, movements, rows moved over all rows, what exchanging and deciding took each time and
 * moving in all, the most of any rank (s of simulated time), whether each row was computed in each
 * phase. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"

struct program {
    bool adjacent;
    uint64_t rows_of_all, phases;
    size_t numbers; /* of a row */
    double flops;
    struct keel_mpi_rows *rows;
    double *array;
};

static double all_of(double mine, MPI_Op operation)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
    return all;
}

/* Operations per second of the host. */
static double host_speed(void)
{
    const double work = 1e6;
    double began_s = MPI_Wtime();

    smpi_execute_flops(work);
    return work / (MPI_Wtime() - began_s);
}

/* Each row counts the phases that it has been through. */
static void compute(struct program *program)
{
    const uint64_t *row;
    uint64_t count;

    keel_mpi_rows_list(program->rows, &row, &count);
    keel_mpi_rows_work_begin(program->rows);
    for (uint64_t i = 0; i < count; i++) {
        program->array[row[i] * program->numbers] += 1;
    }
    if (count > 0) {
        smpi_execute_flops((double)count * program->flops);
    }
    keel_mpi_rows_work_end(program->rows);
}

static bool went_through_all(const struct program *program)
{
    const uint64_t *row;
    uint64_t count;
    double fine = 1;

    keel_mpi_rows_list(program->rows, &row, &count);
    for (uint64_t i = 0; i < count; i++) {
        if (program->array[row[i] * program->numbers] != (double)program->phases) {
            fine = 0;
        }
    }
    return all_of(fine, MPI_MIN) == 1;
}

/* Phases [from, to), and the time until all have ended them. */
static double run(struct program *program, uint64_t from, uint64_t to)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime();
    for (uint64_t phase = from; phase < to; phase++) {
        if (program->adjacent) {
            keel_mpi_rows_exchange(program->rows, NULL);
        }
        compute(program);
        keel_mpi_rows_balance(program->rows, NULL);
    }
    return all_of(MPI_Wtime() - began_s, MPI_MAX);
}

static void print(const struct program *program, double early_s, double late_s, double ideal_s)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t late = program->phases / 4;
    int ranks, rank;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keel_mpi_rows_report(program->rows, &report);
    double each_s = report.interactions > 0 ? report.decision_s / (double)report.interactions : 0;
    double most_s = all_of(each_s, MPI_MAX), moving_s = all_of(report.movement_s, MPI_MAX);
    bool fine = went_through_all(program);
    if (rank == 0) {
        printf("%d %.4f %.4f %lu %lu %.4f %.6f %.6f %s\n", ranks,
               (early_s + late_s) / (ideal_s * (double)program->phases),
               late_s / (ideal_s * (double)late), (unsigned long)report.interactions,
               (unsigned long)report.movements,
               (double)report.rows_moved / (double)program->rows_of_all, most_s, moving_s,
               fine ? "once" : "WRONG");
    }
}

int main(int argc, char **argv)
{
    struct program program = {0};
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 6) {
        fprintf(stderr, "usage: many_rows adjacent|any ROWS_PER_RANK ROW_BYTES FLOPS PHASES\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    program.rows_of_all = strtoull(argv[2], NULL, 10) * (uint64_t)ranks;
    program.numbers = strtoull(argv[3], NULL, 10) / sizeof(double);
    program.flops = strtod(argv[4], NULL);
    program.phases = strtoull(argv[5], NULL, 10);
    program.adjacent = strcmp(argv[1], "any") != 0;
    double ideal_s = (double)program.rows_of_all * program.flops / all_of(host_speed(), MPI_SUM);
    keel_mpi_rows_create(MPI_COMM_WORLD, program.rows_of_all,
                         program.adjacent ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY, &program.rows);
    keel_mpi_rows_array(program.rows, sizeof(double), program.numbers, program.adjacent ? 1 : 0,
                        (void **)&program.array);
    keel_mpi_rows_expect(program.rows, program.phases);
    uint64_t late = program.phases / 4;
    double early_s = run(&program, 0, program.phases - late);
    double late_s = run(&program, program.phases - late, program.phases);
    print(&program, early_s, late_s, ideal_s);
    keel_mpi_rows_free(&program.rows);
    MPI_Finalize();
    return 0;
}
