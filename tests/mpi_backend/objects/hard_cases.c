/* Hard cases of objects that move. `hard_cases CHECK...`, under mpirun; says what is wrong. */
#include <malloc.h>
#include <stdbool.h>

#include "tests/mpi_backend/objects/bag.h"
#include "tests/support/nap.h"

static struct keel_mpi_objects *bag;
static uint64_t handled, came_back;

static void count(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    (void)context;
    (void)index;
    (void)data;
    (void)message;
    (void)bytes;
    handled++;
}

static void undelivered(void *context, uint64_t index, unsigned handler, const void *message,
                        size_t bytes)
{
    (void)context;
    (void)index;
    (void)handler;
    (void)message;
    (void)bytes;
    came_back++;
}

static keel_mpi_objects_handler *const counting[] = {count};

static void compute_slowly(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    ((struct thing *)data)->computed++;
    nap(2000);
}

static void insert(uint64_t index, uint64_t size)
{
    int code = keel_mpi_objects_insert(bag, index, thing_new(index, size));

    CHECK(code == KEEL_MPI_OK, "insert: code %d", code);
}

static void check_code(int code, int expected)
{
    CHECK(code == expected, "code %d, not %d", code, expected);
}

/* --- where objects are at first --- */

/* All on one rank: others get some of them. */
static void check_one_rank(void)
{
    bag = bag_open(counting, 1, undelivered);
    for (uint64_t i = 0; rank == 0 && i < 60; i++) {
        insert(i, 1000);
    }
    check_code(keel_mpi_objects_each(bag, compute_slowly), KEEL_MPI_OK);
    struct keel_mpi_objects_report report = bag_report(bag);
    CHECK(sum_of(report.computed) == 60, "%llu computed", (unsigned long long)report.computed);
    CHECK(sum_of(report.given) >= (uint64_t)ranks - 1, "%llu given",
          (unsigned long long)report.given);
    CHECK(report.computed > 0, "nothing computed");
    bag_close(&bag);
}

/* Fewer objects than ranks, and none. */
static void check_few(void)
{
    for (uint64_t objects = 0; objects < 3; objects++) {
        bag = bag_open(counting, 1, undelivered);
        for (uint64_t i = 0; rank == ranks - 1 && i < objects; i++) {
            insert(i, 10);
        }
        for (int phase = 0; phase < 5; phase++) {
            check_code(keel_mpi_objects_each(bag, compute_slowly), KEEL_MPI_OK);
            keel_mpi_objects_send(bag, 0, 0, NULL, 0);
            check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
        }
        CHECK(sum_of(things) == objects, "%llu objects", (unsigned long long)things);
        uint64_t all_handled = sum_of(handled), all_back = sum_of(came_back);
        CHECK(all_handled == (objects > 0 ? 5U * (unsigned)ranks : 0) &&
                  all_handled + all_back == 5U * (unsigned)ranks,
              "%llu handled, %llu came back", (unsigned long long)all_handled,
              (unsigned long long)all_back);
        handled = came_back = 0;
        bag_close(&bag);
    }
}

/* --- errors --- */

/* Messages to nobody come back, or are the phase's code; nothing hangs. */
static void check_nobody(void)
{
    int owner = 5;

    bag = bag_open(counting, 1, undelivered);
    insert((uint64_t)rank, 10);
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    keel_mpi_objects_send(bag, 1000, 0, "x", 1);
    keel_mpi_objects_delete(bag, 1001);
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    CHECK(came_back == 2, "%llu came back", (unsigned long long)came_back);
    keel_mpi_objects_delete(bag, (uint64_t)((rank + 1) % ranks));
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    CHECK(things == 0 && came_back == 2, "%llu objects", (unsigned long long)things);
    insert((uint64_t)rank, 10); /* its index is free again */
    check_code(
        keel_mpi_objects_owner(bag, &(uint64_t){(uint64_t)(rank + 1) % (uint64_t)ranks}, 1, &owner),
        KEEL_MPI_OK);
    CHECK(owner == (rank + 1) % ranks, "owner %d", owner);
    bag_close(&bag);

    bag = bag_open(counting, 1, NULL);
    if (rank == 0) {
        keel_mpi_objects_send(bag, 1000, 0, "x", 1);
    }
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_NO_OBJECT);
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    bag_close(&bag);
    came_back = 0;
}

/* The program's mistakes: codes, and a message each. */
static void check_mistakes(void)
{
    struct keel_mpi_objects_report short_report = {.struct_size = 3};
    struct keel_mpi_objects *none = NULL;
    struct keel_mpi_objects_functions functions = {.struct_size = 5};

    check_code(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &none), KEEL_MPI_ARGUMENT);
    CHECK(none == NULL, "a bag");
    bag = bag_open(counting, 1, undelivered);
    check_code(keel_mpi_objects_send(bag, 1, 1, NULL, 0), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_send(NULL, 1, 0, NULL, 0), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_wait(NULL), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_report(bag, &short_report), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_set_balance(bag, "gradient"), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_weigh(bag, 1, 1), KEEL_MPI_ARGUMENT);
    insert((uint64_t)rank, 1);
    struct thing *thing = thing_new((uint64_t)rank, 1);
    check_code(keel_mpi_objects_insert(bag, (uint64_t)rank, thing), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_weigh(bag, (uint64_t)rank, -1), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_weigh(bag, (uint64_t)rank, 2), KEEL_MPI_OK);
    thing_drop(NULL, (uint64_t)rank, thing);
    check_code(keel_mpi_objects_gather(bag, ranks, NULL), KEEL_MPI_ARGUMENT);
    check_code(rank == 0 ? keel_mpi_objects_wait(bag) : keel_mpi_objects_each(bag, compute_slowly),
               ranks > 1 ? KEEL_MPI_MISMATCH : KEEL_MPI_OK);
    check_code(keel_mpi_objects_each(bag, NULL), KEEL_MPI_ARGUMENT);
    check_code(keel_mpi_objects_each(bag, compute_slowly), KEEL_MPI_OK);
    bag_close(&bag);
}

/* --- many --- */

#define STORM 6000

static uint64_t made;

/* Each makes two more until there are enough; all are deleted at the end. */
static void breed(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    uint64_t left = *(const uint64_t *)message;

    (void)context;
    (void)index;
    (void)data;
    (void)bytes;
    made++;
    for (unsigned i = 0; i < 2 && left > 0; i++) {
        uint64_t part = i == 0 ? left / 2 : (left - 1) / 2, next = keel_mpi_objects_new_index(bag);
        if (i == 0 || left > 1) {
            insert(next, 20);
            keel_mpi_objects_send(bag, next, 0, &part, sizeof part);
        }
    }
}

static keel_mpi_objects_handler *const breeding[] = {breed};

static void delete_itself(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)data;
    check_code(keel_mpi_objects_delete(bag, index), KEEL_MPI_OK);
}

static void check_storm(void)
{
    uint64_t left = STORM;

    made = 0;
    bag = bag_open(breeding, 1, undelivered);
    if (rank == 0) {
        insert(0, 20);
        keel_mpi_objects_send(bag, 0, 0, &left, sizeof left);
    }
    check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    uint64_t all = sum_of(made);
    CHECK(all > STORM / 2 && all == sum_of(things), "%llu made, %llu there",
          (unsigned long long)all, (unsigned long long)things);
    check_code(keel_mpi_objects_each(bag, delete_itself), KEEL_MPI_OK);
    CHECK(things == 0, "%llu objects are left", (unsigned long long)things);
    bag_close(&bag);
}

#define MANY 100000

/* Memory of the process that is in use. */
static uint64_t used_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Objects of 100 bytes: what they take beside their data is bounded. */
static void check_memory(void)
{
    static unsigned char data[100];
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions};

    for (uint64_t objects = MANY; objects < 2 * MANY; objects += MANY / 5) {
        check_code(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &bag), KEEL_MPI_OK);
        uint64_t before = used_bytes();
        for (uint64_t i = (uint64_t)rank; i < objects; i += (uint64_t)ranks) {
            check_code(keel_mpi_objects_insert(bag, i, data), KEEL_MPI_OK);
        }
        check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
        uint64_t used = sum_of(used_bytes() - before);
        struct keel_mpi_objects_report report = {.struct_size = sizeof report};
        keel_mpi_objects_report(bag, &report);
        uint64_t kept = sum_of(report.bytes_kept);
        CHECK(used <= 128 * objects, "%.1f bytes for each of %llu objects",
              (double)used / (double)objects, (unsigned long long)objects);
        CHECK(kept <= 128 * objects && kept > 80 * objects, "%.1f bytes told",
              (double)kept / (double)objects);
        check_code(keel_mpi_objects_destroy(&bag), KEEL_MPI_OK);
    }
}

/* --- large --- */

/* Goes to another rank and back, in pieces. */
static void check_large(void)
{
    bag = bag_open(counting, 1, undelivered);
    check_code(keel_mpi_objects_set_balance(bag, "shake"), KEEL_MPI_OK);
    if (rank == 0) {
        insert(0, (uint64_t)10 << 20);
        insert(1, (uint64_t)1 << 20);
        insert(2, ((uint64_t)1 << 20) - 60);
        insert(3, 4000);
    }
    for (int i = 0; i < 24; i++) {
        keel_mpi_objects_send(bag, (uint64_t)i % 4, 0, NULL, 0);
        check_code(keel_mpi_objects_wait(bag), KEEL_MPI_OK);
    }
    CHECK(sum_of(things) == 4, "%llu objects", (unsigned long long)things);
    CHECK(ranks == 1 || sum_of(bag_report(bag).bytes_given) > (uint64_t)10 << 20, "few bytes");
    bag_close(&bag);
}

/* --- teams --- */

static void compute_and_send(void *context, uint64_t index, void *data)
{
    struct thing *thing = data;

    (void)context;
    thing_check(thing, index);
    thing->computed++;
    for (uint64_t i = 0; i < 5; i++) {
        keel_mpi_objects_send(bag, (index * 5 + i) % 300, 0, &i, sizeof i);
    }
    keel_mpi_poll();
}

/* One of an object at a time: no atomics. */
static void add(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    struct thing *thing = data;

    (void)context;
    (void)index;
    (void)message;
    (void)bytes;
    thing->sum++;
}

static keel_mpi_objects_handler *const adding[] = {add};

static uint64_t sums;

static void take_sum(void *context, uint64_t index, const void *packed, size_t size)
{
    struct thing thing;

    (void)context;
    (void)size;
    memcpy(&thing, packed, sizeof thing);
    CHECK(thing.sum == 5 * thing.computed, "object %llu: %llu messages, computed %llu times",
          (unsigned long long)index, (unsigned long long)thing.sum,
          (unsigned long long)thing.computed);
    sums += thing.sum;
}

static void check_team(void)
{
    static const char *const policies[] = {"off", "steal", "shake"};

    for (int i = 0; i < 3; i++) {
        bag = bag_open(adding, 1, undelivered);
        keel_mpi_objects_set_balance(bag, policies[i]);
        for (uint64_t index = (uint64_t)rank; index < 300; index += (uint64_t)ranks) {
            insert(index, 30);
        }
        for (int phase = 0; phase < 8; phase++) {
            check_code(keel_mpi_objects_each(bag, compute_and_send), KEEL_MPI_OK);
        }
        sums = 0;
        check_code(keel_mpi_objects_gather(bag, 0, rank == 0 ? take_sum : NULL), KEEL_MPI_OK);
        CHECK(rank > 0 || sums == 300 * 5 * 8, "%llu messages", (unsigned long long)sums);
        bag_close(&bag);
    }
}

static const struct rank_check checks[] = {
    {"one_rank", check_one_rank}, {"few", check_few},     {"nobody", check_nobody},
    {"mistakes", check_mistakes}, {"storm", check_storm}, {"memory", check_memory},
    {"large", check_large},       {"team", check_team},
};

int main(int arguments, char **argument)
{
    return rank_checks_main(checks, sizeof checks / sizeof checks[0], arguments, argument,
                            MPI_THREAD_MULTIPLE);
}
