/* Rows that move among real ranks: after any movement each row is on one rank, with all that it
 * had. `rows CHECK...`, under mpirun; says what is wrong. */
#include <mpi.h>
#include <string.h>
#include <sys/resource.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/check.h"
#include "tests/support/draws.h"
#include "tests/support/nap.h"

static int rank, ranks;   /* in MPI_COMM_WORLD */
static struct draws same; /* draws alike on all ranks */
static uint64_t seed;

/* --- rows with everything that they can have --- */

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
    uint64_t things;                 /* here */
    uint64_t fail_pack, fail_unpack; /* the so-many-th call from now fails; 0: none */
};

/* What row `row` is to hold at place `place`: any mixture. */
static uint64_t content(uint64_t row, uint64_t place)
{
    uint64_t x =
        (row + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (place + 7) * UINT64_C(0xc2b2ae3d27d4eb4f);

    x ^= x >> 29;
    return x * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t thing_size(uint64_t row)
{
    return content(row, 1000) % 5 == 0 ? 0 : content(row, 1001) % 300;
}

static void make_thing(struct world *world, uint64_t row)
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

static size_t size_of_thing(void *context, uint64_t row)
{
    struct world *world = context;

    CHECK(world->thing[row] != NULL, "size of row %llu, which is not here",
          (unsigned long long)row);
    return (size_t)world->thing[row]->size;
}

static int pack_thing(void *context, uint64_t row, void *buffer)
{
    struct world *world = context;

    if (world->fail_pack > 0 && --world->fail_pack == 0) {
        return 5;
    }
    CHECK((uintptr_t)buffer % sizeof(double) == 0, "an unaligned buffer");
    memcpy(buffer, world->thing[row]->bytes, (size_t)world->thing[row]->size);
    return 0;
}

static int unpack_thing(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct world *world = context;

    if (world->fail_unpack > 0 && --world->fail_unpack == 0) {
        return 6;
    }
    CHECK(world->thing[row] == NULL, "row %llu comes twice", (unsigned long long)row);
    world->thing[row] = malloc(sizeof(struct thing) + size);
    world->thing[row]->size = size;
    memcpy(world->thing[row]->bytes, buffer, size);
    world->things++;
    return 0;
}

static void drop_thing(void *context, uint64_t row)
{
    struct world *world = context;

    CHECK(world->thing[row] != NULL, "row %llu goes, but is not here", (unsigned long long)row);
    free(world->thing[row]);
    world->thing[row] = NULL;
    world->things--;
}

static const struct keel_mpi_rows_items calls = {.struct_size = sizeof calls,
                                                 .size = size_of_thing,
                                                 .pack = pack_thing,
                                                 .unpack = unpack_thing,
                                                 .drop = drop_thing};

static void add_things(struct world *world)
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
    CHECK(keel_mpi_rows_items(world->rows, &items) == KEEL_MPI_OK, "items");
}

static void fill_row(struct world *world, uint64_t row)
{
    world->tiny[row] = (unsigned char)content(row, 0);
    for (uint64_t i = 0; i < 7; i++) {
        world->wide[row * 7 + i] = (double)(content(row, 10 + i) >> 12);
    }
    for (uint64_t i = 0; i < 33; i++) {
        world->odd[row * 33 + i] = (char)content(row, 50 + i);
    }
}

static bool is_filled(const unsigned char *tiny, const double *wide, const char *odd, uint64_t row)
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

static void open_world(struct world *world, uint64_t count, unsigned how, bool has_things)
{
    const uint64_t *row;
    uint64_t here;

    *world = (struct world){.count = count, .how = how, .has_things = has_things};
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, count, how, &world->rows) == KEEL_MPI_OK, "create");
    CHECK(keel_mpi_rows_array(world->rows, 1, 1, 0, (void **)&world->tiny) == KEEL_MPI_OK, "tiny");
    CHECK(keel_mpi_rows_array(world->rows, 8, 7, 2, (void **)&world->wide) == KEEL_MPI_OK, "wide");
    CHECK(keel_mpi_rows_array(world->rows, 3, 11, count + 5, (void **)&world->odd) == KEEL_MPI_OK,
          "odd");
    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        fill_row(world, row[i]);
    }
    if (has_things) {
        add_things(world);
    }
}

static void close_world(struct world *world)
{
    CHECK(keel_mpi_rows_free(&world->rows) == KEEL_MPI_OK && world->rows == NULL, "free");
    for (uint64_t i = 0; world->has_things && i < world->count; i++) {
        free(world->thing[i]);
    }
    free(world->thing);
}

/* --- whether everything is where it has to be --- */

static void check_thing(const struct world *world, uint64_t row)
{
    const struct thing *thing = world->thing[row];
    bool fine = thing != NULL && thing->size == thing_size(row);

    for (uint64_t i = 0; fine && i < thing->size; i++) {
        fine = thing->bytes[i] == (unsigned char)content(row, 2000 + i);
    }
    CHECK(fine, "the thing of row %llu is not what it was", (unsigned long long)row);
}

static void check_own_rows(struct world *world)
{
    const uint64_t *row;
    uint64_t here, all;
    int owner;

    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        CHECK(i == 0 || row[i] > row[i - 1], "rows do not increase");
        CHECK(is_filled(world->tiny, world->wide, world->odd, row[i]),
              "row %llu is not what it was", (unsigned long long)row[i]);
        keel_mpi_rows_owner(world->rows, row[i], &owner);
        CHECK(owner == rank, "row %llu is here, not on %d", (unsigned long long)row[i], owner);
        if (world->has_things) {
            check_thing(world, row[i]);
        }
    }
    CHECK(!world->has_things || world->things == here, "%llu things for %llu rows",
          (unsigned long long)world->things, (unsigned long long)here);
    MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == world->count, "%llu rows in all, not %llu", (unsigned long long)all,
          (unsigned long long)world->count);
}

/* Blocks in the order of ranks, where rows are adjacent. */
static void check_bounds(const struct world *world)
{
    uint64_t own_bounds[2], *bounds = malloc((size_t)ranks * sizeof own_bounds), end = 0;

    if (world->how == KEEL_MPI_ADJACENT) {
        CHECK(keel_mpi_rows_bounds(world->rows, &own_bounds[0], &own_bounds[1]) == KEEL_MPI_OK,
              "bounds");
        MPI_Allgather(own_bounds, 2, MPI_UINT64_T, bounds, 2, MPI_UINT64_T, MPI_COMM_WORLD);
        for (int i = 0; i < ranks; i++) {
            CHECK(bounds[2 * i] == end && bounds[2 * i + 1] >= end, "block of rank %d", i);
            end = bounds[2 * i + 1];
        }
        CHECK(end == world->count, "blocks end at %llu", (unsigned long long)end);
    }
    free(bounds);
}

static void check_gathered(struct world *world, int root)
{
    unsigned char *tiny = malloc(world->count + 1);
    double *wide = malloc((world->count + 1) * 7 * sizeof *wide);
    char *odd = malloc((world->count + 1) * 33);
    bool takes = root < 0 || root == rank;

    if (root < 0) {
        CHECK(keel_mpi_rows_allgather(world->rows, world->tiny, tiny) == KEEL_MPI_OK, "tiny");
        CHECK(keel_mpi_rows_allgather(world->rows, world->wide, wide) == KEEL_MPI_OK, "wide");
        CHECK(keel_mpi_rows_allgather(world->rows, world->odd, odd) == KEEL_MPI_OK, "odd");
    } else {
        CHECK(keel_mpi_rows_gather(world->rows, world->tiny, takes ? tiny : NULL, root) == 0,
              "tiny");
        CHECK(keel_mpi_rows_gather(world->rows, world->wide, takes ? wide : NULL, root) == 0,
              "wide");
        CHECK(keel_mpi_rows_gather(world->rows, world->odd, takes ? odd : NULL, root) == 0, "odd");
    }
    for (uint64_t row = 0; takes && row < world->count; row++) {
        CHECK(is_filled(tiny, wide, odd, row), "row %llu, gathered at %d", (unsigned long long)row,
              root);
    }
    free(tiny);
    free(wide);
    free(odd);
}

static void check_world(struct world *world)
{
    check_own_rows(world);
    check_bounds(world);
}

/* --- movements --- */

/* Shares of all rows, some extreme. */
static void draw_shares(uint64_t *shares, uint64_t count)
{
    uint64_t kind = draws_below(&same, 4);

    memset(shares, 0, (size_t)ranks * sizeof *shares);
    if (kind == 0) {
        shares[draws_below(&same, (uint64_t)ranks)] = count;
        return;
    }
    for (int i = 0; i < ranks; i++) {
        uint64_t most = i + 1 == ranks || count == 0 ? count : draws_below(&same, count + 1);
        most = kind == 1 && i + 1 < ranks ? most / (uint64_t)(ranks - i) : most;
        shares[i] = most;
        count -= most;
    }
}

static void name_context(uint64_t count, unsigned how, const char *what)
{
    snprintf(check_context, sizeof check_context,
             " (%s, %llu rows, kind %u, rank %d of %d, KEEL_TEST_SEED=%llu)", what,
             (unsigned long long)count, how, rank, ranks, (unsigned long long)seed);
}

static const uint64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, 1337, 6000};
#define COUNTS (sizeof counts / sizeof counts[0])

static void check_movements(void)
{
    uint64_t *shares = malloc((size_t)ranks * sizeof *shares);
    struct world world;

    for (size_t c = 0; c < COUNTS; c++) {
        for (unsigned how = KEEL_MPI_ADJACENT; how <= KEEL_MPI_ANY; how++) {
            name_context(counts[c], how, "moves");
            open_world(&world, counts[c], how, (c + how) % 2 == 0);
            check_world(&world);
            for (int i = 0; i < 6; i++) {
                draw_shares(shares, counts[c]);
                int code = keel_mpi_rows_move(world.rows, shares);
                CHECK(code == KEEL_MPI_OK, "moving: code %d", code);
                check_world(&world);
            }
            check_gathered(&world, -1);
            check_gathered(&world, (int)draws_below(&same, (uint64_t)ranks));
            close_world(&world);
        }
    }
    free(shares);
}

/* --- the hook, under KEEL_MPI_BALANCE --- */

static void weigh(struct world *world)
{
    const uint64_t *row;
    uint64_t here;

    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        double weight = (double)(content(row[i], 3000) % 16);
        CHECK(keel_mpi_rows_weigh(world->rows, row[i], row[i] + 1, &weight) == KEEL_MPI_OK,
              "weighing");
    }
}

/* Weights travel with their rows: their sum on a rank is that of its rows. */
static void check_weights(struct world *world)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    const uint64_t *row;
    uint64_t here;
    double sum = 0;

    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        sum += (double)(content(row[i], 3000) % 16);
    }
    keel_mpi_rows_report(world->rows, &report);
    CHECK(report.work == sum, "work is %g, not %g", report.work, sum);
}

/* Ranks of different speed; hooks as a program has them. */
static uint64_t run_hooks(struct world *world, int hooks, uint64_t us)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t moved, total = 0, slow = (uint64_t)rank % 3 + 1, most, least;

    for (int i = 0; i < hooks; i++) {
        keel_mpi_rows_report(world->rows, &report);
        keel_mpi_rows_work_begin(world->rows);
        nap((uint64_t)(report.work * (double)(us * slow)));
        keel_mpi_rows_work_end(world->rows);
        CHECK(keel_mpi_rows_exchange(world->rows, NULL) == KEEL_MPI_OK, "exchange");
        int code = keel_mpi_rows_balance(world->rows, &moved);
        CHECK(code == KEEL_MPI_OK, "hook %d: code %d", i, code);
        MPI_Allreduce(&moved, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&moved, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
        CHECK(most == least, "ranks count differently what was moved");
        total += moved;
        if (moved > 0) {
            check_world(world);
        }
    }
    return total;
}

/* Weights count by their ratios, however small they are. */
static void check_small_weights(void)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct world world;
    const uint64_t *row;
    uint64_t here;
    double sum = 0;

    name_context(40, KEEL_MPI_ANY, "small weights");
    open_world(&world, 40, KEEL_MPI_ANY, false);
    keel_mpi_rows_list(world.rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        double weight = 1e-300 * (double)(row[i] % 7 + 1);
        CHECK(keel_mpi_rows_weigh(world.rows, row[i], row[i] + 1, &weight) == KEEL_MPI_OK,
              "weighing");
        sum += weight;
    }
    keel_mpi_rows_report(world.rows, &report);
    CHECK(report.work > 0.999999 * sum && report.work < 1.000001 * sum, "work is %g, not %g",
          report.work, sum);
    close_world(&world);
}

static void check_hooks(void)
{
    static const uint64_t some[] = {0, 1, 5, 40, 700};
    struct world world;

    for (size_t c = 0; c < sizeof some / sizeof some[0]; c++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            unsigned how = kind % 2 == 0 ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY;
            name_context(some[c], how, kind < 2 ? "hooks" : "weighed");
            open_world(&world, some[c], how, kind > 0);
            if (kind >= 2) {
                weigh(&world);
            }
            run_hooks(&world, 20, 2000 / (some[c] * (kind < 2 ? 1 : 8) + 1));
            check_world(&world);
            if (kind >= 2) {
                check_weights(&world);
            }
            check_gathered(&world, 0);
            close_world(&world);
        }
    }
}

/* Every hook moves rows, as KEEL_MPI_BALANCE=shake says. */
static void check_shaken(void)
{
    struct world world;

    name_context(100, KEEL_MPI_ADJACENT, "shaken");
    open_world(&world, 100, KEEL_MPI_ADJACENT, true);
    uint64_t moved = run_hooks(&world, 20, 0);
    CHECK(ranks == 1 || moved > 100, "%llu rows moved", (unsigned long long)moved);
    close_world(&world);
}

/* A phase counts with the weights that it had, whatever was said of those to come. */
static void check_ahead(void)
{
    const uint64_t us = 2000, *row;
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct world world;
    uint64_t here;

    name_context(40, KEEL_MPI_ADJACENT, "ahead");
    open_world(&world, 40, KEEL_MPI_ADJACENT, false);
    for (int hook = 0; hook < 20; hook++) {
        double weight = hook % 2 == 0 ? 1000 : 1;
        keel_mpi_rows_report(world.rows, &report);
        double most = report.work / ((double)us * 1e-6);
        keel_mpi_rows_work_begin(world.rows);
        nap(us);
        keel_mpi_rows_work_end(world.rows);
        keel_mpi_rows_list(world.rows, &row, &here);
        for (uint64_t i = 0; i < here; i++) {
            CHECK(keel_mpi_rows_weigh_ahead(world.rows, row[i], row[i] + 1, &weight) == KEEL_MPI_OK,
                  "weighing");
        }
        CHECK(keel_mpi_rows_balance(world.rows, NULL) == KEEL_MPI_OK, "hook");
        keel_mpi_rows_report(world.rows, &report);
        CHECK(hook == 0 || ranks == 1 || here == 0 || report.rate > 0, "hook %d: no rate", hook);
        CHECK(report.rate <= most * 1.01, "hook %d: %g work per s, at most %g", hook, report.rate,
              most);
    }
    close_world(&world);
}

/* Nothing moves, as KEEL_MPI_BALANCE=off says. */
static void check_off(void)
{
    struct world world;

    name_context(100, KEEL_MPI_ADJACENT, "off");
    open_world(&world, 100, KEEL_MPI_ADJACENT, true);
    CHECK(run_hooks(&world, 20, 10) == 0, "rows moved");
    close_world(&world);
}

/* The program's word, where the environment has none. */
static void check_word(void)
{
    struct world world;

    name_context(100, KEEL_MPI_ANY, "word");
    open_world(&world, 100, KEEL_MPI_ANY, false);
    CHECK(keel_mpi_rows_set_balance(world.rows, "shake") == KEEL_MPI_OK, "set");
    CHECK(ranks == 1 || run_hooks(&world, 20, 0) > 0, "no rows moved");
    close_world(&world);
}

/* --- what goes wrong --- */

/* All rows to the last rank; on the way, something fails once. */
static void check_failure(uint64_t count, unsigned how, uint64_t pack, uint64_t unpack)
{
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares);
    struct world world;

    name_context(count, how, "failing");
    open_world(&world, count, how, true);
    if (rank == ranks / 2) {
        world.fail_pack = pack;
        world.fail_unpack = unpack;
    }
    shares[ranks - 1] = count;
    int code = keel_mpi_rows_move(world.rows, shares);
    CHECK(code == KEEL_MPI_CALLBACK, "code %d, not that of a failed function", code);
    world.fail_pack = world.fail_unpack = 0;
    check_world(&world);
    CHECK(keel_mpi_rows_move(world.rows, shares) == KEEL_MPI_OK, "the second time");
    check_world(&world);
    close_world(&world);
    free(shares);
}

/* Three ranks. The one in the middle both sends and receives, if rows are adjacent. */
static void check_failures_of_functions(void)
{
    check_failure(300, KEEL_MPI_ADJACENT, 0, 1);
    check_failure(300, KEEL_MPI_ADJACENT, 0, 77);
    for (uint64_t nth = 1; nth < 60; nth += 29) {
        check_failure(300, KEEL_MPI_ADJACENT, nth, 0);
        check_failure(300, KEEL_MPI_ANY, nth, 0);
    }
}

#define LARGE 64
#define LARGE_BYTES ((uint64_t)1 << 20)

static void set_memory(uint64_t bytes)
{
    struct rlimit limit;

    getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = bytes > 0 ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

static void check_large(const struct keel_mpi_rows *rows, const unsigned char *large)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        CHECK(large[row * LARGE_BYTES] == row + 1 && large[(row + 1) * LARGE_BYTES - 1] == row + 2,
              "row %llu", (unsigned long long)row);
    }
}

/* A rank has no memory for the rows that it is to get. */
static void check_memory(void)
{
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares), first, last, now_first, now_last;
    struct keel_mpi_rows *rows;
    unsigned char *large;

    name_context(LARGE, KEEL_MPI_ADJACENT, "memory");
    keel_mpi_rows_create(MPI_COMM_WORLD, LARGE, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_array(rows, 1, LARGE_BYTES, 0, (void **)&large);
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        large[row * LARGE_BYTES] = (unsigned char)(row + 1);
        large[(row + 1) * LARGE_BYTES - 1] = (unsigned char)(row + 2);
    }
    if (rank == ranks - 1) {
        set_memory(LARGE_BYTES);
    }
    shares[ranks - 1] = LARGE;
    int code = keel_mpi_rows_move(rows, shares);
    set_memory(0);
    CHECK(code == KEEL_MPI_NO_ROOM, "code %d", code);
    keel_mpi_rows_bounds(rows, &now_first, &now_last);
    CHECK(ranks > 2 || (now_first == first && now_last == last), "bounds have changed");
    check_large(rows, large);
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_OK, "the second time");
    check_large(rows, large);
    keel_mpi_rows_free(&rows);
    free(shares);
}

#define WIDE_BYTES ((uint64_t)100 << 20)

/* Rows of 100 MiB go around. */
static void check_wide(void)
{
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares), first, last;
    struct keel_mpi_rows *rows;
    unsigned char *wide;

    name_context(3, KEEL_MPI_ADJACENT, "wide");
    keel_mpi_rows_create(MPI_COMM_WORLD, 3, KEEL_MPI_ADJACENT, &rows);
    CHECK(keel_mpi_rows_array(rows, 1, WIDE_BYTES, 0, (void **)&wide) == KEEL_MPI_OK, "array");
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        memset(wide + row * WIDE_BYTES, (int)row + 1, WIDE_BYTES);
    }
    for (int i = 0; i < 3; i++) {
        memset(shares, 0, (size_t)ranks * sizeof *shares);
        shares[i % 2 == 0 ? ranks - 1 : 0] = 3;
        CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_OK, "moving");
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    CHECK(last - first == (rank + 1 == ranks ? 3 : 0), "%llu rows",
          (unsigned long long)(last - first));
    for (uint64_t at = first * WIDE_BYTES; at < last * WIDE_BYTES; at += 4095) {
        CHECK(wide[at] == at / WIDE_BYTES + 1, "byte %llu", (unsigned long long)at);
    }
    keel_mpi_rows_free(&rows);
    free(shares);
}

/* The last rank comes to no hook, as with KEEL_MPI_DEADLINE=1. */
static void check_absence(void)
{
    struct keel_mpi_rows *rows;
    int code = KEEL_MPI_OK;

    name_context(10, KEEL_MPI_ADJACENT, "absence");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 20 && rank + 1 < ranks; i++) {
        int now = keel_mpi_rows_balance(rows, NULL);
        CHECK(code == KEEL_MPI_OK || now == KEEL_MPI_OK, "told twice");
        code = now != KEEL_MPI_OK ? now : code;
    }
    CHECK(rank + 1 == ranks || code == KEEL_MPI_LATE, "code %d", code);
}

/* The last rank stays away once balancing goes on. */
static void check_leaving(void)
{
    struct keel_mpi_rows *rows;
    int code = KEEL_MPI_OK;

    name_context(10, KEEL_MPI_ADJACENT, "leaving");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 200 && (rank + 1 < ranks || i < 20); i++) {
        keel_mpi_rows_work_begin(rows);
        nap(2000);
        keel_mpi_rows_work_end(rows);
        int now = keel_mpi_rows_balance(rows, NULL);
        code = now != KEEL_MPI_OK ? now : code;
    }
    CHECK(rank + 1 == ranks || code == KEEL_MPI_LATE, "code %d", code);
}

/* Hooks of which some ranks have called another number. */
static void check_different_hooks(void)
{
    struct keel_mpi_rows *rows;
    int code = KEEL_MPI_OK;

    name_context(10, KEEL_MPI_ADJACENT, "different hooks");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 40; i++) {
        if (i == 5) {
            keel_mpi_rows_set_balance(rows, rank == 0 ? "off" : "rate");
        }
        int now = i < 10 ? KEEL_MPI_OK : keel_mpi_rows_balance(rows, NULL);
        code = now != KEEL_MPI_OK ? now : code;
    }
    CHECK(code == KEEL_MPI_MISMATCH, "code %d", code);
    keel_mpi_rows_free(&rows);
}

/* Neither loops nor marked work. */
static void check_unseen(void)
{
    struct keel_mpi_rows *rows;
    uint64_t moved;

    name_context(10, KEEL_MPI_ADJACENT, "unseen");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 30; i++) {
        nap(5000);
        CHECK(keel_mpi_rows_balance(rows, &moved) == KEEL_MPI_OK && moved == 0, "hook %d", i);
    }
    keel_mpi_rows_free(&rows);
}

/* Handles as creating leaves them where it fails. */
static void check_nothing(void)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct keel_mpi_rows *none = NULL;
    const uint64_t *row;
    uint64_t first, last;
    double weight = 1;
    void *array;
    int owner;

    CHECK(keel_mpi_rows_balance(none, NULL) == KEEL_MPI_ARGUMENT, "balance");
    CHECK(keel_mpi_rows_free(&none) == KEEL_MPI_ARGUMENT, "free");
    CHECK(keel_mpi_rows_array(none, 1, 1, 0, &array) == KEEL_MPI_ARGUMENT, "array");
    CHECK(keel_mpi_rows_items(none, &calls) == KEEL_MPI_ARGUMENT, "items");
    CHECK(keel_mpi_rows_bounds(none, &first, &last) == KEEL_MPI_ARGUMENT, "bounds");
    CHECK(keel_mpi_rows_list(none, &row, &last) == KEEL_MPI_ARGUMENT && last == 0, "list");
    CHECK(keel_mpi_rows_owner(none, 0, &owner) == KEEL_MPI_ARGUMENT, "owner");
    CHECK(keel_mpi_rows_exchange(none, NULL) == KEEL_MPI_ARGUMENT, "exchange");
    CHECK(keel_mpi_rows_gather(none, &weight, &weight, 0) == KEEL_MPI_ARGUMENT, "gather");
    CHECK(keel_mpi_rows_weigh(none, 0, 1, &weight) == KEEL_MPI_ARGUMENT, "weigh");
    CHECK(keel_mpi_rows_weigh_ahead(none, 0, 1, &weight) == KEEL_MPI_ARGUMENT, "weigh ahead");
    CHECK(keel_mpi_rows_expect(none, 1) == KEEL_MPI_ARGUMENT, "expect");
    CHECK(keel_mpi_rows_set_balance(none, "off") == KEEL_MPI_ARGUMENT, "set");
    CHECK(keel_mpi_rows_move(none, &first) == KEEL_MPI_ARGUMENT, "move");
    CHECK(keel_mpi_rows_report(none, &report) == KEEL_MPI_ARGUMENT, "report");
    keel_mpi_rows_work_begin(none);
    keel_mpi_rows_work_end(none);
}

static void check_arguments(void)
{
    struct keel_mpi_rows *rows;
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares);
    double weight = -1;
    void *array;
    int owner;

    name_context(10, KEEL_MPI_ADJACENT, "arguments");
    CHECK(keel_mpi_rows_create(MPI_COMM_NULL, 10, 0, &rows) == KEEL_MPI_COMM, "no communicator");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, 10, 2, &rows) == KEEL_MPI_ARGUMENT, "kind 2");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, UINT64_MAX, 0, &rows) == KEEL_MPI_ARGUMENT, "many");
    CHECK(ranks == 1 || keel_mpi_rows_create(MPI_COMM_WORLD, rank == 0 ? 10 : 11, 0, &rows) ==
                            KEEL_MPI_MISMATCH,
          "different numbers");
    CHECK(rows == NULL, "there is a distribution");
    check_nothing();
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, 0, &rows);
    CHECK(keel_mpi_rows_array(rows, 0, 1, 0, &array) == KEEL_MPI_ARGUMENT, "no bytes");
    CHECK(keel_mpi_rows_array(rows, 8, UINT64_MAX / 4, 0, &array) == KEEL_MPI_NO_ROOM, "too large");
    CHECK(array == NULL, "there is an array");
    CHECK(keel_mpi_rows_gather(rows, &owner, NULL, 0) == KEEL_MPI_ARGUMENT, "no array");
    CHECK(keel_mpi_rows_array(rows, 8, 1, 0, &array) == KEEL_MPI_OK, "an array");
    CHECK(keel_mpi_rows_gather(rows, array, NULL, 0) == KEEL_MPI_ARGUMENT, "nowhere to gather to");
    CHECK(keel_mpi_rows_owner(rows, 10, &owner) == KEEL_MPI_ARGUMENT, "no row");
    CHECK(keel_mpi_rows_weigh(rows, 0, 1, &weight) == KEEL_MPI_ARGUMENT, "negative weight");
    shares[0] = 9;
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_ARGUMENT, "shares of 9");
    shares[0] = UINT64_MAX;
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_ARGUMENT, "shares of all numbers");
    if (ranks > 1) {
        shares[0] = rank == 0 ? 10 : 9;
        shares[1] = rank == 0 ? 0 : 1;
        CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_MISMATCH, "different shares");
    }
    CHECK(keel_mpi_rows_set_balance(rows, "nothing") == KEEL_MPI_ARGUMENT, "no policy");
    keel_mpi_rows_free(&rows);
    free(shares);
}

/* --- --- */

static const struct {
    const char *name;
    void (*check)(void);
} checks[] = {
    {"moves", check_movements},
    {"hooks", check_hooks},
    {"small", check_small_weights},
    {"shaken", check_shaken},
    {"ahead", check_ahead},
    {"off", check_off},
    {"word", check_word},
    {"functions", check_failures_of_functions},
    {"memory", check_memory},
    {"wide", check_wide},
    {"absence", check_absence},
    {"leaving", check_leaving},
    {"different", check_different_hooks},
    {"unseen", check_unseen},
    {"arguments", check_arguments},
};

static void run(const char *name)
{
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            checks[i].check();
            return;
        }
    }
    CHECK(0, "no check is called %s", name);
}

int main(int arguments, char **argument)
{
    int level, failed, any;

    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seed = draws_seed();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    same = (struct draws){seed};
    for (int i = 1; i < arguments; i++) {
        run(argument[i]);
    }
    failed = check_status();
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
