/* Rows that move among real ranks: after any movement, also one that fails, each row is on one
 * rank, with all its data. `rows CHECK...`, under mpirun; prints errors. */
#include "mpi_backend/include/keel_mpi_recovery.h"
#include "tests/mpi_backend/rows/world.h"

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

static const uint64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, 1337, 6000};
#define COUNTS (sizeof counts / sizeof counts[0])

RANK_CHECK(moves)
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
                RETURNS(keel_mpi_rows_move(world.rows, shares), KEEL_MPI_OK);
                check_world(&world);
            }
            check_gathered(&world, -1);
            check_gathered(&world, (int)draws_below(&same, (uint64_t)ranks));
            close_world(&world);
        }
    }
    free(shares);
}

/* Rows of 100 MiB, by day of 20 MiB, move around all ranks. */
RANK_CHECK(wide)
{
    const uint64_t bytes = (uint64_t)(check_nightly() ? 100 : 20) << 20;
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares), first, last;
    struct keel_mpi_rows *rows;
    unsigned char *wide;

    name_context(3, KEEL_MPI_ADJACENT, "wide");
    keel_mpi_rows_create(MPI_COMM_WORLD, 3, KEEL_MPI_ADJACENT, &rows);
    RETURNS(keel_mpi_rows_array(rows, 1, bytes, 0, (void **)&wide), KEEL_MPI_OK);
    keel_mpi_rows_bounds(rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        memset(wide + row * bytes, (int)row + 1, bytes);
    }
    for (int i = 0; i < 3; i++) {
        memset(shares, 0, (size_t)ranks * sizeof *shares);
        shares[i % 2 == 0 ? ranks - 1 : 0] = 3;
        RETURNS(keel_mpi_rows_move(rows, shares), KEEL_MPI_OK);
    }
    keel_mpi_rows_bounds(rows, &first, &last);
    CHECK(last - first == (rank + 1 == ranks ? 3 : 0), "%lu rows", last - first);
    for (uint64_t at = first * bytes; at < last * bytes; at += 4095) {
        CHECK(wide[at] == at / bytes + 1, "byte %lu", at);
    }
    keel_mpi_rows_free(&rows);
    free(shares);
}

/* --- the balance call, under KEEL_MPI_BALANCE --- */

static void weigh(struct world *world)
{
    const uint64_t *row;
    uint64_t here;

    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        double weight = (double)(content(row[i], 3000) % 16);
        RETURNS(keel_mpi_rows_weigh(world->rows, row[i], row[i] + 1, &weight), KEEL_MPI_OK);
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

/* Ranks of different speed; balance calls as in a program. */
static uint64_t run_calls(struct world *world, int calls, uint64_t us)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t moved, total = 0, slow = (uint64_t)rank % 3 + 1, most, least;

    for (int i = 0; i < calls; i++) {
        keel_mpi_rows_report(world->rows, &report);
        keel_mpi_rows_work_begin(world->rows);
        nap((uint64_t)(report.work * (double)(us * slow)));
        keel_mpi_rows_work_end(world->rows);
        RETURNS(keel_mpi_rows_exchange(world->rows, NULL), KEEL_MPI_OK);
        RETURNS(keel_mpi_rows_balance(world->rows, &moved), KEEL_MPI_OK);
        MPI_Allreduce(&moved, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&moved, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
        CHECK(most == least, "ranks count different numbers of moved rows");
        total += moved;
        if (moved > 0) {
            check_world(world);
        }
    }
    return total;
}

/* Only ratios of weights matter, however small they are. */
RANK_CHECK(small)
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
        RETURNS(keel_mpi_rows_weigh(world.rows, row[i], row[i] + 1, &weight), KEEL_MPI_OK);
        sum += weight;
    }
    keel_mpi_rows_report(world.rows, &report);
    CHECK(report.work > 0.999999 * sum && report.work < 1.000001 * sum, "work is %g, not %g",
          report.work, sum);
    close_world(&world);
}

/* As heavy as possible, and so light that it counts as 0. */
RANK_CHECK(extreme)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e101, -1e-300};
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    uint64_t first, last, moved, total = 0;
    struct keel_mpi_rows *rows;

    keel_mpi_rows_create(MPI_COMM_WORLD, 100, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_bounds(rows, &first, &last);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        RETURNS(keel_mpi_rows_weigh(rows, first, first + 1, &wrong[i]), KEEL_MPI_ARGUMENT);
    }
    for (uint64_t row = first; row < last; row++) {
        double weight = row % 2 == 0 ? 1e100 : 5e-324;
        RETURNS(keel_mpi_rows_weigh(rows, row, row + 1, &weight), KEEL_MPI_OK);
    }
    for (int i = 0; i < 60; i++) {
        keel_mpi_rows_work_begin(rows);
        nap(rank == 0 ? 500 : 2000);
        keel_mpi_rows_work_end(rows);
        RETURNS(keel_mpi_rows_balance(rows, &moved), KEEL_MPI_OK);
        total += moved;
    }
    RETURNS(keel_mpi_rows_report(rows, &report), KEEL_MPI_OK);
    CHECK(report.work >= 0 && report.work < 51e100, "work is %g", report.work);
    CHECK(total > 0, "no rows moved");
    for (int i = 0; i < 120; i++) { /* all of these one after the other */
        static const double all[] = {1e100, 1e-300, 1, 0, 1e-100};
        keel_mpi_rows_bounds(rows, &first, &last);
        for (uint64_t row = first; row < last; row++) {
            double weight = all[(i / 6 + (rank == 0)) % 5];
            RETURNS(keel_mpi_rows_weigh(rows, row, row + 1, &weight), KEEL_MPI_OK);
        }
        keel_mpi_rows_work_begin(rows);
        nap(500);
        keel_mpi_rows_work_end(rows);
        RETURNS(keel_mpi_rows_balance(rows, NULL), KEEL_MPI_OK);
    }
    keel_mpi_rows_free(&rows);
}

static const char *policy; /* of new rows; NULL: by the environment, or the default */

/* At night each number of rows with each kind of them, by day in turns. */
RANK_CHECK(calls)
{
    static const uint64_t some[] = {0, 1, 5, 40, 700};
    struct world world;

    for (size_t c = 0; c < sizeof some / sizeof some[0]; c++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            if (!check_nightly() && (kind == 0 || kind == 3) != (c % 2 == 0)) {
                continue;
            }
            unsigned how = kind % 2 == 0 ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY;
            name_context(some[c], how, policy != NULL ? policy : kind < 2 ? "calls" : "weighed");
            open_world(&world, some[c], how, kind > 0);
            if (policy != NULL) {
                RETURNS(keel_mpi_rows_set_balance(world.rows, policy), KEEL_MPI_OK);
            }
            if (kind >= 2) {
                weigh(&world);
            }
            run_calls(&world, 20, 2000 / (some[c] * (kind < 2 ? 1 : 8) + 1));
            check_world(&world);
            if (kind >= 2) {
                check_weights(&world);
            }
            check_gathered(&world, 0);
            close_world(&world);
        }
    }
}

/* Under each policy in POLICIES, one after the other. */
RANK_CHECK(policies)
{
    char names[512], *rest = names;

    snprintf(names, sizeof names, "%s", getenv("POLICIES"));
    while ((policy = strtok_r(rest, " ", &rest)) != NULL) {
        check_calls();
    }
}

/* Every balance call moves rows, with KEEL_MPI_BALANCE=shake. */
RANK_CHECK(shaken)
{
    struct world world;

    name_context(100, KEEL_MPI_ADJACENT, "shaken");
    open_world(&world, 100, KEEL_MPI_ADJACENT, true);
    uint64_t moved = run_calls(&world, 20, 0);
    CHECK(ranks == 1 || moved > 100, "%lu rows moved", moved);
    close_world(&world);
}

/* A phase counts with the weights that it had, whatever weights were set for later ones. */
RANK_CHECK(ahead)
{
    const uint64_t us = 2000, *row;
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct world world;
    uint64_t here;

    name_context(40, KEEL_MPI_ADJACENT, "ahead");
    open_world(&world, 40, KEEL_MPI_ADJACENT, false);
    for (int call = 0; call < 20; call++) {
        double weight = call % 2 == 0 ? 1000 : 1;
        keel_mpi_rows_report(world.rows, &report);
        double most = report.work / ((double)us * 1e-6);
        keel_mpi_rows_work_begin(world.rows);
        nap(us);
        keel_mpi_rows_work_end(world.rows);
        keel_mpi_rows_list(world.rows, &row, &here);
        for (uint64_t i = 0; i < here; i++) {
            RETURNS(keel_mpi_rows_weigh_ahead(world.rows, row[i], row[i] + 1, &weight),
                    KEEL_MPI_OK);
        }
        RETURNS(keel_mpi_rows_balance(world.rows, NULL), KEEL_MPI_OK);
        keel_mpi_rows_report(world.rows, &report);
        CHECK(call == 0 || ranks == 1 || here == 0 || report.rate > 0, "call %d: no rate", call);
        CHECK(report.rate <= most * 1.01, "call %d: %g work per s, at most %g", call, report.rate,
              most);
    }
    close_world(&world);
}

/* No rows move, with KEEL_MPI_BALANCE=off. */
RANK_CHECK(off)
{
    struct world world;

    name_context(100, KEEL_MPI_ADJACENT, "off");
    open_world(&world, 100, KEEL_MPI_ADJACENT, true);
    CHECK(run_calls(&world, 20, 10) == 0, "rows moved");
    close_world(&world);
}

/* The policy set by the program, if the environment sets none. */
RANK_CHECK(policy_set)
{
    struct world world;

    name_context(100, KEEL_MPI_ANY, "word");
    open_world(&world, 100, KEEL_MPI_ANY, false);
    RETURNS(keel_mpi_rows_set_balance(world.rows, "shake"), KEEL_MPI_OK);
    CHECK(ranks == 1 || run_calls(&world, 20, 0) > 0, "no rows moved");
    close_world(&world);
}

/* If balance calls follow each other in no time, measurements are due ever more rarely: each period
 * is at most eight times as long as the one before. */
RANK_CHECK(rare)
{
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    struct world world;

    name_context(100, KEEL_MPI_ADJACENT, "rare");
    open_world(&world, 100, KEEL_MPI_ADJACENT, false);
    RETURNS(keel_mpi_rows_set_balance(world.rows, "rate-local:period=1"), KEEL_MPI_OK);
    for (int call = 0; call < 5000; call++) {
        keel_mpi_rows_work_begin(world.rows); /* otherwise a message says that none was marked */
        keel_mpi_rows_work_end(world.rows);
        RETURNS(keel_mpi_rows_balance(world.rows, NULL), KEEL_MPI_OK);
    }
    keel_mpi_rows_report(world.rows, &report);
    CHECK(report.interactions < 50, "%lu exchanges in 5000 balance calls", report.interactions);
    close_world(&world);
}

/* --- errors --- */

/* All rows move to the last rank; a function fails once. */
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
    RETURNS(keel_mpi_rows_move(world.rows, shares), KEEL_MPI_OK);
    check_world(&world);
    close_world(&world);
    free(shares);
}

/* Three ranks. The one in the middle both sends and receives, if rows are adjacent. */
RANK_CHECK(functions)
{
    check_failure(300, KEEL_MPI_ADJACENT, 0, 1);
    check_failure(300, KEEL_MPI_ADJACENT, 0, 77);
    for (uint64_t nth = 1; nth < 60; nth += 29) {
        check_failure(300, KEEL_MPI_ADJACENT, nth, 0);
        check_failure(300, KEEL_MPI_ANY, nth, 0);
    }
}

/* The last rank makes no balance call; KEEL_MPI_DEADLINE is short. */
RANK_CHECK(absence)
{
    struct keel_mpi_rows *rows;
    int code = KEEL_MPI_OK;

    name_context(10, KEEL_MPI_ADJACENT, "absence");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 20 && rank + 1 < ranks; i++) {
        int now = keel_mpi_rows_balance(rows, NULL);
        CHECK(code == KEEL_MPI_OK || now == KEEL_MPI_OK, "returned twice");
        code = now != KEEL_MPI_OK ? now : code;
    }
    CHECK(rank + 1 == ranks || code == KEEL_MPI_LATE, "code %d", code);
}

/* The last rank stays away after balancing has begun. */
RANK_CHECK(leaving)
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

/* Balance calls whose numbers differ between ranks. */
RANK_CHECK(different)
{
    struct keel_mpi_rows *rows;
    int code = KEEL_MPI_OK;

    name_context(10, KEEL_MPI_ADJACENT, "different balance calls");
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

/* KEEL_MPI_WEIGHTS, from which first blocks follow, is not the same on all ranks. */
RANK_CHECK(other_weights)
{
    struct keel_mpi_rows *rows;

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 100, KEEL_MPI_ADJACENT, &rows), KEEL_MPI_MISMATCH);
    CHECK(rows == NULL, "there is a distribution");
}

/* There are neither loops nor marked work. */
RANK_CHECK(unseen)
{
    struct keel_mpi_rows *rows;
    uint64_t moved;

    name_context(10, KEEL_MPI_ADJACENT, "unseen");
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, KEEL_MPI_ADJACENT, &rows);
    for (int i = 0; i < 30; i++) {
        nap(5000);
        CHECK(keel_mpi_rows_balance(rows, &moved) == KEEL_MPI_OK && moved == 0, "call %d", i);
    }
    keel_mpi_rows_free(&rows);
}

/* Handles after creating them has failed. */
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
    CHECK(keel_mpi_rows_free(NULL) == KEEL_MPI_ARGUMENT, "free of NULL");
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

RANK_CHECK(arguments)
{
    struct keel_mpi_rows *rows;
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares);
    double weight = -1, together[10];
    void *array, *other;
    int owner;

    name_context(10, KEEL_MPI_ADJACENT, "arguments");
    CHECK(keel_mpi_rows_create(MPI_COMM_NULL, 10, 0, &rows) == KEEL_MPI_COMM, "no communicator");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, 10, 2, &rows) == KEEL_MPI_ARGUMENT, "kind 2");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, UINT64_MAX, 0, &rows) == KEEL_MPI_ARGUMENT, "many");
    CHECK(keel_mpi_rows_create(MPI_COMM_WORLD, 10, 0, rank == 0 ? NULL : &rows) ==
              KEEL_MPI_ARGUMENT,
          "no distribution");
    CHECK(ranks == 1 || keel_mpi_rows_create(MPI_COMM_WORLD, rank == 0 ? 10 : 11, 0, &rows) ==
                            KEEL_MPI_MISMATCH,
          "different numbers");
    CHECK(rows == NULL, "there is a distribution");
    check_nothing();
    keel_mpi_rows_create(MPI_COMM_WORLD, 10, 0, &rows);
    CHECK(keel_mpi_rows_array(rows, 0, 1, 0, &array) == KEEL_MPI_ARGUMENT, "no bytes");
    CHECK(keel_mpi_rows_array(rows, 8, 1, 0, rank == 0 ? NULL : &array) == KEEL_MPI_ARGUMENT,
          "no address");
    CHECK(keel_mpi_rows_array(rows, 8, UINT64_MAX / 4, 0, &array) == KEEL_MPI_NO_ROOM, "too large");
    CHECK(array == NULL, "there is an array");
    CHECK(keel_mpi_rows_gather(rows, &owner, NULL, 0) == KEEL_MPI_ARGUMENT, "no array");
    RETURNS(keel_mpi_rows_array(rows, 8, 1, 0, &array), KEEL_MPI_OK);
    RETURNS(keel_mpi_rows_array(rows, 8, 1, 0, &other), KEEL_MPI_OK);
    CHECK(keel_mpi_rows_address(rows, 0, NULL) == KEEL_MPI_ARGUMENT, "address to NULL");
    CHECK(keel_mpi_rows_gather(rows, array, NULL, 0) == KEEL_MPI_ARGUMENT, "gather without buffer");
    CHECK(keel_mpi_rows_allgather(rows, array, MPI_IN_PLACE) == KEEL_MPI_ARGUMENT, "in place");
    CHECK(keel_mpi_rows_items(rows, NULL) == KEEL_MPI_ARGUMENT, "no items");
    CHECK(keel_mpi_rows_report(rows, NULL) == KEEL_MPI_ARGUMENT, "no report");
    CHECK(keel_mpi_rows_owner(rows, 10, &owner) == KEEL_MPI_ARGUMENT, "no row");
    CHECK(keel_mpi_rows_weigh(rows, 0, 1, &weight) == KEEL_MPI_ARGUMENT, "negative weight");
    shares[0] = 9;
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_ARGUMENT, "shares of 9");
    shares[0] = UINT64_MAX;
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_ARGUMENT, "shares of all numbers");
    shares[0] = 10;
    CHECK(keel_mpi_rows_move(rows, rank == ranks - 1 ? NULL : shares) == KEEL_MPI_ARGUMENT,
          "no shares");
    if (ranks > 1) {
        shares[0] = rank == 0 ? 10 : 9;
        shares[1] = rank == 0 ? 0 : 1;
        CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_MISMATCH, "different shares");
        CHECK(keel_mpi_rows_allgather(rows, rank == 0 ? array : other, together) ==
                  KEEL_MPI_MISMATCH,
              "different arrays");
        CHECK(keel_mpi_rows_gather(rows, array, together, rank == 0) == KEEL_MPI_MISMATCH,
              "different roots");
    }
    CHECK(keel_mpi_rows_set_balance(rows, "nothing") == KEEL_MPI_ARGUMENT, "no policy");
    keel_mpi_rows_free(&rows);
    free(shares);
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
