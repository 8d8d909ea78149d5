/* Pipelined sweeps of real ranks: whatever the blocks, the halo and the places of rows, elements
 * are what one process would have computed. `pipeline CHECK`, under mpirun; says what is wrong. */
#include "tests/mpi_backend/rows/sweep/sweeps.h"

/* Returns how many blocks this rank had. */
static uint64_t sweep_once(const struct world *world, const struct shape *shape, int direction)
{
    uint64_t first, last, from, to, blocks = 0, length = 0;

    is_ok(keel_mpi_rows_bounds(world->rows, &first, &last), "bounds");
    is_ok(keel_mpi_pipeline_begin(world->pipeline, direction), "begin");
    while (keel_mpi_pipeline_next(world->pipeline, &from, &to)) {
        CHECK(from < to && to <= shape->length, "a block from %lu to %lu", from, to);
        CHECK(from ==
                  (direction == KEEL_MPI_FORWARD ? length : shape->length - length - (to - from)),
              "a block from %lu after %lu elements", from, length);
        CHECK(shape->block == 0 || to - from <= shape->block, "a block of %lu", to - from);
        update_block(world->u, shape, direction, first, last, from, to);
        length += to - from;
        blocks++;
    }
    CHECK(length == (first < last ? shape->length : 0), "%lu of %lu elements", length,
          shape->length);
    is_ok(keel_mpi_pipeline_end(world->pipeline), "end");
    return blocks;
}

static void check_report(const struct world *world, const struct shape *shape, uint64_t blocks)
{
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t first, last, size = shape->block < shape->length ? shape->block : shape->length;

    is_ok(keel_mpi_pipeline_report(world->pipeline, &report), "report");
    keel_mpi_rows_bounds(world->rows, &first, &last);
    CHECK(report.sweeps == (uint64_t)shape->sweeps && report.blocks == blocks,
          "%lu sweeps of %lu blocks", report.sweeps, report.blocks);
    if (first < last && shape->sweeps > 0 && shape->block > 0) {
        CHECK(report.block == size && blocks == (shape->length + size - 1) / size,
              "%lu blocks of %lu", report.blocks, report.block);
    }
    CHECK(report.busy_s >= 0 && report.waiting_s >= 0 && (first == last || report.element_s >= 0),
          "times below 0");
}

static void check_shape(const struct shape *shape)
{
    struct world world = begin_world(shape);
    uint64_t blocks = 0;

    name_shape(shape);
    for (int sweep = 0; sweep < shape->sweeps; sweep++) {
        if (shape->moves && draws_below(&same, 2) == 0) {
            move_rows(&world, shape);
        }
        blocks = sweep_once(&world, shape, direction_of(shape, sweep));
    }
    compare(&world, shape);
    check_report(&world, shape, blocks);
    end_world(&world);
}

/* --- checks --- */

/* Every number of rows and length of a row, with the rest drawn. */
static void check_shapes(void)
{
    static const uint64_t rows[] = {0, 1, 2, 7, 50}, lengths[] = {1, 2, 13, 64};
    static const uint64_t halos[] = {1, 1, 1, 2, 5, 60};

    for (int i = 0; i < 5 * 4 * 4; i++) {
        struct shape shape = {
            .rows = rows[i / 4 % 5],
            .length = lengths[i % 4],
            .halo = halos[draws_below(&same, 6)],
            .pattern = (enum pattern)draws_below(&same, PATTERNS),
            .sweeps = (int)draws_below(&same, 7),
            .moves = draws_below(&same, 2) == 0,
        };
        uint64_t blocks[] = {1, 3, shape.length, shape.length + 5, 0};
        shape.block = blocks[draws_below(&same, 5)];
        check_shape(&shape);
    }
}

/* Chosen blocks, for as many sweeps as it takes to choose them anew several times. */
static void check_choices(void)
{
    for (int i = 0; i < PATTERNS; i++) {
        struct shape shape = {.rows = 50,
                              .length = 200,
                              .halo = 1 + draws_below(&same, 3),
                              .pattern = (enum pattern)i,
                              .sweeps = 40};
        check_shape(&shape);
        shape.moves = true;
        check_shape(&shape);
    }
}

/* More elements than MPI sends at once, so that messages wait for their receivers. */
static void check_long_rows(void)
{
    for (int i = 0; i < PATTERNS; i++) {
        struct shape shape = {.rows = 9, .length = 20000, .halo = 2, .block = 9000, .sweeps = 3};
        shape.pattern = (enum pattern)i;
        check_shape(&shape);
        shape.block = 0;
        shape.moves = true;
        check_shape(&shape);
    }
}

/* Of two pipelines over one distribution, a block of either in turn. */
static void check_two_at_once(void)
{
    struct shape shape = {.rows = 20, .length = 30, .halo = 1, .block = 4, .sweeps = 1};
    struct world world = begin_world(&shape);
    struct cell *other = NULL;
    struct keel_mpi_pipeline *second = NULL;
    uint64_t first, last, from, to;

    is_ok(keel_mpi_rows_array(world.rows, sizeof *other, shape.length, 1, (void **)&other),
          "array");
    is_ok(keel_mpi_pipeline_create(world.rows, other, 4, &second), "second");
    keel_mpi_rows_bounds(world.rows, &first, &last);
    for (uint64_t i = first * shape.length; i < last * shape.length; i++) {
        other[i] = first_value(i / shape.length, i % shape.length);
    }
    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), "begin");
    is_ok(keel_mpi_pipeline_begin(second, KEEL_MPI_FORWARD), "begin the second");
    while (keel_mpi_pipeline_next(world.pipeline, &from, &to)) {
        update_block(world.u, &shape, KEEL_MPI_FORWARD, first, last, from, to);
        CHECK(keel_mpi_pipeline_next(second, &from, &to) == 1, "the second has a block");
        update_block(other, &shape, KEEL_MPI_FORWARD, first, last, from, to);
    }
    is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    is_ok(keel_mpi_pipeline_end(second), "end the second");
    compare(&world, &shape);
    world.u = other;
    compare(&world, &shape);
    is_ok(keel_mpi_pipeline_free(&second), "free the second");
    end_world(&world);
}

/* A sweep that all ranks end after some blocks: the rest is as before, also in halos. */
static void check_ended_early(void)
{
    struct shape shape = {.rows = 20, .length = 30, .halo = 2, .block = 4, .sweeps = 1};
    struct cell *wanted = serial(&(struct shape){.rows = 20, .length = 30});
    struct world world = begin_world(&shape);
    uint64_t first, last, from, to;

    keel_mpi_rows_bounds(world.rows, &first, &last);
    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_BACKWARD), "begin");
    for (int i = 0; i < 2 && keel_mpi_pipeline_next(world.pipeline, &from, &to); i++) {
        update_block(world.u, &shape, KEEL_MPI_BACKWARD, first, last, from, to);
    }
    is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    update_block(wanted, &shape, KEEL_MPI_BACKWARD, 0, 20, 22, 30);
    uint64_t low = first < last && first > 2 ? first - 2 : first, high = last < 18 ? last + 2 : 20;
    for (uint64_t i = low; i < (first < last ? high : first); i++) {
        bool is_old = i < first; /* the rows behind come as they were */
        CHECK(is_old || memcmp(&world.u[i * 30], &wanted[i * 30], 30 * sizeof *wanted) == 0,
              "row %lu after a sweep that ended early", i);
    }
    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), "begin");
    end_world(&world); /* ends it */
    free(wanted);
}

/* Computing counts for the hook, waiting does not. */
static void check_busy_time(void)
{
    struct shape shape = {.rows = 40, .length = 50, .halo = 1, .block = 10, .sweeps = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t first, last;

    keel_mpi_rows_bounds(world.rows, &first, &last);
    for (int i = 0; i < 2; i++) {
        sweep_once(&world, &shape, KEEL_MPI_FORWARD);
        is_ok(keel_mpi_rows_balance(world.rows, NULL), "balance");
    }
    is_ok(keel_mpi_pipeline_report(world.pipeline, &report), "report");
    CHECK((report.busy_s > 0) == (first < last), "busy for %g s", report.busy_s);
    CHECK(ranks == 1 || report.fixed_s > 0, "messages take %g s", report.fixed_s);
    end_world(&world);
}

/* --- errors --- */

static void check_error(int code, int wanted, const char *what)
{
    CHECK(code == wanted, "%s: %d, wanted %d", what, code, wanted);
}

/* What one rank finds wrong, all ranks return. */
static void check_creation_errors(void)
{
    struct keel_mpi_rows *rows, *scattered;
    struct keel_mpi_pipeline *pipeline = (struct keel_mpi_pipeline *)&rows;
    int *flat, *deep, *anywhere;

    is_ok(keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows), "create");
    is_ok(keel_mpi_rows_array(rows, sizeof *flat, 4, 0, (void **)&flat), "array");
    is_ok(keel_mpi_rows_array(rows, sizeof *deep, 4, 1, (void **)&deep), "array");
    is_ok(keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ANY, &scattered), "create");
    is_ok(keel_mpi_rows_array(scattered, sizeof *anywhere, 4, 1, (void **)&anywhere), "array");

    check_error(keel_mpi_pipeline_create(NULL, deep, 1, &pipeline), KEEL_MPI_ARGUMENT, "no rows");
    CHECK(pipeline == NULL, "a pipeline without rows");
    check_error(keel_mpi_pipeline_create(rows, deep, 1, NULL), KEEL_MPI_ARGUMENT, "no place");
    check_error(keel_mpi_pipeline_create(rows, NULL, 1, &pipeline), KEEL_MPI_ARGUMENT, "no array");
    check_error(keel_mpi_pipeline_create(rows, flat, 1, &pipeline), KEEL_MPI_ARGUMENT, "no halo");
    check_error(keel_mpi_pipeline_create(scattered, anywhere, 1, &pipeline), KEEL_MPI_ARGUMENT,
                "rows anywhere");
    if (ranks > 1) {
        check_error(keel_mpi_pipeline_create(rows, rank == 1 ? flat : deep, 1, &pipeline),
                    KEEL_MPI_ARGUMENT, "no halo on rank 1");
        check_error(keel_mpi_pipeline_create(rows, deep, rank == 1 ? 2 : 1, &pipeline),
                    KEEL_MPI_MISMATCH, "different blocks");
    }
    CHECK(pipeline == NULL, "a pipeline that can't be");
    is_ok(keel_mpi_rows_free(&scattered), "rows free");
    is_ok(keel_mpi_rows_free(&rows), "rows free");
}

static void check_call_errors(void)
{
    struct shape shape = {.rows = 10, .length = 4, .halo = 1, .block = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    struct keel_mpi_pipeline *none = NULL;
    uint64_t from = 77, to = 78;

    check_error(keel_mpi_pipeline_begin(NULL, KEEL_MPI_FORWARD), KEEL_MPI_ARGUMENT,
                "begin nothing");
    check_error(keel_mpi_pipeline_next(NULL, &from, &to), 0, "next of nothing");
    check_error(keel_mpi_pipeline_end(NULL), KEEL_MPI_ARGUMENT, "end nothing");
    check_error(keel_mpi_pipeline_report(NULL, &report), KEEL_MPI_ARGUMENT, "report on nothing");
    check_error(keel_mpi_pipeline_free(NULL), KEEL_MPI_ARGUMENT, "free no place");
    check_error(keel_mpi_pipeline_free(&none), KEEL_MPI_ARGUMENT, "free nothing");
    check_error(keel_mpi_pipeline_next(world.pipeline, &from, &to), 0, "next without begin");
    CHECK(from == 77 && to == 78, "a block without a sweep");
    check_error(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_ARGUMENT, "end without begin");
    check_error(keel_mpi_pipeline_begin(world.pipeline, 2), KEEL_MPI_ARGUMENT, "no direction");
    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), "begin");
    check_error(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_BUSY, "twice");
    is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    check_error(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_ARGUMENT, "end twice");
    end_world(&world);
}

/* KEEL_MPI_BLOCK is 5, the argument 2. */
static void check_environment(void)
{
    struct shape shape = {.rows = 10, .length = 12, .halo = 1, .block = 2, .sweeps = 1};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t from, to;

    is_ok(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), "begin");
    if (keel_mpi_pipeline_next(world.pipeline, &from, &to)) {
        CHECK(from == 0 && to == 5, "a block from %lu to %lu", from, to);
    }
    is_ok(keel_mpi_pipeline_end(world.pipeline), "end");
    is_ok(keel_mpi_pipeline_report(world.pipeline, &report), "report");
    CHECK(report.block == 5 && report.blocks == 3, "%lu blocks", report.blocks);
    end_world(&world);
}

static const struct sweeps_check checks[] = {
    {"shapes", check_shapes},
    {"choices", check_choices},
    {"long_rows", check_long_rows},
    {"two_at_once", check_two_at_once},
    {"ended_early", check_ended_early},
    {"busy_time", check_busy_time},
    {"creation_errors", check_creation_errors},
    {"call_errors", check_call_errors},
    {"environment", check_environment},
};

int main(int argc, char **argv)
{
    return sweeps_main(checks, sizeof checks / sizeof checks[0], argc, argv);
}
