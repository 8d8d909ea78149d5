/* Hard cases of objects that move. `hard_cases CHECK...`, under mpirun; prints errors. */
#include <math.h>
#include <omp.h>
#include <pthread.h>

#include "tests/mpi_backend/objects/set.h"

static uint64_t handled, came_back;

static void count(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    handled++;
}

static void undelivered(void *context, uint64_t index, unsigned handler, const void *message,
                        size_t bytes)
{
    came_back++;
}

static keel_mpi_objects_handler *const counting[] = {count};

static void compute_slowly(void *context, uint64_t index, void *data)
{
    ((struct thing *)data)->computed++;
    nap(2000);
}

/* --- initial placement of objects --- */

/* All on one rank: others get some of them. */
RANK_CHECK(one_rank)
{
    set = set_open(counting, 1, undelivered);
    for (uint64_t i = 0; rank == 0 && i < 60; i++) {
        insert(i, 1000);
    }
    RETURNS(keel_mpi_objects_each(set, compute_slowly), KEEL_MPI_OK);
    struct keel_mpi_objects_report report = set_report(set);
    CHECK(sum_of(report.computed) == 60, "%lu computed", report.computed);
    CHECK(sum_of(report.given) >= (uint64_t)ranks - 1, "%lu given", report.given);
    CHECK(report.computed > 0, "nothing computed");
    CHECK((report.packing_s > 0) == (report.given + report.taken > 0), "packed for %g s",
          report.packing_s);
    set_close(&set);
}

/* PREMA gives one object at a time. */
RANK_CHECK(one_at_a_time)
{
    set = set_open(counting, 1, undelivered);
    RETURNS(keel_mpi_objects_set_balance(set, "prema,2:threshold=2"), KEEL_MPI_OK);
    for (uint64_t i = 0; rank == 0 && i < 60; i++) {
        insert(i, 10);
    }
    RETURNS(keel_mpi_objects_each(set, compute_slowly), KEEL_MPI_OK);
    struct keel_mpi_objects_report report = set_report(set);
    CHECK(sum_of(report.computed) == 60, "%lu computed", report.computed);
    CHECK(sum_of(report.given) > 0, "nothing given");
    CHECK(report.taken + report.asked_in_vain <= report.asked,
          "%lu taken, %lu times in vain, asked %lu times", report.taken, report.asked_in_vain,
          report.asked);
    CHECK(report.neighbours == 2, "%lu neighbours", report.neighbours);
    set_close(&set);
}

/* Fewer objects than ranks, and none. */
RANK_CHECK(few)
{
    for (uint64_t objects = 0; objects < 3; objects++) {
        set = set_open(counting, 1, undelivered);
        for (uint64_t i = 0; rank == ranks - 1 && i < objects; i++) {
            insert(i, 10);
        }
        for (int phase = 0; phase < 5; phase++) {
            RETURNS(keel_mpi_objects_each(set, compute_slowly), KEEL_MPI_OK);
            keel_mpi_objects_send(set, 0, 0, NULL, 0);
            RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
        }
        CHECK(sum_of(things) == objects, "%lu objects", things);
        uint64_t all_handled = sum_of(handled), all_back = sum_of(came_back);
        CHECK(all_handled == (objects > 0 ? 5U * (unsigned)ranks : 0) &&
                  all_handled + all_back == 5U * (unsigned)ranks,
              "%lu handled, %lu came back", all_handled, all_back);
        handled = came_back = 0;
        set_close(&set);
    }
}

/* --- errors --- */

/* Messages without an object are returned, or set the phase's code; no rank hangs. */
RANK_CHECK(no_object)
{
    int owner = 5;

    set = set_open(counting, 1, undelivered);
    insert((uint64_t)rank, 10);
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    keel_mpi_objects_send(set, 1000, 0, "x", 1);
    keel_mpi_objects_delete(set, 1001);
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    CHECK(came_back == 2, "%lu came back", came_back);
    keel_mpi_objects_delete(set, (uint64_t)((rank + 1) % ranks));
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    CHECK(things == 0 && came_back == 2, "%lu objects", things);
    insert((uint64_t)rank, 10); /* its index is free again */
    RETURNS(
        keel_mpi_objects_owner(set, &(uint64_t){(uint64_t)(rank + 1) % (uint64_t)ranks}, 1, &owner),
        KEEL_MPI_OK);
    CHECK(owner == (rank + 1) % ranks, "owner %d", owner);
    set_close(&set);

    set = set_open(counting, 1, NULL);
    if (rank == 0) {
        keel_mpi_objects_send(set, 1000, 0, "x", 1);
    }
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_NO_OBJECT);
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    set_close(&set);
    came_back = 0;
}

static void take_none(void *context, uint64_t index, const void *packed, size_t size)
{
    CHECK(false, "object %lu is gathered", index);
}

/* The program's mistakes: codes, and a message each. */
RANK_CHECK(mistakes)
{
    struct keel_mpi_objects_report short_report = {.struct_size = 3};
    struct keel_mpi_objects *none = NULL;
    struct keel_mpi_objects_functions functions = {.struct_size = 5};
    struct keel_mpi_objects_functions unlike = {.struct_size = sizeof unlike,
                                                .drop = thing_drop,
                                                .handler = counting,
                                                .handlers = rank == 0 ? 1 : 0};

    RETURNS(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &none), KEEL_MPI_ARGUMENT);
    if (ranks > 1) {
        RETURNS(keel_mpi_objects_create(MPI_COMM_WORLD, &unlike, &none), KEEL_MPI_MISMATCH);
    }
    CHECK(none == NULL, "a set");
    set = set_open(counting, 1, undelivered);
    RETURNS(keel_mpi_objects_send(set, 1, 1, NULL, 0), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_send(NULL, 1, 0, NULL, 0), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_wait(NULL), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_report(set, &short_report), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_set_balance(set, "gradient"), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_weigh(set, 1, 1), KEEL_MPI_ARGUMENT);
    insert((uint64_t)rank, 1);
    struct thing *thing = thing_new((uint64_t)rank, 1);
    RETURNS(keel_mpi_objects_insert(set, (uint64_t)rank, thing), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_weigh(set, (uint64_t)rank, -1), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_weigh(set, (uint64_t)rank, NAN), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_weigh(set, (uint64_t)rank, 1e300), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_weigh(set, (uint64_t)rank, 1e-300), KEEL_MPI_OK);
    RETURNS(keel_mpi_objects_weigh(set, (uint64_t)rank, 2), KEEL_MPI_OK);
    thing_drop(NULL, (uint64_t)rank, thing);
    RETURNS(keel_mpi_objects_gather(set, ranks, NULL), KEEL_MPI_ARGUMENT);
    RETURNS(rank == 0 ? keel_mpi_objects_wait(set) : keel_mpi_objects_each(set, compute_slowly),
            ranks > 1 ? KEEL_MPI_MISMATCH : KEEL_MPI_OK);
    if (ranks > 1) {
        RETURNS(rank == 0 ? keel_mpi_objects_gather(set, 1, take_none) : keel_mpi_objects_wait(set),
                KEEL_MPI_MISMATCH);
        RETURNS(rank == 0 ? keel_mpi_objects_owner(set, NULL, 0, NULL)
                          : keel_mpi_objects_gather(set, 0, take_none),
                KEEL_MPI_MISMATCH);
        RETURNS(keel_mpi_objects_gather(set, rank == 0, take_none), KEEL_MPI_MISMATCH);
    }
    RETURNS(keel_mpi_objects_each(set, NULL), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_objects_each(set, compute_slowly), KEEL_MPI_OK);
    set_close(&set);
}

static unsigned refusals;

static void expect_no_memory(const char *text, void *context)
{
    refusals++;
    CHECK(strstr(text, "no memory to pack object") != NULL, "message: %s", text);
}

/* No sum with the size of an object overflows: objects stay, and are computed. */
RANK_CHECK(impossible_size)
{
    set = set_open(counting, 1, undelivered);
    for (uint64_t i = 0; rank == 0 && i < 20; i++) {
        insert(i, 10);
    }
    size_is_wrong = true;
    keel_mpi_set_message_handler(expect_no_memory, NULL);
    RETURNS(keel_mpi_objects_each(set, compute_slowly), KEEL_MPI_OK);
    refusals = 0;
    RETURNS(keel_mpi_objects_gather(set, 0, take_none), KEEL_MPI_NO_ROOM);
    CHECK((refusals > 0) == (set_report(set).objects > 0), "%u messages", refusals);
    keel_mpi_set_message_handler(NULL, NULL);
    size_is_wrong = false;
    CHECK(set_report(set).computed == (rank == 0 ? 20 : 0), "some have moved");
    set_close(&set);
}

/* KEEL_MPI_COPIES is not the same on all ranks. */
RANK_CHECK(other_copies)
{
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions};
    struct keel_mpi_objects *none = NULL;

    RETURNS(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &none), KEEL_MPI_MISMATCH);
    CHECK(none == NULL, "a set");
}

/* From 0 to the largest weight: all objects are computed, and idle ranks get some. */
static void compute_and_weigh(void *context, uint64_t index, void *data)
{
    static const double weights[] = {0, 1e15, 1e-12, 1, 1e-300, 3e14};
    struct thing *thing = data;

    compute_slowly(context, index, data);
    RETURNS(keel_mpi_objects_weigh(set, index, weights[(index + thing->computed) % 6]),
            KEEL_MPI_OK);
}

RANK_CHECK(extreme_weights)
{
    set = set_open(counting, 1, undelivered);
    for (uint64_t i = 0; rank == 0 && i < 60; i++) {
        insert(i, 10);
        RETURNS(keel_mpi_objects_weigh(set, i, i % 3 == 0 ? 1e15 : 0), KEEL_MPI_OK);
    }
    for (int phase = 0; phase < 6; phase++) {
        RETURNS(keel_mpi_objects_each(set, compute_and_weigh), KEEL_MPI_OK);
    }
    struct keel_mpi_objects_report report = set_report(set);
    CHECK(sum_of(report.computed) == 360, "%lu computed", report.computed);
    CHECK(ranks == 1 || sum_of(report.given) > 0, "nothing given");
    set_close(&set);
}

/* --- numbered messages --- */

struct step {
    uint64_t number; /* of the sender's messages to the object */
    uint32_t sender;
};

#define WALKERS 40

static uint64_t sent_to[WALKERS];

static void send_step(uint64_t index)
{
    struct step step = {sent_to[index]++, (uint32_t)rank};

    RETURNS(keel_mpi_objects_send(set, index, 0, &step, sizeof step), KEEL_MPI_OK);
}

/* --- many --- */

#define STORM 6000

static uint64_t made;

/* Each makes two more until there are enough; all are deleted at the end. */
static void breed(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    uint64_t left = *(const uint64_t *)message;

    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < 2 && left > 0; i++) {
        uint64_t part = i == 0 ? left / 2 : (left - 1) / 2, next = keel_mpi_objects_new_index(set);
        if (i == 0 || left > 1) {
            insert(next, 20);
            keel_mpi_objects_send(set, next, 0, &part, sizeof part);
        }
    }
}

static keel_mpi_objects_handler *const breeding[] = {breed};

static void delete_itself(void *context, uint64_t index, void *data)
{
    RETURNS(keel_mpi_objects_delete(set, index), KEEL_MPI_OK);
}

RANK_CHECK(storm)
{
    uint64_t left = STORM;

    made = 0;
    set = set_open(breeding, 1, undelivered);
    if (rank == 0) {
        insert(0, 20);
        keel_mpi_objects_send(set, 0, 0, &left, sizeof left);
    }
    RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
    uint64_t all = sum_of(made);
    CHECK(all > STORM / 2 && all == sum_of(things), "%lu made, %lu there", all, things);
    RETURNS(keel_mpi_objects_each(set, delete_itself), KEEL_MPI_OK);
    CHECK(things == 0, "%lu objects are left", things);
    set_close(&set);
}

/* --- teams --- */

static unsigned inside;
static bool met;
static int naps_left = 100000; /* in all */

/* Waits until another thread of the team is here, too, once in the life of a set. */
static void meet(bool waits)
{
    __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
    while (waits && !__atomic_load_n(&met, __ATOMIC_RELAXED) &&
           __atomic_fetch_sub(&naps_left, 1, __ATOMIC_RELAXED) > 0) {
        if (__atomic_load_n(&inside, __ATOMIC_RELAXED) > 1) {
            __atomic_store_n(&met, true, __ATOMIC_RELAXED);
        }
        keel_mpi_poll();
        nap(100);
    }
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
}

static void compute_and_send(void *context, uint64_t index, void *data)
{
    struct thing *thing = data;

    thing_check(thing, index);
    thing->computed++;
    meet(true);
    for (uint64_t i = 0; i < 5; i++) {
        keel_mpi_objects_send(set, (index * 5 + i) % 300, 0, &i, sizeof i);
    }
}

/* Only one message of an object is handled at a time: no atomics. */
static void add(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    struct thing *thing = data;

    thing->sum++;
}

static keel_mpi_objects_handler *const adding[] = {add};

static uint64_t sums;

static void take_sum(void *context, uint64_t index, const void *packed, size_t size)
{
    struct thing thing;

    memcpy(&thing, packed, sizeof thing);
    CHECK(thing.sum == 5 * thing.computed, "object %lu: %lu messages, computed %lu times", index,
          thing.sum, thing.computed);
    sums += thing.sum;
}

RANK_CHECK(team)
{
    static const char *const policies[] = {"off", "steal", "shake"};

    for (int i = 0; i < 3; i++) {
        met = omp_get_max_threads() == 1;
        set = set_open(adding, 1, undelivered);
        keel_mpi_objects_set_balance(set, policies[i]);
        for (uint64_t index = (uint64_t)rank; index < 300; index += (uint64_t)ranks) {
            insert(index, 30);
        }
        for (int phase = 0; phase < 8; phase++) {
            RETURNS(keel_mpi_objects_each(set, compute_and_send), KEEL_MPI_OK);
        }
        CHECK(met, "objects were computed by one thread");
        sums = 0;
        RETURNS(keel_mpi_objects_gather(set, 0, rank == 0 ? take_sum : NULL), KEEL_MPI_OK);
        CHECK(rank > 0 || sums == 300 * 5 * 8, "%lu messages", sums);
        set_close(&set);
    }
}

/* --- handlers by a team --- */

static pthread_t main_thread;
static unsigned calls, calls_elsewhere;

/* If MPI is for the main thread only, others do not call it. */
static void note_call(void)
{
    if (!pthread_equal(main_thread, pthread_self())) {
        __atomic_add_fetch(&calls_elsewhere, 1, __ATOMIC_RELAXED);
    }
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    note_call();
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note_call();
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    note_call();
    return PMPI_Test(request, flag, status);
}

#define FIRST_ALONE 30 /* messages of a few objects, whose time is not known before */

/* Waits for another handler, on another object. */
static void handle_slowly(void *context, uint64_t index, void *data, const void *message,
                          size_t bytes)
{
    const struct step *step = message;
    struct thing *thing = data;

    CHECK(__atomic_add_fetch(&thing->computed, 1, __ATOMIC_RELAXED) == 1,
          "object %lu: two messages at a time", index);
    CHECK(step->number == thing->seen[step->sender]++, "object %lu: message %lu of rank %u", index,
          step->number, step->sender);
    nap(200);
    meet(__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) >= FIRST_ALONE);
    thing->sum++;
    __atomic_sub_fetch(&thing->computed, 1, __ATOMIC_RELAXED);
}

static keel_mpi_objects_handler *const meeting[] = {handle_slowly};

static void take_met(void *context, uint64_t index, const void *packed, size_t size)
{
    struct thing thing;

    memcpy(&thing, packed, sizeof thing);
    CHECK(thing.sum == 3U * (unsigned)ranks, "object %lu: %lu messages", index, thing.sum);
}

RANK_CHECK(wait_team)
{
    static const char *const policies[] = {"off", "steal", "shake"};

    for (int policy = 0; policy < 3; policy++) {
        calls = calls_elsewhere = 0;
        met = false;
        naps_left = policy > 0 ? 1000 : 100000; /* moving objects may arrive one by one */
        memset(sent_to, 0, sizeof sent_to);
        set = set_open(meeting, 1, undelivered);
        keel_mpi_objects_set_balance(set, policies[policy]);
        for (uint64_t index = (uint64_t)rank; index < WALKERS; index += (uint64_t)ranks) {
            insert(index, 30);
        }
        for (uint64_t i = 0; i < 3 * WALKERS; i++) {
            send_step(i % WALKERS);
        }
        RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
        CHECK(policy > 0 || met, "messages were handled by one thread");
        CHECK(calls_elsewhere == 0, "%u calls of MPI by other threads", calls_elsewhere);
        RETURNS(keel_mpi_objects_gather(set, 0, rank == 0 ? take_met : NULL), KEEL_MPI_OK);
        set_close(&set);
    }
}

/* --- times --- */

static uint64_t spent_ns; /* in the program's functions; any thread */

static void spend(uint64_t us)
{
    double began_s = MPI_Wtime();

    nap(us);
    __atomic_add_fetch(&spent_ns, (uint64_t)((MPI_Wtime() - began_s) * 1e9), __ATOMIC_RELAXED);
}

static void spend_and_send(void *context, uint64_t index, void *data)
{
    spend(2000);
    RETURNS(keel_mpi_objects_send(set, index, 0, NULL, 0), KEEL_MPI_OK);
}

static void spend_on_message(void *context, uint64_t index, void *data, const void *message,
                             size_t bytes)
{
    spend(500);
}

/* The time of objects and messages is counted once. */
RANK_CHECK(times)
{
    static keel_mpi_objects_handler *const spending[] = {spend_on_message};
    enum { OBJECTS = 12, PHASES = 2 };

    spent_ns = 0;
    set = set_open(spending, 1, NULL);
    RETURNS(keel_mpi_objects_set_balance(set, "off"), KEEL_MPI_OK);
    for (int i = 0; i < OBJECTS; i++) {
        insert((uint64_t)(i * ranks + rank), 8);
    }
    double began_s = MPI_Wtime();
    for (int i = 0; i < PHASES; i++) {
        RETURNS(keel_mpi_objects_each(set, spend_and_send), KEEL_MPI_OK);
    }
    double took_s = MPI_Wtime() - began_s, spent_s = (double)spent_ns * 1e-9;
    struct keel_mpi_objects_report report = set_report(set);
    CHECK(report.computed == OBJECTS * PHASES && report.handled == OBJECTS * PHASES,
          "%lu computed, %lu handled", report.computed, report.handled);
    CHECK(report.busy_s > spent_s - 1e-3 && report.busy_s < took_s * omp_get_max_threads() + 1e-3,
          "busy %g s, spent %g s of %g s", report.busy_s, spent_s, took_s);
    CHECK(report.idle_s >= 0 && report.idle_s < took_s, "idle for %g s of %g s", report.idle_s,
          took_s);
    set_close(&set);
}

int main(int arguments, char **argument)
{
    bool funneled = arguments > 1 && strcmp(argument[1], "wait_team") == 0;

    main_thread = pthread_self();
    return rank_checks_main(arguments, argument,
                            funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE);
}
