/* Rows that move within pipelined sweeps of real ranks: elements are what one process would have
 * computed, and rows have all that belongs to them. `pipeline_moving CHECK`, under mpirun; says
 * what is wrong. */
#include <time.h>

#include "tests/mpi_backend/rows/sweep/sweeps.h"

/* --- items: a row's is a number that stands in memory of its own --- */

static uint64_t *item[1000]; /* of each row that is here */

static size_t item_size(void *context, uint64_t row)
{
    (void)context;
    return item[row] != NULL ? sizeof *item[row] : 0;
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    (void)context;
    memcpy(buffer, item[row], sizeof *item[row]);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    (void)context;
    item[row] = malloc(sizeof *item[row]);
    memcpy(item[row], buffer, size);
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
    (void)context;
    free(item[row]);
    item[row] = NULL;
}

static const struct keel_mpi_rows_items item_calls = {
    .struct_size = sizeof item_calls,
    .size = item_size,
    .pack = item_pack,
    .unpack = item_unpack,
    .drop = item_drop,
};

/* What moves with rows beside what is swept: another array, items, weights. */
static void add_company(struct world *world, const struct shape *shape)
{
    uint64_t first, last;
    double weight;

    is_ok(keel_mpi_rows_array(world->rows, sizeof *world->swept, shape->length, 0,
                              (void **)&world->swept),
          "array");
    is_ok(keel_mpi_rows_bounds(world->rows, &first, &last), "bounds");
    if (shape->has_items) {
        is_ok(keel_mpi_rows_items(world->rows, &item_calls), "items");
    }
    for (uint64_t i = first; i < last; i++) {
        if (shape->has_items) {
            item_unpack(NULL, i, &i, sizeof i);
        }
        weight = (double)(i % 5);
        if (shape->weighs) {
            is_ok(keel_mpi_rows_weigh(world->rows, i, i + 1, &weight), "weigh");
        }
    }
}

static void check_company(const struct world *world, const struct shape *shape)
{
    uint64_t first, last;

    is_ok(keel_mpi_rows_bounds(world->rows, &first, &last), "bounds");
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < shape->length; j++) {
            CHECK(world->swept[i * shape->length + j] == (uint64_t)shape->sweeps,
                  "element %lu of row %lu was swept %lu times", j, i,
                  world->swept[i * shape->length + j]);
        }
        CHECK(!shape->has_items || (item[i] != NULL && *item[i] == i), "the item of row %lu", i);
    }
    for (uint64_t i = 0; i < shape->rows; i++) {
        CHECK(item[i] == NULL || (i >= first && i < last), "an item of row %lu", i);
        item_drop(NULL, i);
    }
}

/* --- sweeps --- */

static void sleep_us(double time_us)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(time_us * 1e3)}, NULL);
}

/* A sweep in which rows may move. */
static void sweep_with_hooks(const struct world *world, const struct shape *shape, int direction)
{
    uint64_t first, last, from, to, own_first, own_last;

    is_ok(keel_mpi_pipeline_begin(world->pipeline, direction), "begin");
    while (keel_mpi_pipeline_next_rows(world->pipeline, &first, &last, &from, &to)) {
        is_ok(keel_mpi_rows_bounds(world->rows, &own_first, &own_last), "bounds");
        CHECK(own_first <= first && first < last && last <= own_last,
              "rows %lu to %lu of %lu to %lu", first, last, own_first, own_last);
        CHECK(from < to && to <= shape->length, "a block from %lu to %lu", from, to);
        update_block(world->u, shape, direction, first, last, from, to);
        sleep_us((double)((last - first) * (to - from)) * shape->element_us);
        for (uint64_t i = first; i < last; i++) {
            for (uint64_t j = from; j < to; j++) {
                world->swept[i * shape->length + j]++;
            }
        }
    }
    is_ok(keel_mpi_pipeline_end(world->pipeline), "end");
}

/* --- checks --- */

/* Rows move within sweeps, as KEEL_MPI_BALANCE=shake says: at each hook, to anywhere. */
static void check_moving(void)
{
    static const uint64_t rows[] = {0, 1, 5, 24, 50, 300}, lengths[] = {1, 2, 13, 64, 200};
    static const uint64_t halos[] = {1, 1, 2, 5, 60}, hooks[] = {1, 2, 3, 5, 10, 30};
    char policy[64];

    for (int i = 0; i < 6 * 5; i++) {
        struct shape shape = {
            .rows = rows[i % 6],
            .length = lengths[i / 6 % 5],
            .halo = halos[draws_below(&same, 5)],
            .pattern = (enum pattern)draws_below(&same, PATTERNS),
            .sweeps = (int)draws_below(&same, 7),
            .hooks = hooks[draws_below(&same, 6)],
            .moves = draws_below(&same, 4) == 0,
            .has_items = draws_below(&same, 3) == 0,
            .weighs = draws_below(&same, 3) == 0,
        };
        uint64_t blocks[] = {1, 3, shape.length, shape.length + 5, 0};
        shape.block = blocks[draws_below(&same, 5)];
        struct world world = begin_world(&shape);
        snprintf(policy, sizeof policy, "shake:seed=%lu", draws_below(&same, 1000));
        is_ok(keel_mpi_rows_set_balance(world.rows, policy), "policy");
        name_shape(&shape);
        add_company(&world, &shape);
        for (int sweep = 0; sweep < shape.sweeps; sweep++) {
            if (shape.moves && draws_below(&same, 2) == 0) {
                move_rows(&world, &shape);
            }
            sweep_with_hooks(&world, &shape, direction_of(&shape, sweep));
        }
        compare(&world, &shape);
        check_company(&world, &shape);
        end_world(&world);
    }
}

/* Ranks of changing speeds, balanced: ranks are some hooks apart where figures are sent. */
static void check_balanced(void)
{
    for (int i = 0; i < PATTERNS; i++) {
        struct shape shape = {.rows = 60 + draws_below(&same, 200),
                              .length = 60,
                              .halo = 1 + draws_below(&same, 3),
                              .block = 1 + draws_below(&same, 4),
                              .pattern = (enum pattern)i,
                              .sweeps = 24,
                              .hooks = 6 + draws_below(&same, 10),
                              .weighs = i == 2};
        struct keel_mpi_rows_report report = {.struct_size = sizeof report};
        struct world world = begin_world(&shape);
        is_ok(keel_mpi_rows_set_balance(
                  world.rows, "rate:period=0.004,quantum=0.2,gain=0,filter=no,greatly=inf"),
              "policy");
        name_shape(&shape);
        add_company(&world, &shape);
        for (int sweep = 0; sweep < shape.sweeps; sweep++) {
            uint64_t slow = draws_below(&same, (uint64_t)ranks);
            shape.element_us = (uint64_t)rank == slow ? 4 : 1;
            sweep_with_hooks(&world, &shape, direction_of(&shape, sweep));
        }
        keel_mpi_rows_report(world.rows, &report);
        CHECK(ranks == 1 || report.rows_moved > 0, "%lu rows have moved", report.rows_moved);
        compare(&world, &shape);
        check_company(&world, &shape);
        end_world(&world);
    }
}

/* Calls that do not go together with rows that move within sweeps. */
static void check_call_errors(void)
{
    struct shape shape = {.rows = 10, .length = 4, .halo = 1, .block = 2, .hooks = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline *other = NULL;
    uint64_t from = 77, to = 78;

    is_ok(keel_mpi_pipeline_create(world.rows, world.u, 1, &other), "other");
    CHECK(keel_mpi_pipeline_hooks(NULL, 1) == KEEL_MPI_ARGUMENT, "hooks of nothing");
    CHECK(keel_mpi_pipeline_hooks(world.pipeline, 1000001) == KEEL_MPI_ARGUMENT, "too many hooks");
    CHECK(keel_mpi_pipeline_next_rows(world.pipeline, &from, &to, &from, &to) == 0 && from == 77,
          "rows without a sweep");
    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), "begin");
    CHECK(keel_mpi_pipeline_hooks(world.pipeline, 1) == KEEL_MPI_BUSY, "hooks within a sweep");
    CHECK(keel_mpi_pipeline_next(world.pipeline, &from, &to) == 0 && from == 77,
          "elements where rows may move");
    CHECK(keel_mpi_pipeline_begin(other, KEEL_MPI_FORWARD) == KEEL_MPI_BUSY, "another sweep");
    is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    is_ok(keel_mpi_pipeline_begin(other, KEEL_MPI_FORWARD), "begin the other");
    CHECK(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD) == KEEL_MPI_BUSY,
          "rows that may move in another sweep");
    is_ok(keel_mpi_pipeline_end(other), "end the other");
    is_ok(keel_mpi_pipeline_free(&other), "free the other");
    end_world(&world);
}

/* A sweep that ends after some blocks makes all its hooks, and rows move on. */
static void check_ended_early(void)
{
    struct shape shape = {.rows = 40, .length = 30, .halo = 1, .block = 2, .hooks = 5};
    struct world world = begin_world(&shape);
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t first, last, from, to;

    is_ok(keel_mpi_rows_set_balance(world.rows, "shake"), "policy");
    for (int sweep = 0; sweep < 8; sweep++) {
        is_ok(keel_mpi_pipeline_begin(world.pipeline, sweep % 2), "begin");
        for (int i = 0;
             i < sweep && keel_mpi_pipeline_next_rows(world.pipeline, &first, &last, &from, &to);
             i++) {
        }
        is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    }
    keel_mpi_rows_report(world.rows, &report);
    CHECK(report.hooks == 40, "%lu hooks", report.hooks);
    CHECK(ranks == 1 || report.rows_moved > 0, "%lu rows have moved", report.rows_moved);
    compare(&world, &shape); /* nothing was computed */
    end_world(&world);
}

static const struct sweeps_check checks[] = {
    {"moving", check_moving},
    {"balanced", check_balanced},
    {"call_errors", check_call_errors},
    {"ended_early", check_ended_early},
};

int main(int argc, char **argv)
{
    return sweeps_main(checks, sizeof checks / sizeof checks[0], argc, argv);
}
