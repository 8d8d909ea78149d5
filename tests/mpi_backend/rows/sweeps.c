/* Pipelined sweeps of real ranks: whatever the blocks, the halo and the placement of rows, also if
 * rows move within them, elements are those that one process would have computed, and rows have all
 * their data. `sweeps CHECK...`, under mpirun; prints errors. */
#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"

/* An element whose size is not a power of 2. */
struct cell {
    uint32_t a, b, c;
};

enum pattern { FORWARD, BACKWARD, ALTERNATING, PATTERNS };

struct shape {
    uint64_t rows, length, halo, block;
    enum pattern pattern;
    int sweeps;
    bool moves;        /* rows, between sweeps */
    uint64_t calls;    /* balance calls within each sweep; 0: none */
    bool has_company;  /* another array, items, weights: other data that moves with rows */
    double element_us; /* for which this rank sleeps per element of a row, besides computing it */
};

static int direction_of(const struct shape *shape, int sweep)
{
    bool backward = shape->pattern == BACKWARD || (shape->pattern == ALTERNATING && sweep % 2 == 1);

    return backward ? KEEL_MPI_BACKWARD : KEEL_MPI_FORWARD;
}

static struct cell first_value(uint64_t row, uint64_t element)
{
    uint32_t x = (uint32_t)(row * 1000003 + element * 7919 + 17);

    return (struct cell){x, x * 2654435761u, ~x};
}

/* --- computing --- */

static uint32_t mix(uint32_t x, uint32_t y)
{
    return (x ^ y) * 2654435761u + (x >> 15);
}

/* Depends on all inputs of a sweep: rows as deep as the halo on either side, and the elements of
 * the row on either side. */
static void update(struct cell *u, const struct shape *shape, uint64_t i, uint64_t j)
{
    struct cell *here = &u[i * shape->length + j];

    for (uint64_t d = 1; d <= shape->halo; d++) {
        if (d <= i) {
            here->a = mix(here->a, here[-(int64_t)(d * shape->length)].b);
        }
        if (i + d < shape->rows) {
            here->b = mix(here->b, here[d * shape->length].c);
        }
    }
    if (j > 0) {
        here->c = mix(here->c, here[-1].a);
    }
    if (j + 1 < shape->length) {
        here->a = mix(here->a, here[1].c);
    }
    here->b += here->a;
}

/* Own rows [first, last), elements [from, to), in the order of the sweep. */
static void update_block(struct cell *u, const struct shape *shape, int direction, uint64_t first,
                         uint64_t last, uint64_t from, uint64_t to)
{
    for (uint64_t i = 0; i < last - first; i++) {
        for (uint64_t j = 0; j < to - from; j++) {
            update(u, shape, direction == KEEL_MPI_FORWARD ? first + i : last - 1 - i,
                   direction == KEEL_MPI_FORWARD ? from + j : to - 1 - j);
        }
    }
}

static struct cell *serial(const struct shape *shape)
{
    struct cell *u = calloc(shape->rows * shape->length + 1, sizeof *u);

    for (uint64_t i = 0; i < shape->rows * shape->length; i++) {
        u[i] = first_value(i / shape->length, i % shape->length);
    }
    for (int sweep = 0; sweep < shape->sweeps; sweep++) {
        update_block(u, shape, direction_of(shape, sweep), 0, shape->rows, 0, shape->length);
    }
    return u;
}

/* --- the same on all ranks --- */

struct world {
    struct keel_mpi_rows *rows;
    struct cell *u;
    uint64_t *swept; /* a row: how often it has been swept, and its item */
    struct keel_mpi_pipeline *pipeline;
};

static void name_shape(const struct shape *shape)
{
    snprintf(check_context, sizeof check_context,
             " (%lu rows of %lu, halo %lu, block %lu, %d sweeps, pattern %d, %s, %lu calls, %s"
             "KEEL_TEST_SEED=%lu)",
             shape->rows, shape->length, shape->halo, shape->block, shape->sweeps, shape->pattern,
             shape->moves ? "moved" : "not moved", shape->calls,
             shape->has_company ? "company, " : "", seed);
}

static struct world begin_world(const struct shape *shape)
{
    struct world world = {0};
    uint64_t first, last;

    name_shape(shape);
    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, shape->rows, KEEL_MPI_ADJACENT, &world.rows),
            KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(world.rows, sizeof *world.u, shape->length, shape->halo,
                                (void **)&world.u),
            KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_bounds(world.rows, &first, &last), KEEL_MPI_OK);
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < shape->length; j++) {
            world.u[i * shape->length + j] = first_value(i, j);
        }
    }
    RETURNS(keel_mpi_pipeline_create(world.rows, world.u, shape->block, &world.pipeline),
            KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_hooks(world.pipeline, shape->calls), KEEL_MPI_OK);
    return world;
}

static void end_world(struct world *world)
{
    RETURNS(keel_mpi_pipeline_free(&world->pipeline), KEEL_MPI_OK);
    CHECK(world->pipeline == NULL, "a pipeline that is freed");
    RETURNS(keel_mpi_rows_free(&world->rows), KEEL_MPI_OK);
}

/* Random shares, some of them 0. */
static void move_rows(const struct world *world, const struct shape *shape)
{
    uint64_t share[64] = {0}, left = shape->rows;

    for (int r = 0; r < ranks - 1; r++) {
        share[r] = draws_below(&same, 3) == 0 ? 0 : draws_below(&same, left + 1);
        left -= share[r];
    }
    share[ranks - 1] = left;
    RETURNS(keel_mpi_rows_move(world->rows, share), KEEL_MPI_OK);
}

static void compare(const struct world *world, const struct shape *shape)
{
    struct cell *wanted = serial(shape);
    uint64_t first, last, length = shape->length;

    RETURNS(keel_mpi_rows_bounds(world->rows, &first, &last), KEEL_MPI_OK);
    for (uint64_t i = first; i < last; i++) {
        CHECK(memcmp(&world->u[i * length], &wanted[i * length], length * sizeof *wanted) == 0,
              "row %lu of %lu", i, shape->rows);
    }
    free(wanted);
}

/* --- items: that of a row is a number in memory of its own --- */

static uint64_t *item[1000]; /* of each row that is here */

static size_t item_size(void *context, uint64_t row)
{
    return item[row] != NULL ? sizeof *item[row] : 0;
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    memcpy(buffer, item[row], sizeof *item[row]);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    item[row] = malloc(sizeof *item[row]);
    memcpy(item[row], buffer, size);
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
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

/* Data that moves with rows besides the swept array: another array, items, weights. */
static void add_company(struct world *world, const struct shape *shape)
{
    uint64_t first, last;

    RETURNS(keel_mpi_rows_array(world->rows, sizeof *world->swept, shape->length, 0,
                                (void **)&world->swept),
            KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_bounds(world->rows, &first, &last), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_items(world->rows, &item_calls), KEEL_MPI_OK);
    for (uint64_t i = first; i < last; i++) {
        double weight = (double)(i % 5);
        item_unpack(NULL, i, &i, sizeof i);
        RETURNS(keel_mpi_rows_weigh(world->rows, i, i + 1, &weight), KEEL_MPI_OK);
    }
}

static void check_company(const struct world *world, const struct shape *shape)
{
    uint64_t first, last;

    RETURNS(keel_mpi_rows_bounds(world->rows, &first, &last), KEEL_MPI_OK);
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < shape->length; j++) {
            CHECK(world->swept[i * shape->length + j] == (uint64_t)shape->sweeps,
                  "element %lu of row %lu was swept %lu times", j, i,
                  world->swept[i * shape->length + j]);
        }
        CHECK(item[i] != NULL && *item[i] == i, "the item of row %lu", i);
    }
    for (uint64_t i = 0; i < shape->rows; i++) {
        CHECK(item[i] == NULL || (i >= first && i < last), "an item of row %lu", i);
        item_drop(NULL, i);
    }
}

/* --- sweeps --- */

/* Returns how many blocks this rank had. In sweeps with balance calls, rows may move. */
static uint64_t sweep_once(const struct world *world, const struct shape *shape, int direction)
{
    uint64_t first, last, own_first, own_last, from, to, blocks = 0, length = 0;
    bool forward = direction == KEEL_MPI_FORWARD;

    RETURNS(keel_mpi_rows_bounds(world->rows, &first, &last), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_begin(world->pipeline, direction), KEEL_MPI_OK);
    while (shape->calls > 0
               ? keel_mpi_pipeline_next_rows(world->pipeline, &first, &last, &from, &to)
               : keel_mpi_pipeline_next(world->pipeline, &from, &to)) {
        RETURNS(keel_mpi_rows_bounds(world->rows, &own_first, &own_last), KEEL_MPI_OK);
        CHECK(own_first <= first && first < last && last <= own_last,
              "rows %lu to %lu of %lu to %lu", first, last, own_first, own_last);
        CHECK(from < to && to <= shape->length, "a block from %lu to %lu", from, to);
        CHECK(shape->calls > 0 || from == (forward ? length : shape->length - length - (to - from)),
              "a block from %lu after %lu elements", from, length);
        CHECK(shape->block == 0 || to - from <= shape->block, "a block of %lu", to - from);
        update_block(world->u, shape, direction, first, last, from, to);
        nap((uint64_t)((double)((last - first) * (to - from)) * shape->element_us));
        for (uint64_t i = first; i < last && shape->has_company; i++) {
            for (uint64_t j = from; j < to; j++) {
                world->swept[i * shape->length + j]++;
            }
        }
        length += to - from;
        blocks++;
    }
    CHECK(shape->calls > 0 || length == (first < last ? shape->length : 0), "%lu of %lu elements",
          length, shape->length);
    RETURNS(keel_mpi_pipeline_end(world->pipeline), KEEL_MPI_OK);
    return blocks;
}

static void check_report(const struct world *world, const struct shape *shape, uint64_t blocks)
{
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t first, last, size = shape->block < shape->length ? shape->block : shape->length;

    RETURNS(keel_mpi_pipeline_report(world->pipeline, &report), KEEL_MPI_OK);
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
    char policy[64];

    snprintf(policy, sizeof policy, "shake:seed=%lu", draws_below(&same, 1000));
    RETURNS(keel_mpi_rows_set_balance(world.rows, policy), KEEL_MPI_OK);
    if (shape->has_company) {
        add_company(&world, shape);
    }
    for (int sweep = 0; sweep < shape->sweeps; sweep++) {
        if (shape->moves && draws_below(&same, 2) == 0) {
            move_rows(&world, shape);
        }
        blocks = sweep_once(&world, shape, direction_of(shape, sweep));
    }
    compare(&world, shape);
    if (shape->has_company) {
        check_company(&world, shape);
    }
    if (shape->calls == 0) {
        check_report(&world, shape, blocks);
    }
    end_world(&world);
}

/* --- checks --- */

/* Every number of rows and length of a row, and random other parameters; with balance calls, rows
 * move by chance within sweeps. */
RANK_CHECK(shapes)
{
    static const uint64_t rows[] = {0, 1, 2, 7, 50, 300}, lengths[] = {1, 2, 13, 64, 200};
    static const uint64_t halos[] = {1, 1, 1, 2, 5, 60}, calls[] = {0, 1, 2, 3, 5, 10, 30};

    for (int i = 0; i < 6 * 5 * 4; i++) {
        struct shape shape = {
            .rows = rows[i / 5 % 6],
            .length = lengths[i % 5],
            .halo = halos[draws_below(&same, 6)],
            .pattern = (enum pattern)draws_below(&same, PATTERNS),
            .sweeps = (int)draws_below(&same, 7),
            .moves = draws_below(&same, 2) == 0,
            .calls = i % 2 == 0 ? 0 : calls[draws_below(&same, 7)],
            .has_company = draws_below(&same, 3) == 0,
        };
        uint64_t blocks[] = {1, 3, shape.length, shape.length + 5, 0};
        shape.block = blocks[draws_below(&same, 5)];
        check_shape(&shape);
    }
}

/* Chosen blocks, for enough sweeps to choose them anew several times. */
RANK_CHECK(choices)
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
RANK_CHECK(long_rows)
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
RANK_CHECK(two_at_once)
{
    struct shape shape = {.rows = 20, .length = 30, .halo = 1, .block = 4, .sweeps = 1};
    struct world world = begin_world(&shape);
    struct cell *other = NULL;
    struct keel_mpi_pipeline *second = NULL;
    uint64_t first, last, from, to;

    RETURNS(keel_mpi_rows_array(world.rows, sizeof *other, shape.length, 1, (void **)&other),
            KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_create(world.rows, other, 4, &second), KEEL_MPI_OK);
    keel_mpi_rows_bounds(world.rows, &first, &last);
    for (uint64_t i = first * shape.length; i < last * shape.length; i++) {
        other[i] = first_value(i / shape.length, i % shape.length);
    }
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_begin(second, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    while (keel_mpi_pipeline_next(world.pipeline, &from, &to)) {
        update_block(world.u, &shape, KEEL_MPI_FORWARD, first, last, from, to);
        CHECK(keel_mpi_pipeline_next(second, &from, &to) == 1, "the second has a block");
        update_block(other, &shape, KEEL_MPI_FORWARD, first, last, from, to);
    }
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_end(second), KEEL_MPI_OK);
    compare(&world, &shape);
    world.u = other;
    compare(&world, &shape);
    RETURNS(keel_mpi_pipeline_free(&second), KEEL_MPI_OK);
    end_world(&world);
}

/* A sweep that all ranks end after some blocks: the rest is as before, also in halos. */
RANK_CHECK(ended_early)
{
    struct shape shape = {.rows = 20, .length = 30, .halo = 2, .block = 4, .sweeps = 1};
    struct cell *wanted = serial(&(struct shape){.rows = 20, .length = 30});
    struct world world = begin_world(&shape);
    uint64_t first, last, from, to;

    keel_mpi_rows_bounds(world.rows, &first, &last);
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_BACKWARD), KEEL_MPI_OK);
    for (int i = 0; i < 2 && keel_mpi_pipeline_next(world.pipeline, &from, &to); i++) {
        update_block(world.u, &shape, KEEL_MPI_BACKWARD, first, last, from, to);
    }
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    update_block(wanted, &shape, KEEL_MPI_BACKWARD, 0, 20, 22, 30);
    uint64_t low = first < last && first > 2 ? first - 2 : first, high = last < 18 ? last + 2 : 20;
    for (uint64_t i = low; i < (first < last ? high : first); i++) {
        bool is_old = i < first; /* the rows behind arrive unchanged */
        CHECK(is_old || memcmp(&world.u[i * 30], &wanted[i * 30], 30 * sizeof *wanted) == 0,
              "row %lu after a sweep that ended early", i);
    }
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    end_world(&world); /* ends it */
    free(wanted);
}

/* Computing counts for the balance call, waiting does not. */
RANK_CHECK(busy_time)
{
    struct shape shape = {.rows = 40, .length = 50, .halo = 1, .block = 10, .sweeps = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t first, last;

    keel_mpi_rows_bounds(world.rows, &first, &last);
    for (int i = 0; i < 2; i++) {
        sweep_once(&world, &shape, KEEL_MPI_FORWARD);
        RETURNS(keel_mpi_rows_balance(world.rows, NULL), KEEL_MPI_OK);
    }
    RETURNS(keel_mpi_pipeline_report(world.pipeline, &report), KEEL_MPI_OK);
    CHECK((report.busy_s > 0) == (first < last), "busy for %g s", report.busy_s);
    CHECK(ranks == 1 || report.fixed_s > 0, "messages take %g s", report.fixed_s);
    end_world(&world);
}

/* --- errors --- */

/* An error of one rank is returned on all. */
RANK_CHECK(creation_errors)
{
    struct keel_mpi_rows *rows, *scattered;
    struct keel_mpi_pipeline *pipeline = (struct keel_mpi_pipeline *)&rows;
    int *flat, *deep, *other, *anywhere;

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(rows, sizeof *flat, 4, 0, (void **)&flat), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(rows, sizeof *deep, 4, 1, (void **)&deep), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(rows, sizeof *other, 4, 1, (void **)&other), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ANY, &scattered), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(scattered, sizeof *anywhere, 4, 1, (void **)&anywhere),
            KEEL_MPI_OK);

    RETURNS(keel_mpi_pipeline_create(NULL, deep, 1, &pipeline), KEEL_MPI_ARGUMENT);
    CHECK(pipeline == NULL, "a pipeline without rows");
    RETURNS(keel_mpi_pipeline_create(rows, deep, 1, NULL), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_create(rows, NULL, 1, &pipeline), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_create(rows, flat, 1, &pipeline), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_create(scattered, anywhere, 1, &pipeline), KEEL_MPI_ARGUMENT);
    if (ranks > 1) {
        RETURNS(keel_mpi_pipeline_create(rows, rank == 1 ? flat : deep, 1, &pipeline),
                KEEL_MPI_ARGUMENT);
        RETURNS(keel_mpi_pipeline_create(rows, deep, rank == 1 ? 2 : 1, &pipeline),
                KEEL_MPI_MISMATCH);
        RETURNS(keel_mpi_pipeline_create(rows, rank == 1 ? other : deep, 1, &pipeline),
                KEEL_MPI_MISMATCH);
        RETURNS(keel_mpi_pipeline_create(rows, deep, 1, rank == 1 ? NULL : &pipeline),
                KEEL_MPI_ARGUMENT);
    }
    CHECK(pipeline == NULL, "a pipeline that can't be");
    RETURNS(keel_mpi_rows_free(&scattered), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_free(&rows), KEEL_MPI_OK);
}

RANK_CHECK(call_errors)
{
    struct shape shape = {.rows = 10, .length = 4, .halo = 1, .block = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    struct keel_mpi_pipeline *none = NULL;
    uint64_t from = 77, to = 78;

    RETURNS(keel_mpi_pipeline_begin(NULL, KEEL_MPI_FORWARD), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_next(NULL, &from, &to), 0);
    RETURNS(keel_mpi_pipeline_end(NULL), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_report(NULL, &report), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_free(NULL), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_free(&none), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_next(world.pipeline, &from, &to), 0);
    CHECK(from == 77 && to == 78, "a block without a sweep");
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, 2), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_BUSY);
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_ARGUMENT);
    end_world(&world);
}

/* KEEL_MPI_BLOCK is 5, the argument 2. */
RANK_CHECK(environment)
{
    struct shape shape = {.rows = 10, .length = 12, .halo = 1, .block = 2, .sweeps = 1};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline_report report = {.struct_size = sizeof report};
    uint64_t from, to;

    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    if (keel_mpi_pipeline_next(world.pipeline, &from, &to)) {
        CHECK(from == 0 && to == 5, "a block from %lu to %lu", from, to);
    }
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_report(world.pipeline, &report), KEEL_MPI_OK);
    CHECK(report.block == 5 && report.blocks == 3, "%lu blocks", report.blocks);
    end_world(&world);
}

/* Ranks of changing speeds, balanced: ranks are some balance calls apart when measurements are
 * sent. */
RANK_CHECK(balanced)
{
    for (int i = 0; i < PATTERNS; i++) {
        struct shape shape = {.rows = 60 + draws_below(&same, 200),
                              .length = 60,
                              .halo = 1 + draws_below(&same, 3),
                              .block = 1 + draws_below(&same, 4),
                              .pattern = (enum pattern)i,
                              .sweeps = 24,
                              .calls = 6 + draws_below(&same, 10),
                              .has_company = i == 2};
        struct keel_mpi_rows_report report = {.struct_size = sizeof report};
        struct world world = begin_world(&shape);
        RETURNS(keel_mpi_rows_set_balance(
                    world.rows, "rate:period=0.004,quantum=0.2,gain=0,filter=no,greatly=inf"),
                KEEL_MPI_OK);
        if (shape.has_company) {
            add_company(&world, &shape);
        }
        for (int sweep = 0; sweep < shape.sweeps; sweep++) {
            uint64_t slow = draws_below(&same, (uint64_t)ranks);
            shape.element_us = (uint64_t)rank == slow ? 4 : 1;
            sweep_once(&world, &shape, direction_of(&shape, sweep));
        }
        keel_mpi_rows_report(world.rows, &report);
        CHECK(ranks == 1 || report.rows_moved > 0, "%lu rows have moved", report.rows_moved);
        compare(&world, &shape);
        if (shape.has_company) {
            check_company(&world, &shape);
        }
        end_world(&world);
    }
}

/* Calls that are errors if rows move within sweeps. */
RANK_CHECK(hook_errors)
{
    struct shape shape = {.rows = 10, .length = 4, .halo = 1, .block = 2, .calls = 2};
    struct world world = begin_world(&shape);
    struct keel_mpi_pipeline *other = NULL;
    uint64_t from = 77, to = 78;

    RETURNS(keel_mpi_pipeline_create(world.rows, world.u, 1, &other), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_hooks(NULL, 1), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_pipeline_hooks(world.pipeline, 1000001), KEEL_MPI_ARGUMENT);
    CHECK(keel_mpi_pipeline_next_rows(world.pipeline, &from, &to, &from, &to) == 0 && from == 77,
          "rows without a sweep");
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_hooks(world.pipeline, 1), KEEL_MPI_BUSY);
    CHECK(keel_mpi_pipeline_next(world.pipeline, &from, &to) == 0 && from == 77,
          "elements where rows may move");
    RETURNS(keel_mpi_pipeline_begin(other, KEEL_MPI_FORWARD), KEEL_MPI_BUSY);
    RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_begin(other, KEEL_MPI_FORWARD), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_begin(world.pipeline, KEEL_MPI_FORWARD), KEEL_MPI_BUSY);
    RETURNS(keel_mpi_pipeline_end(other), KEEL_MPI_OK);
    RETURNS(keel_mpi_pipeline_free(&other), KEEL_MPI_OK);
    end_world(&world);
}

/* A sweep that ends after some blocks makes all its balance calls, and rows move on. */
RANK_CHECK(hooks_ended_early)
{
    struct shape shape = {.rows = 40, .length = 30, .halo = 1, .block = 2, .calls = 5};
    struct world world = begin_world(&shape);
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t first, last, from, to;

    RETURNS(keel_mpi_rows_set_balance(world.rows, "shake"), KEEL_MPI_OK);
    for (int sweep = 0; sweep < 8; sweep++) {
        RETURNS(keel_mpi_pipeline_begin(world.pipeline, sweep % 2), KEEL_MPI_OK);
        for (int i = 0;
             i < sweep && keel_mpi_pipeline_next_rows(world.pipeline, &first, &last, &from, &to);
             i++) {
        }
        RETURNS(keel_mpi_pipeline_end(world.pipeline), KEEL_MPI_OK);
    }
    keel_mpi_rows_report(world.rows, &report);
    CHECK(report.hooks == 40, "%lu balance calls", report.hooks);
    CHECK(ranks == 1 || report.rows_moved > 0, "%lu rows have moved", report.rows_moved);
    compare(&world, &shape); /* nothing was computed */
    end_world(&world);
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
