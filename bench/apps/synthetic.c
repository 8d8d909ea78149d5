/* Tasks of known weight: the distributions that balancers are compared by (PAPERS.md R7,
 * R9).
 *
 *   mpirun -n 2 synthetic --weights step --told --any --size 512 --steps 50 --verify
 *
 * Each row is a task, which computes in every step, as long as its weight says:
 *
 *   linear-2  from 1 to 2, evenly
 *   linear-4  from 1 to 4
 *   step      25 % of the tasks twice as heavy as the others
 *   heavy     10 % of them
 *
 * Heavy ones come first, so that equal blocks are not level. --told: Keel is told the weights.
 * Tasks have numbers of their own, and the result is the serial one, bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"

#define NUMBERS 64 /* of a task */

/* `heavy` of the tasks weigh 2 and the others 1; or, if it is 0, weights go from `most` to 1. */
static const struct weights {
    const char *name;
    double most, heavy;
} all_weights[] = {{"linear-2", 2, 0}, {"linear-4", 4, 0}, {"step", 2, 0.25}, {"heavy", 2, 0.1}};

static const struct weights *weights_named(const struct app *app, const char *name)
{
    for (size_t i = 0; i < sizeof all_weights / sizeof *all_weights; i++) {
        if (strcmp(all_weights[i].name, name) == 0) {
            return &all_weights[i];
        }
    }
    app_refuse(app, "weights", name, "one of linear-2 linear-4 step heavy");
}

static double weight_of(const struct weights *weights, uint64_t task, uint64_t tasks)
{
    double place = tasks > 1 ? (double)task / (double)(tasks - 1) : 0;

    if (weights->heavy == 0) {
        return weights->most - (weights->most - 1) * place;
    }
    return (double)task < weights->heavy * (double)tasks ? weights->most : 1;
}

static void begin_task(const struct app *app, double *number, uint64_t task)
{
    for (uint64_t k = 0; k < NUMBERS; k++) {
        number[k] = app_uniform(app->seed, task * NUMBERS + k);
    }
}

/* Goes `rounds` times over all numbers of a task: the logistic map, mixed with the neighbour. */
static void compute(double *number, uint64_t rounds)
{
    for (uint64_t round = 0; round < rounds; round++) {
        for (int k = 0; k < NUMBERS; k++) {
            double x = 0.9 * number[k] + 0.1 * number[(k + 1) % NUMBERS];
            number[k] = 3.9 * x * (1 - x);
        }
    }
}

static uint64_t rounds_of(double weight, uint64_t grain)
{
    return (uint64_t)(weight * (double)grain + 0.5);
}

static bool same_as_serial(const struct app *app, const struct weights *weights, uint64_t grain,
                           const double *result)
{
    double number[NUMBERS];
    bool same = true;

    for (uint64_t task = 0; task < app->size && same; task++) {
        uint64_t rounds = rounds_of(weight_of(weights, task, app->size), grain);
        begin_task(app, number, task);
        compute(number, app->steps * rounds);
        same = memcmp(number, result + task * NUMBERS, sizeof number) == 0;
    }
    return same;
}

static bool verify(const struct app *app, struct keel_mpi_rows *rows, const struct weights *weights,
                   uint64_t grain, const double *number)
{
    double *result = app->rank == 0 ? app_room(app->size * NUMBERS, sizeof *result) : NULL;

    app_check(keel_mpi_rows_gather(rows, number, result, 0));
    bool same = app->rank != 0 || same_as_serial(app, weights, grain, result);
    free(result);
    return same;
}

/* Makes the own tasks, and says what they cost. */
static void begin_tasks(const struct app *app, struct keel_mpi_rows *rows,
                        const struct weights *weights, bool told, double *number)
{
    const uint64_t *row;
    uint64_t count;

    app_check(keel_mpi_rows_list(rows, &row, &count));
    for (uint64_t r = 0; r < count; r++) {
        double weight = weight_of(weights, row[r], app->size);
        begin_task(app, &number[row[r] * NUMBERS], row[r]);
        if (told) {
            app_check(keel_mpi_rows_weigh(rows, row[r], row[r] + 1, &weight));
        }
    }
}

int main(int arguments, char **argument)
{
    const char *name = "linear-2", *any = NULL, *told = NULL, *grain_text = "200";
    const struct app_option own[] = {
        {"weights", "NAME", "linear-2 linear-4 step heavy (default linear-2)", &name},
        {"grain", "N", "rounds that a task of weight 1 takes (default 200)", &grain_text},
        {"told", NULL, "Keel is told the weights", &told},
        {"any", NULL, "tasks go from any rank to any other, not to neighbours only", &any},
        {0}};
    struct app app = app_begin("synthetic", 512, 50, own, arguments, argument);
    const struct weights *weights = weights_named(&app, name);
    uint64_t n = app.size, grain = app_number(&app, "grain", grain_text, 1, 1000000000), count;
    struct keel_mpi_rows *rows;
    const uint64_t *row;
    double *number;

    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, n,
                                   any != NULL ? KEEL_MPI_ANY : KEEL_MPI_ADJACENT, &rows));
    app_check(keel_mpi_rows_array(rows, sizeof *number, NUMBERS, 0, (void **)&number));
    begin_tasks(&app, rows, weights, told != NULL, number);
    app_check(keel_mpi_rows_expect(rows, app.steps));

    app_start(&app);
    for (uint64_t step = 0; step < app.steps; step++) {
        app_check(keel_mpi_rows_list(rows, &row, &count));
#pragma omp parallel for schedule(runtime)
        for (uint64_t r = 0; r < count; r++) {
            compute(&number[row[r] * NUMBERS], rounds_of(weight_of(weights, row[r], n), grain));
        }
        app_check(keel_mpi_rows_balance(rows, NULL)); /* tasks may move here */
        app_note(&app, rows);
    }
    app_stop(&app, rows);

    bool same = !app.verify || verify(&app, rows, weights, grain, number);
    app_check(keel_mpi_rows_free(&rows));
    return app_end(&app, same);
}
