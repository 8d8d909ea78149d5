/* Rows whose costs differ along the array, on simulated machines: how soon rows are distributed so
 * that all ranks take as long, if the program says nothing about costs.
 *
 *   row_costs HOW SHAPE SEED ROWS PHASES
 *
 * HOW: `loops`: a loop over own rows, whose pieces are timed as libkeel.so does; `marks`: computing
 * is marked, but not the time of single rows; `weighed`: as marks, and the program weighs its rows.
 * SHAPE: even, step, ramp, peak, spots, rough, late (a step, and half-way through the job another
 * one), or drawn (one of these but `even`). Other parameters of a shape are drawn from SEED. A
 * phase takes 20 ms on average if rows are shared out by their costs.
 *
 * Prints a line: the parameters; the time, over the least possible one and over that of rows that
 * stay where they are at first; movements; whether each row was computed as often as necessary. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/support.h"
#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/lending/lending.h"

#define PHASE_S 0.02

struct job {
    const char *how, *shape;
    uint64_t seed, rows, phases;
    int rank, ranks;
    double *cost; /* of a row in a phase, operations; of all rows */
    struct keel_mpi_rows *own;
    double *count; /* array: phases of each row so far */
};

/* --- replacement of libkeel.so --- */

static struct keel_loop_counters counters;
static const struct keel_loop_timer *timer;

static const struct keel_loop_counters *count_loops(void)
{
    return &counters;
}

static void time_loops(const struct keel_loop_timer *wanted)
{
    timer = wanted;
}

static bool hand_message(const char *text)
{
    (void)text;
    return false;
}

const struct keel_lending *__wrap_keel_mpi_libkeel(void);
const struct keel_lending *__wrap_keel_mpi_libkeel(void)
{
    static const struct keel_lending libkeel = {
        .count_loops = count_loops, .time_loops = time_loops, .hand_message = hand_message};

    return &libkeel;
}

/* --- costs --- */

static double draw(struct job *job)
{
    return random_fraction(random_next(&job->seed));
}

static const char *const shapes[] = {"step", "ramp", "peak", "spots", "rough", "late"};

/* Multiplies costs of rows [from, to), parts of all, by a factor. */
static void multiply(struct job *job, double from, double to, double factor)
{
    for (uint64_t row = 0; row < job->rows; row++) {
        double place = ((double)row + 0.5) / (double)job->rows;
        job->cost[row] *= place >= from && place < to ? factor : 1;
    }
}

static void set_step(struct job *job)
{
    double place = 0.05 + 0.9 * draw(job), factor = 2 + 8 * draw(job);

    if (draw(job) < 0.5) {
        multiply(job, 0, place, factor);
    } else {
        multiply(job, place, 1, factor);
    }
}

static void set_smooth(struct job *job, bool peak)
{
    double factor = 2 + 8 * draw(job), middle = draw(job), width = 0.05 + 0.2 * draw(job);

    for (uint64_t row = 0; row < job->rows; row++) {
        double place = ((double)row + 0.5) / (double)job->rows, away = (place - middle) / width;
        job->cost[row] *= 1 + factor * (peak ? exp(-away * away) : place);
    }
}

static void set_spots(struct job *job)
{
    for (int spot = 0; spot < 3; spot++) {
        double from = draw(job), width = 0.01 + 0.03 * draw(job);
        multiply(job, from, from + width, 10 + 20 * draw(job));
    }
}

static void set_rough(struct job *job)
{
    for (uint64_t row = 0; row < job->rows; row++) {
        job->cost[row] *= 0.5 / (1.02 - draw(job)); /* a heavy tail */
    }
}

static void set_costs(struct job *job)
{
    double sum = 0;

    for (uint64_t row = 0; row < job->rows; row++) {
        job->cost[row] = 1;
    }
    if (strcmp(job->shape, "drawn") == 0) {
        job->shape = shapes[(int)(draw(job) * (double)(sizeof shapes / sizeof *shapes))];
    }
    if (strcmp(job->shape, "step") == 0 || strcmp(job->shape, "late") == 0) {
        set_step(job);
    } else if (strcmp(job->shape, "ramp") == 0 || strcmp(job->shape, "peak") == 0) {
        set_smooth(job, *job->shape == 'p');
    } else if (strcmp(job->shape, "spots") == 0) {
        set_spots(job);
    } else if (strcmp(job->shape, "rough") == 0) {
        set_rough(job);
    }
    for (uint64_t row = 0; row < job->rows; row++) {
        sum += job->cost[row];
    }
    for (uint64_t row = 0; row < job->rows; row++) {
        job->cost[row] *= PHASE_S * 1e9 * job->ranks / sum;
    }
}

static double cost_of(const struct job *job, uint64_t first, uint64_t last)
{
    double sum = 0;

    for (uint64_t row = first; row < last; row++) {
        sum += job->cost[row];
    }
    return sum;
}

/* --- a phase --- */

static void compute(const struct job *job, uint64_t first, uint64_t last)
{
    double flops = cost_of(job, first, last);

    if (flops > 0) {
        smpi_execute_flops(flops);
    }
    for (uint64_t row = first; row < last; row++) {
        job->count[row]++;
    }
}

/* Like a team of one thread that runs a loop over own rows under a schedule with one chunk. */
static void loop(const struct job *job, uint64_t first, uint64_t last)
{
    const struct keel_timed_loop timed = {first, 1, last - first, 1};
    struct keel_timed_thread thread;
    double began_s = MPI_Wtime();
    bool wanted = last > first && timer != NULL && timer->begin(&timed, &thread);

    for (uint64_t from = first, to; from < last; from = to) {
        to = wanted && last - from > thread.piece ? from + thread.piece : last;
        double piece_s = MPI_Wtime();
        compute(job, from, to);
        if (wanted) {
            timer->took(&thread, from - first, to - first, 1e9 * (MPI_Wtime() - piece_s));
        }
    }
    counters.loops++;
    counters.busy_ns += (uint64_t)(1e9 * (MPI_Wtime() - began_s));
}

static void phase(struct job *job)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(job->own, &first, &last);
    if (strcmp(job->how, "loops") == 0) {
        loop(job, first, last);
    } else {
        keel_mpi_rows_work_begin(job->own);
        compute(job, first, last);
        keel_mpi_rows_work_end(job->own);
    }
    if (strcmp(job->how, "weighed") == 0 && last > first) {
        keel_mpi_rows_weigh(job->own, first, last, &job->cost[first]);
    }
    keel_mpi_rows_balance(job->own, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* --- the job --- */

/* Time of all phases so far if all ranks took as long, and if rows stayed; s. */
struct yardstick {
    double least_s, staying_s;
};

#define TRIAL 1e6 /* operations */

static double own_speed(void)
{
    double began_s = MPI_Wtime();

    smpi_execute_flops(TRIAL);
    return TRIAL / (MPI_Wtime() - began_s);
}

/* Speeds of all ranks, operations per s. */
static double *speeds_of(const struct job *job)
{
    double *speed = malloc((size_t)job->ranks * sizeof *speed), own = own_speed();

    MPI_Allgather(&own, 1, MPI_DOUBLE, speed, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    return speed;
}

static struct yardstick yardstick_of(const struct job *job, const double *speed)
{
    struct yardstick stick = {0};
    double speeds = 0;
    uint64_t ranks = (uint64_t)job->ranks, first = 0;

    for (uint64_t r = 0; r < ranks; r++) {
        uint64_t last = first + job->rows / ranks + (r < job->rows % ranks);
        stick.staying_s = fmax(stick.staying_s, cost_of(job, first, last) / speed[r]);
        speeds += speed[r];
        first = last;
    }
    stick.least_s = cost_of(job, 0, job->rows) / speeds;
    return stick;
}

static bool went_through_all(const struct job *job)
{
    uint64_t first, last;
    int fine = 1, all;

    keel_mpi_rows_bounds(job->own, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        fine = fine && job->count[row] == (double)job->phases;
    }
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static bool run(struct job *job)
{
    double *speed = speeds_of(job), began_s = MPI_Wtime();
    struct yardstick all = {0}, stick = yardstick_of(job, speed);
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};

    for (uint64_t p = 0; p < job->phases; p++) {
        if (p == job->phases / 2 && strcmp(job->shape, "late") == 0) {
            set_step(job);
            stick = yardstick_of(job, speed);
        }
        phase(job);
        all.least_s += stick.least_s;
        all.staying_s += stick.staying_s;
    }
    double time_s = MPI_Wtime() - began_s;
    keel_mpi_rows_report(job->own, &report);
    bool fine = went_through_all(job);
    if (job->rank == 0) {
        printf("%s %s %d %lu %lu %.3f %.3f %lu %s\n", job->how, job->shape, job->ranks,
               (unsigned long)job->rows, (unsigned long)job->phases, time_s / all.least_s,
               time_s / all.staying_s, (unsigned long)report.movements, fine ? "once" : "WRONG");
    }
    free(speed);
    return fine;
}

int main(int argc, char **argv)
{
    struct job job = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (argc < 6) {
        fprintf(stderr, "usage: row_costs loops|marks|weighed SHAPE SEED ROWS PHASES\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    job.how = argv[1];
    job.shape = argv[2];
    job.seed = strtoull(argv[3], NULL, 10);
    job.rows = strtoull(argv[4], NULL, 10);
    job.phases = strtoull(argv[5], NULL, 10);
    job.cost = malloc(job.rows * sizeof *job.cost);
    set_costs(&job);
    keel_mpi_rows_create(MPI_COMM_WORLD, job.rows, KEEL_MPI_ADJACENT, &job.own);
    keel_mpi_rows_array(job.own, sizeof(double), 1, 0, (void **)&job.count);
    MPI_Barrier(MPI_COMM_WORLD);
    bool fine = run(&job);
    free(job.cost);
    keel_mpi_rows_free(&job.own);
    MPI_Finalize();
    return fine ? 0 : 1;
}
