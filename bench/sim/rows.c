/* The programs of Siegell and Steenkiste (the experiments, PAPERS.md S15) on simulated machines,
 * some of whose time a competing load takes.
 *
 *   rows sor SIZE ITERATIONS FLOPS [TRACE]     red-black SOR: two half sweeps an iteration, a hook
 *                                              after each; rows of SIZE numbers and a halo of one.
 *                                              ITERATIONS 40x10: half sweeps of 10 strips of
 *                                              columns, with a hook after each strip
 *   rows mm SIZE STRIPS FLOPS [TRACE]          matrix multiplication: a strip of columns of the
 *                                              result, a hook; rows of both matrices move, the
 *                                              third one is everywhere
 *
 * FLOPS: operations for a point of SOR, or for a multiplication and addition. Messages are real, so
 * rows carry what they would; computing is simulated time. Prints a line of figures; TRACE: a file
 * that gets what each rank had at each hook. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"

struct program {
    bool exchanges;
    uint64_t size, phases, strips; /* strips: phases from one exchange of halos to the next */
    double flops;                  /* of a row in a phase */
    struct keel_mpi_rows *rows;
    double *array[2];
    int arrays;
    FILE *trace;
    double began_s;
};

/* Each row counts the phases that it has been through. */
static void compute(struct program *program)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(program->rows, &first, &last);
    keel_mpi_rows_work_begin(program->rows);
    for (uint64_t row = first; row < last; row++) {
        program->array[0][row * program->size] += 1;
    }
    if (last > first) {
        smpi_execute_flops((double)(last - first) * program->flops);
    }
    keel_mpi_rows_work_end(program->rows);
}

static bool went_through_all(const struct program *program)
{
    uint64_t first, last;
    int fine = 1, all;

    keel_mpi_rows_bounds(program->rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        fine = fine && program->array[0][row * program->size] == (double)program->phases;
    }
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static void note(const struct program *program, int rank)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};

    if (program->trace != NULL) {
        keel_mpi_rows_report(program->rows, &report);
        fprintf(program->trace, "%d,%.3f,%.0f,%.3f,%.3f\n", rank, MPI_Wtime() - program->began_s,
                report.work, report.rate, report.filtered_rate);
    }
}

static void run(struct program *program, int rank)
{
    uint64_t moved = 0;

    keel_mpi_rows_expect(program->rows, program->phases);
    program->began_s = MPI_Wtime();
    for (uint64_t phase = 0; phase < program->phases; phase++) {
        if (program->exchanges && (phase % program->strips == 0 || moved > 0)) {
            keel_mpi_rows_exchange(program->rows, NULL);
        }
        compute(program);
        keel_mpi_rows_balance(program->rows, &moved);
        note(program, rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void print(const struct program *program, const char *name, double time_s, bool fine)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t bytes = 0;
    double most[2], own[2];
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    keel_mpi_rows_report(program->rows, &report);
    own[0] = report.decision_s;
    own[1] = report.movement_s;
    MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&report.bytes_sent, &bytes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%s %d %lu %.6f %lu %lu %lu %lu %.4f %.4f %s\n", name, ranks,
               (unsigned long)program->size, time_s, (unsigned long)report.interactions,
               (unsigned long)report.movements, (unsigned long)report.rows_moved,
               (unsigned long)bytes, most[0], most[1], fine ? "once" : "WRONG");
    }
}

static bool read_program(struct program *program, int argc, char **argv)
{
    if (argc < 5) {
        return false;
    }
    bool is_sor = strcmp(argv[1], "sor") == 0;
    char *behind;
    double number = strtod(argv[3], &behind);
    program->strips = *behind == 'x' ? strtoull(behind + 1, NULL, 10) : 1;
    program->size = strtoull(argv[2], NULL, 10);
    program->exchanges = is_sor;
    program->phases = (uint64_t)(is_sor ? 2 * number : number) * program->strips;
    program->arrays = is_sor ? 1 : 2;
    program->flops = strtod(argv[4], NULL) * (double)program->size *
                     (is_sor ? 0.5 : (double)program->size / number) / (double)program->strips;
    return (is_sor || strcmp(argv[1], "mm") == 0) && program->phases > 0 && program->size > 0;
}

/* The trace of rank r: FILE.r */
static FILE *open_trace(const char *file, int rank)
{
    char name[512];

    snprintf(name, sizeof name, "%s.%d", file, rank);
    return fopen(name, "w");
}

int main(int argc, char **argv)
{
    struct program program = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_program(&program, argc, argv)) {
        fprintf(stderr, "usage: rows sor SIZE ITERATIONS FLOPS [TRACE]\n"
                        "       rows mm SIZE STRIPS FLOPS [TRACE]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    program.trace = argc > 5 ? open_trace(argv[5], rank) : NULL;
    keel_mpi_rows_create(MPI_COMM_WORLD, program.size, KEEL_MPI_ADJACENT, &program.rows);
    for (int i = 0; i < program.arrays; i++) {
        keel_mpi_rows_array(program.rows, sizeof(double), program.size, program.exchanges ? 1 : 0,
                            (void **)&program.array[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime();
    run(&program, rank);
    double time_s = MPI_Wtime() - began_s;
    bool fine = went_through_all(&program);
    print(&program, argv[1], time_s, fine);
    if (program.trace != NULL) {
        fclose(program.trace);
    }
    keel_mpi_rows_free(&program.rows);
    MPI_Finalize();
    return fine ? 0 : 1;
}
