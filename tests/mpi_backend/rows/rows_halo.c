/* Halos of arrays among real ranks: after an exchange a rank has its own rows unchanged, and those
 * around them as their owners have them, wherever rows have moved before. `rows_halo CHECK...`,
 * under mpirun; prints errors. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"

/* --- arrays with distinct rows --- */

#define ARRAYS 3

struct array {
    size_t size;
    uint64_t length, halo;
    unsigned char *base;
    uint64_t generation; /* of the values that its owners have written */
};

struct distribution {
    struct keel_mpi_rows *rows;
    uint64_t count;
    struct array array[ARRAYS];
};

static unsigned char byte_of(const struct array *array, uint64_t row, size_t byte)
{
    return (unsigned char)((row + 1) * 31 + array->generation * 7 + array->size + byte % 251);
}

static size_t row_bytes(const struct array *array)
{
    return array->size * array->length;
}

static void write_row(const struct array *array, uint64_t row)
{
    for (size_t i = 0; i < row_bytes(array); i++) {
        array->base[row * row_bytes(array) + i] = byte_of(array, row, i);
    }
}

static bool is_written(const struct array *array, uint64_t row)
{
    for (size_t i = 0; i < row_bytes(array); i++) {
        if (array->base[row * row_bytes(array) + i] != byte_of(array, row, i)) {
            return false;
        }
    }
    return true;
}

static bool is_own(const struct distribution *of, uint64_t row)
{
    int owner = -1;

    RETURNS(keel_mpi_rows_owner(of->rows, row, &owner), KEEL_MPI_OK);
    return owner == rank;
}

/* Whether the row is at most a halo away from an own one. */
static bool is_around(const struct distribution *of, const struct array *array, uint64_t row)
{
    for (uint64_t own = 0; own < of->count; own++) {
        uint64_t distance = own < row ? row - own : own - row;
        if (distance <= array->halo && is_own(of, own)) {
            return true;
        }
    }
    return false;
}

/* Fills own rows with a new generation, and the halo with other values. */
static void write_all(const struct distribution *of, struct array *array)
{
    array->generation++;
    for (uint64_t row = 0; row < of->count; row++) {
        if (is_own(of, row)) {
            write_row(array, row);
        } else if (is_around(of, array, row)) {
            memset(array->base + row * row_bytes(array), 0xee, row_bytes(array));
        }
    }
}

static void check_own(const struct distribution *of, const struct array *array)
{
    for (uint64_t row = 0; row < of->count; row++) {
        CHECK(!is_own(of, row) || is_written(array, row), "own row %lu of %lu is not as it was",
              row, of->count);
    }
}

static void check_halo(const struct distribution *of, const struct array *array)
{
    for (uint64_t row = 0; row < of->count; row++) {
        CHECK(!is_around(of, array, row) || is_written(array, row),
              "row %lu of %lu, halo %lu, differs from its owner's", row, of->count, array->halo);
    }
}

static void add_array(struct distribution *of, int i, size_t size, uint64_t length, uint64_t halo)
{
    struct array *array = &of->array[i];
    void *base = NULL;

    *array = (struct array){.size = size, .length = length, .halo = halo};
    RETURNS(keel_mpi_rows_array(of->rows, size, length, halo, &base), KEEL_MPI_OK);
    array->base = base;
}

static void create(struct distribution *of, uint64_t count, unsigned how, uint64_t halo)
{
    snprintf(check_context, sizeof check_context,
             " (%lu rows, kind %u, halo %lu, rank %d of %d, KEEL_TEST_SEED=%lu)", count, how, halo,
             rank, ranks, seed);
    *of = (struct distribution){.count = count};
    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, count, how, &of->rows), KEEL_MPI_OK);
    add_array(of, 0, 8, 5, halo);
    add_array(of, 1, 1, 1, halo);
    add_array(of, 2, 2, 3000, halo > 0 ? halo - 1 : 2);
}

static void destroy(struct distribution *of)
{
    RETURNS(keel_mpi_rows_free(&of->rows), KEEL_MPI_OK);
}

static int move(const struct distribution *of)
{
    uint64_t shares[64] = {0};

    /* Mostly to some of the ranks. */
    uint64_t few = 1 + draws_below(&same, (uint64_t)ranks), from = draws_below(&same, 64);
    for (uint64_t i = 0; i < of->count; i++) {
        shares[(from + draws_below(&same, few)) % (uint64_t)ranks]++;
    }
    return keel_mpi_rows_move(of->rows, shares);
}

/* --- exchanges --- */

static void begin(const struct distribution *of, const void *array)
{
    RETURNS(keel_mpi_rows_exchange_begin(of->rows, array), KEEL_MPI_OK);
}

static void end(const struct distribution *of, const void *array)
{
    RETURNS(keel_mpi_rows_exchange_end(of->rows, array), KEEL_MPI_OK);
}

static void one_by_one(const struct distribution *of)
{
    for (int i = 0; i < ARRAYS; i++) {
        RETURNS(keel_mpi_rows_exchange(of->rows, of->array[i].base), KEEL_MPI_OK);
    }
}

static void all_at_once(const struct distribution *of)
{
    RETURNS(keel_mpi_rows_exchange(of->rows, NULL), KEEL_MPI_OK);
}

static void in_two_steps(const struct distribution *of)
{
    begin(of, NULL);
    end(of, NULL);
}

static void one_within_the_other(const struct distribution *of)
{
    for (int i = 0; i < ARRAYS; i++) {
        begin(of, of->array[i].base);
    }
    for (int i = ARRAYS - 1; i >= 0; i--) {
        end(of, of->array[i].base);
    }
}

static void one_before_the_others(const struct distribution *of)
{
    begin(of, of->array[1].base);
    begin(of, of->array[0].base);
    end(of, of->array[1].base);
    begin(of, of->array[2].base);
    end(of, NULL);
}

static void in_another_order_on_each_rank(const struct distribution *of)
{
    for (int i = 0; i < ARRAYS; i++) {
        begin(of, of->array[(i + rank) % ARRAYS].base);
    }
    end(of, NULL);
}

static void (*const ways[])(const struct distribution *of) = {
    in_another_order_on_each_rank, one_by_one,           all_at_once, in_two_steps,
    one_within_the_other,          one_before_the_others};

/* One of the ways to exchange, before each of some movements. */
static void exchange_and_move(struct distribution *of)
{
    for (int i = 0; i < ARRAYS; i++) {
        write_all(of, &of->array[i]);
    }
    for (int movement = 0; movement < 4; movement++) {
        void (*exchange)(const struct distribution *of) =
            ways[draws_below(&same, sizeof ways / sizeof ways[0])];
        for (int i = 0; i < ARRAYS; i++) {
            check_own(of, &of->array[i]);
            write_all(of, &of->array[i]);
        }
        exchange(of);
        for (int i = 0; i < ARRAYS; i++) {
            check_own(of, &of->array[i]);
            check_halo(of, &of->array[i]);
        }
        CHECK(move(of) == KEEL_MPI_OK, "not moved");
    }
}

RANK_CHECK(exchanges)
{
    static const uint64_t counts[] = {0, 1, 2, 7, 100};

    for (unsigned how = KEEL_MPI_ADJACENT; how <= KEEL_MPI_ANY; how++) {
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            const uint64_t halos[] = {0, 1, 3, counts[n] + 5};
            for (size_t h = 0; h < sizeof halos / sizeof halos[0]; h++) {
                struct distribution of;

                create(&of, counts[n], how, halos[h]);
                exchange_and_move(&of);
                destroy(&of);
            }
        }
    }
}

/* Rows of a MiB, which are sent only when they are awaited. */
RANK_CHECK(large)
{
    struct distribution of = {.count = 20};

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 20, KEEL_MPI_ANY, &of.rows), KEEL_MPI_OK);
    add_array(&of, 0, 1024, 1024, 2);
    for (int movement = 0; movement < 3; movement++) {
        write_all(&of, &of.array[0]);
        all_at_once(&of);
        check_halo(&of, &of.array[0]);
        CHECK(move(&of) == KEEL_MPI_OK, "not moved");
        check_own(&of, &of.array[0]);
    }
    destroy(&of);
}

/* --- wrong calls --- */

static void refuse(int code, const char *what)
{
    CHECK(code == KEEL_MPI_ARGUMENT, "%s: code %d", what, code);
}

RANK_CHECK(errors)
{
    struct distribution of;
    int nowhere;

    create(&of, 7, KEEL_MPI_ADJACENT, 1);
    void *first = of.array[0].base, *second = of.array[1].base;
    refuse(keel_mpi_rows_exchange(NULL, first), "no distribution");
    refuse(keel_mpi_rows_exchange(of.rows, &nowhere), "no array");
    refuse(keel_mpi_rows_exchange_begin(of.rows, (char *)first + 1), "not the begin of the array");
    refuse(keel_mpi_rows_exchange_end(of.rows, first), "end without begin");
    refuse(keel_mpi_rows_exchange_end(of.rows, NULL), "end of all without begin");
    begin(&of, first);
    refuse(keel_mpi_rows_exchange_begin(of.rows, first), "begin twice");
    RETURNS(keel_mpi_rows_exchange(of.rows, NULL), KEEL_MPI_OK);
    refuse(keel_mpi_rows_exchange_begin(of.rows, NULL), "begin all, one of them twice");
    refuse(keel_mpi_rows_exchange(of.rows, first), "exchange that is begun already");
    refuse(keel_mpi_rows_exchange_end(of.rows, second), "end of another one");
    end(&of, NULL);
    refuse(keel_mpi_rows_exchange_end(of.rows, first), "end twice");
    /* None of this has done harm. */
    exchange_and_move(&of);
    destroy(&of);
}

/* An exchange without halos is no error. */
RANK_CHECK(nothing)
{
    struct distribution of = {.count = 7};

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 7, KEEL_MPI_ANY, &of.rows), KEEL_MPI_OK);
    all_at_once(&of);
    in_two_steps(&of);
    add_array(&of, 0, 8, 2, 0);
    end(&of, NULL);
    all_at_once(&of);
    in_two_steps(&of);
    begin(&of, of.array[0].base);
    end(&of, of.array[0].base);
    destroy(&of);
}

/* Rows that move before an exchange has ended: a rank that sends or gets rows gets an error. */
RANK_CHECK(moved)
{
    struct distribution of;
    uint64_t shares[64] = {0};

    create(&of, 16, KEEL_MPI_ADJACENT, 1);
    write_all(&of, &of.array[0]);
    begin(&of, of.array[0].base);
    shares[ranks - 1] = 16;
    RETURNS(keel_mpi_rows_move(of.rows, shares), KEEL_MPI_OK);
    check_own(&of, &of.array[0]);
    int code = keel_mpi_rows_exchange_end(of.rows, of.array[0].base);
    CHECK(code == (ranks > 1 ? KEEL_MPI_ARGUMENT : KEEL_MPI_OK), "end after a movement: %d", code);
    exchange_and_move(&of);
    /* An exchange that is never ended ends with its rows. */
    begin(&of, NULL);
    destroy(&of);
}

/* --- memory --- */

/* Bytes of physical memory behind a row of whole pages. */
static size_t resident(const struct array *array, uint64_t row)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 0;
    unsigned char in_core[64];

    CHECK(mincore(array->base + row * row_bytes(array), row_bytes(array), in_core) == 0,
          "row %lu has no address", row);
    for (size_t i = 0; i < row_bytes(array) / page; i++) {
        bytes += (in_core[i] & 1) * page;
    }
    return bytes;
}

/* Rows that have left keep no memory, and rows that have not arrived take none. */
RANK_CHECK(footprint)
{
    struct distribution of = {.count = 50};

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 50, KEEL_MPI_ANY, &of.rows), KEEL_MPI_OK);
    add_array(&of, 0, (size_t)sysconf(_SC_PAGESIZE), 5, 2);
    for (int movement = 0; movement < 5; movement++) {
        write_all(&of, &of.array[0]);
        for (uint64_t row = 0; row < of.count; row++) {
            size_t wanted = is_around(&of, &of.array[0], row) ? row_bytes(&of.array[0]) : 0;
            CHECK(resident(&of.array[0], row) == wanted, "row %lu is not %zu bytes", row, wanted);
        }
        CHECK(move(&of) == KEEL_MPI_OK, "not moved");
    }
    destroy(&of);
}

/* Limits the process to `bytes` more than now; 0: no limit. */
static void limit_memory(size_t bytes)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    FILE *status = fopen("/proc/self/status", "r");
    uint64_t used_kib;
    char line[200];

    while (bytes > 0 && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmData: %lu", &used_kib) == 1) {
            limit.rlim_cur = used_kib * 1024 + bytes;
        }
    }
    fclose(status);
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0, "no limit");
}

/* All rows are to move to the last rank, which has no memory for them: they stay, and halos are
 * exchanged as before. */
RANK_CHECK(memory)
{
    struct distribution of = {.count = 64};
    uint64_t shares[64] = {0};

    RETURNS(keel_mpi_rows_create(MPI_COMM_WORLD, 64, KEEL_MPI_ANY, &of.rows), KEEL_MPI_OK);
    add_array(&of, 0, 1024, 1024, 1);
    write_all(&of, &of.array[0]);
    all_at_once(&of); /* buffers of MPI are allocated */
    shares[ranks - 1] = 64;
    limit_memory(rank == ranks - 1 ? 4 << 20 : 0);
    int code = keel_mpi_rows_move(of.rows, shares);
    CHECK(code == (ranks > 1 ? KEEL_MPI_NO_ROOM : KEEL_MPI_OK),
          "a movement without memory: code %d", code);
    limit_memory(0);
    check_own(&of, &of.array[0]);
    check_halo(&of, &of.array[0]);
    write_all(&of, &of.array[0]);
    all_at_once(&of);
    check_halo(&of, &of.array[0]);
    RETURNS(keel_mpi_rows_move(of.rows, shares), KEEL_MPI_OK);
    check_own(&of, &of.array[0]);
    destroy(&of);
}

RANK_CHECKS_MAIN(MPI_THREAD_SINGLE)
