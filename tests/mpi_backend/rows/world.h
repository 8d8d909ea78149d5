/* Rows of every kind that move among real ranks: their expected contents and owners. */
#ifndef TESTS_MPI_BACKEND_ROWS_WORLD_H
#define TESTS_MPI_BACKEND_ROWS_WORLD_H

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"

/* --- rows with all kinds of data --- */

struct thing {
    uint64_t size;
    unsigned char bytes[];
};

struct world {
    struct keel_mpi_rows *rows;
    uint64_t count;
    unsigned how;
    unsigned char *tiny; /* rows of one byte */
    double *wide;        /* of 7 numbers, with a halo of 2 */
    char *odd;           /* of 11 times 3 bytes, with a halo beyond all rows */
    bool has_things;
    struct thing **thing;            /* of each row; NULL: not here */
    uint64_t things;                 /* items here */
    uint64_t fail_pack, fail_unpack; /* the n-th call from now fails; 0: none */
};

/* The expected value of row `row` at index `place`: any mixture. */
static inline uint64_t content(uint64_t row, uint64_t place)
{
    uint64_t x =
        (row + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (place + 7) * UINT64_C(0xc2b2ae3d27d4eb4f);

    x ^= x >> 29;
    return x * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline uint64_t thing_size(uint64_t row)
{
    return content(row, 1000) % 5 == 0 ? 0 : content(row, 1001) % 300;
}

static inline void make_thing(struct world *world, uint64_t row)
{
    uint64_t size = thing_size(row);
    struct thing *thing = malloc(sizeof *thing + size);

    thing->size = size;
    for (uint64_t i = 0; i < size; i++) {
        thing->bytes[i] = (unsigned char)content(row, 2000 + i);
    }
    world->thing[row] = thing;
    world->things++;
}

static inline size_t size_of_thing(void *context, uint64_t row)
{
    struct world *world = context;

    CHECK(world->thing[row] != NULL, "size of row %lu, which is not here", row);
    return (size_t)world->thing[row]->size;
}

static inline int pack_thing(void *context, uint64_t row, void *buffer)
{
    struct world *world = context;

    if (world->fail_pack > 0 && --world->fail_pack == 0) {
        return 5;
    }
    CHECK((uintptr_t)buffer % sizeof(double) == 0, "an unaligned buffer");
    memcpy(buffer, world->thing[row]->bytes, (size_t)world->thing[row]->size);
    return 0;
}

static inline int unpack_thing(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct world *world = context;

    if (world->fail_unpack > 0 && --world->fail_unpack == 0) {
        return 6;
    }
    CHECK(world->thing[row] == NULL, "row %lu arrives twice", row);
    world->thing[row] = malloc(sizeof(struct thing) + size);
    world->thing[row]->size = size;
    memcpy(world->thing[row]->bytes, buffer, size);
    world->things++;
    return 0;
}

static inline void drop_thing(void *context, uint64_t row)
{
    struct world *world = context;

    CHECK(world->thing[row] != NULL, "row %lu leaves, but is not here", row);
    free(world->thing[row]);
    world->thing[row] = NULL;
    world->things--;
}

static const struct keel_mpi_rows_items calls = {.struct_size = sizeof calls,
                                                 .size = size_of_thing,
                                                 .pack = pack_thing,
                                                 .unpack = unpack_thing,
                                                 .drop = drop_thing};

static inline void add_things(struct world *world)
{
    struct keel_mpi_rows_items items = calls;
    const uint64_t *row;
    uint64_t count;

    world->thing = calloc(world->count + 1, sizeof *world->thing);
    keel_mpi_rows_list(world->rows, &row, &count);
    for (uint64_t i = 0; i < count; i++) {
        make_thing(world, row[i]);
    }
    items.context = world;
    RETURNS(keel_mpi_rows_items(world->rows, &items), KEEL_MPI_OK);
}

static inline void fill_row(struct world *world, uint64_t row)
{
    world->tiny[row] = (unsigned char)content(row, 0);
    for (uint64_t i = 0; i < 7; i++) {
        world->wide[row * 7 + i] = (double)(content(row, 10 + i) >> 12);
    }
    for (uint64_t i = 0; i < 33; i++) {
        world->odd[row * 33 + i] = (char)content(row, 50 + i);
    }
}

static inline bool is_filled(const unsigned char *tiny, const double *wide, const char *odd,
                             uint64_t row)
{
    bool fine = tiny[row] == (unsigned char)content(row, 0);

    for (uint64_t i = 0; i < 7; i++) {
        fine = fine && wide[row * 7 + i] == (double)(content(row, 10 + i) >> 12);
    }
    for (uint64_t i = 0; i < 33; i++) {
        fine = fine && odd[row * 33 + i] == (char)content(row, 50 + i);
    }
    return fine;
}

static inline void open_world(struct world *world, uint64_t count, unsigned how, bool has_things)
{
    const uint64_t *row;
    uint64_t here;

    *world = (struct world){.count = count, .how = how, .has_things = has_things};
    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, count, how, &world->rows), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(world->rows, 1, 1, 0, (void **)&world->tiny), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(world->rows, 8, 7, 2, (void **)&world->wide), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(world->rows, 3, 11, count + 5, (void **)&world->odd), KEEL_MPI_OK);
    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        fill_row(world, row[i]);
    }
    if (has_things) {
        add_things(world);
    }
}

static inline void close_world(struct world *world)
{
    CHECK(keel_mpi_rows_free(&world->rows) == KEEL_MPI_OK && world->rows == NULL, "free");
    for (uint64_t i = 0; world->has_things && i < world->count; i++) {
        free(world->thing[i]);
    }
    free(world->thing);
}

/* --- checking contents and owners --- */

static inline void check_thing(const struct world *world, uint64_t row)
{
    const struct thing *thing = world->thing[row];
    bool fine = thing != NULL && thing->size == thing_size(row);

    for (uint64_t i = 0; fine && i < thing->size; i++) {
        fine = thing->bytes[i] == (unsigned char)content(row, 2000 + i);
    }
    CHECK(fine, "the item of row %lu has changed", row);
}

static inline void check_own_rows(struct world *world)
{
    const uint64_t *row;
    uint64_t here, all;
    int owner;

    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        CHECK(i == 0 || row[i] > row[i - 1], "rows do not increase");
        CHECK(is_filled(world->tiny, world->wide, world->odd, row[i]), "row %lu has changed",
              row[i]);
        keel_mpi_rows_owner(world->rows, row[i], &owner);
        CHECK(owner == rank, "row %lu is here, not on %d", row[i], owner);
        if (world->has_things) {
            check_thing(world, row[i]);
        }
    }
    CHECK(!world->has_things || world->things == here, "%lu items for %lu rows", world->things,
          here);
    MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == world->count, "%lu rows in all, not %lu", all, world->count);
}

/* Blocks are in the order of ranks, if rows are adjacent. */
static inline void check_bounds(const struct world *world)
{
    uint64_t own_bounds[2], *bounds = malloc((size_t)ranks * sizeof own_bounds), end = 0;

    if (world->how == KEEL_MPI_ADJACENT) {
        RETURNS(keel_mpi_rows_bounds(world->rows, &own_bounds[0], &own_bounds[1]), KEEL_MPI_OK);
        MPI_Allgather(own_bounds, 2, MPI_UINT64_T, bounds, 2, MPI_UINT64_T, MPI_COMM_WORLD);
        for (int i = 0; i < ranks; i++) {
            CHECK(bounds[2 * i] == end && bounds[2 * i + 1] >= end, "block of rank %d", i);
            end = bounds[2 * i + 1];
        }
        CHECK(end == world->count, "blocks end at %lu", end);
    }
    free(bounds);
}

static inline void check_gathered(struct world *world, int root)
{
    unsigned char *tiny = malloc(world->count + 1);
    double *wide = malloc((world->count + 1) * 7 * sizeof *wide);
    char *odd = malloc((world->count + 1) * 33);
    bool takes = root < 0 || root == rank;

    if (root < 0) {
        RETURNS(keel_mpi_rows_allgather(world->rows, world->tiny, tiny), KEEL_MPI_OK);
        RETURNS(keel_mpi_rows_allgather(world->rows, world->wide, wide), KEEL_MPI_OK);
        RETURNS(keel_mpi_rows_allgather(world->rows, world->odd, odd), KEEL_MPI_OK);
    } else {
        CHECK(keel_mpi_rows_gather(world->rows, world->tiny, takes ? tiny : NULL, root) == 0,
              "tiny");
        CHECK(keel_mpi_rows_gather(world->rows, world->wide, takes ? wide : NULL, root) == 0,
              "wide");
        CHECK(keel_mpi_rows_gather(world->rows, world->odd, takes ? odd : NULL, root) == 0, "odd");
    }
    for (uint64_t row = 0; takes && row < world->count; row++) {
        CHECK(is_filled(tiny, wide, odd, row), "row %lu, gathered at %d", row, root);
    }
    free(tiny);
    free(wide);
    free(odd);
}

static inline void check_world(struct world *world)
{
    check_own_rows(world);
    check_bounds(world);
}

static inline void name_context(uint64_t count, unsigned how, const char *what)
{
    snprintf(check_context, sizeof check_context,
             " (%s, %lu rows, kind %u, rank %d of %d, KEEL_TEST_SEED=%lu)", what, count, how, rank,
             ranks, seed);
}

#endif
