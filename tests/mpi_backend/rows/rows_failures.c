/* Rows among real ranks when something goes wrong: functions that fail, no memory, ranks that stay
 * away or differ, bad arguments. `rows_failures CHECK...`, under mpirun; says what is wrong. */
#include <sys/resource.h>

#include "tests/mpi_backend/rows/world.h"
#include "tests/support/nap.h"

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

static const struct rank_check checks[] = {
    {"functions", check_failures_of_functions},
    {"memory", check_memory},
    {"absence", check_absence},
    {"leaving", check_leaving},
    {"different", check_different_hooks},
    {"unseen", check_unseen},
    {"arguments", check_arguments},
};

int main(int arguments, char **argument)
{
    return rank_checks_main(checks, sizeof checks / sizeof checks[0], arguments, argument,
                            MPI_THREAD_FUNNELED);
}
