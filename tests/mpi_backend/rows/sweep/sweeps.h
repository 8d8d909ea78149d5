/* Sweeps over cells that depend on all that a sweep brings, by one process and by all ranks: what
 * programs of tests about pipelines share. */
#ifndef TESTS_MPI_BACKEND_ROWS_SWEEP_SWEEPS_H
#define TESTS_MPI_BACKEND_ROWS_SWEEP_SWEEPS_H

#include <mpi.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/check.h"
#include "tests/support/draws.h"

static int rank, ranks;   /* in MPI_COMM_WORLD */
static struct draws same; /* draws alike on all ranks */
static uint64_t seed;

/* An element of a size that is no power of 2. */
struct cell {
    uint32_t a, b, c;
};

enum pattern { FORWARD, BACKWARD, ALTERNATING, PATTERNS };

struct shape {
    uint64_t rows, length, halo, block;
    enum pattern pattern;
    int sweeps;
    bool moves;     /* rows, between sweeps */
    uint64_t hooks; /* within each sweep; 0: none */
    bool has_items;
    bool weighs;       /* rows */
    double element_us; /* that this rank sleeps for each element of a row, beside computing it */
};

static inline int direction_of(const struct shape *shape, int sweep)
{
    bool backward = shape->pattern == BACKWARD || (shape->pattern == ALTERNATING && sweep % 2 == 1);

    return backward ? KEEL_MPI_BACKWARD : KEEL_MPI_FORWARD;
}

static inline struct cell first_value(uint64_t row, uint64_t element)
{
    uint32_t x = (uint32_t)(row * 1000003 + element * 7919 + 17);

    return (struct cell){x, x * 2654435761u, ~x};
}

/* --- what is computed --- */

static inline uint32_t mix(uint32_t x, uint32_t y)
{
    return (x ^ y) * 2654435761u + (x >> 15);
}

/* Depends on all that a sweep brings: rows as deep as the halo on either side, and the elements of
 * the row on either side. */
static inline void update(struct cell *u, const struct shape *shape, uint64_t i, uint64_t j)
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
static inline void update_block(struct cell *u, const struct shape *shape, int direction,
                                uint64_t first, uint64_t last, uint64_t from, uint64_t to)
{
    for (uint64_t i = 0; i < last - first; i++) {
        for (uint64_t j = 0; j < to - from; j++) {
            update(u, shape, direction == KEEL_MPI_FORWARD ? first + i : last - 1 - i,
                   direction == KEEL_MPI_FORWARD ? from + j : to - 1 - j);
        }
    }
}

static inline struct cell *serial(const struct shape *shape)
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

/* --- the same by all ranks --- */

struct world {
    struct keel_mpi_rows *rows;
    struct cell *u;
    uint64_t *swept; /* a row: how often it has been swept, and what its item is */
    struct keel_mpi_pipeline *pipeline;
};

static inline bool is_ok(int code, const char *what)
{
    CHECK(code == KEEL_MPI_OK, "%s returns %d", what, code);
    return code == KEEL_MPI_OK;
}

static inline struct world begin_world(const struct shape *shape)
{
    struct world world = {0};
    uint64_t first, last;

    is_ok(keel_mpi_rows_create(MPI_COMM_WORLD, shape->rows, KEEL_MPI_ADJACENT, &world.rows),
          "create");
    is_ok(keel_mpi_rows_array(world.rows, sizeof *world.u, shape->length, shape->halo,
                              (void **)&world.u),
          "array");
    is_ok(keel_mpi_rows_bounds(world.rows, &first, &last), "bounds");
    for (uint64_t i = first; i < last; i++) {
        for (uint64_t j = 0; j < shape->length; j++) {
            world.u[i * shape->length + j] = first_value(i, j);
        }
    }
    is_ok(keel_mpi_pipeline_create(world.rows, world.u, shape->block, &world.pipeline), "pipeline");
    is_ok(keel_mpi_pipeline_hooks(world.pipeline, shape->hooks), "hooks");
    return world;
}

static inline void end_world(struct world *world)
{
    is_ok(keel_mpi_pipeline_free(&world->pipeline), "free");
    CHECK(world->pipeline == NULL, "a pipeline that is freed");
    is_ok(keel_mpi_rows_free(&world->rows), "rows free");
}

/* Random shares, some of them nothing. */
static inline void move_rows(const struct world *world, const struct shape *shape)
{
    uint64_t share[64] = {0}, left = shape->rows;

    for (int r = 0; r < ranks - 1; r++) {
        share[r] = draws_below(&same, 3) == 0 ? 0 : draws_below(&same, left + 1);
        left -= share[r];
    }
    share[ranks - 1] = left;
    is_ok(keel_mpi_rows_move(world->rows, share), "move");
}

static inline void compare(const struct world *world, const struct shape *shape)
{
    struct cell *wanted = serial(shape);
    uint64_t first, last, length = shape->length;

    is_ok(keel_mpi_rows_bounds(world->rows, &first, &last), "bounds");
    for (uint64_t i = first; i < last; i++) {
        CHECK(memcmp(&world->u[i * length], &wanted[i * length], length * sizeof *wanted) == 0,
              "row %lu of %lu", i, shape->rows);
    }
    free(wanted);
}

static inline void name_shape(const struct shape *shape)
{
    snprintf(check_context, sizeof check_context,
             " (%lu rows of %lu, halo %lu, block %lu, %d sweeps, pattern %d, %s, %lu hooks, %s%s"
             "KEEL_TEST_SEED=%lu)",
             shape->rows, shape->length, shape->halo, shape->block, shape->sweeps, shape->pattern,
             shape->moves ? "moved" : "not moved", shape->hooks, shape->has_items ? "items, " : "",
             shape->weighs ? "weights, " : "", seed);
}

/* --- one check, by name --- */

struct sweeps_check {
    const char *name;
    void (*run)(void);
};

static inline void run_check(const struct sweeps_check *checks, size_t count, const char *name)
{
    bool found = false;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            checks[i].run();
            found = true;
        }
    }
    CHECK(found, "no check '%s'", name);
}

/* The main function of such a program: its exit status. */
static inline int sweeps_main(const struct sweeps_check *checks, size_t count, int argc,
                              char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seed = draws_seed();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    same = (struct draws){seed};
    for (int i = 1; i < argc; i++) {
        run_check(checks, count, argv[i]);
    }
    MPI_Finalize();
    return check_status();
}

#endif
