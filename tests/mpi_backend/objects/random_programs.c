/* Random programs with objects, compared with a serial model: their results do not depend on where
 * objects are, nor when they move. `random_programs CHECK...`, under mpirun; prints errors.
 *
 * A program is a tree of messages. The effect of a message follows only from its number: it adds to
 * its object, sends others, makes objects, sends to these and deletes them, sends to deleted
 * ones. */
#include "tests/mpi_backend/objects/set.h"

enum { WORK, FEED, HANDLERS };

struct message {
    uint64_t value;
    uint32_t depth;  /* generations that may follow */
    uint32_t sender; /* rank */
    uint32_t number; /* of the sender's messages to this object; UINT32_MAX: not numbered */
    uint32_t filler; /* bytes behind it */
};

#define LARGE 40000 /* bytes: goes in pieces */

static uint64_t objects;      /* of the program that stay */
static uint64_t come_back;    /* messages, on this rank */
static uint64_t phase_of_run; /* makes objects of different phases distinct */

/* What this rank has sent to each object that stays. */
#define OBJECTS_MAX 80
static uint32_t sent[OBJECTS_MAX];

static uint64_t child(uint64_t value, unsigned which)
{
    return mixed(value, 1000 + which);
}

static unsigned children(uint64_t value, uint32_t depth)
{
    return depth == 0 ? 0 : (unsigned)(value >> 20) % 3;
}

static bool makes_object(uint64_t value)
{
    return value >> 8 & 1 && value % 5 == 0;
}

static uint32_t filler_of(uint64_t value)
{
    return value % 97 == 0 ? LARGE : (uint32_t)(value >> 30) % 50;
}

static uint64_t temporary_index(uint64_t value)
{
    return mixed(value, 77 + phase_of_run) | UINT64_C(1) << 62;
}

/* --- the program --- */

static void post(uint64_t index, unsigned handler, uint64_t value, uint32_t depth, uint32_t number)
{
    struct message *message = calloc(1, sizeof *message + LARGE);

    *message = (struct message){value, depth, (uint32_t)rank, number, filler_of(value)};
    memset(message + 1, (int)value, message->filler);
    RETURNS(keel_mpi_objects_send(set, index, handler, message, sizeof *message + message->filler),
            KEEL_MPI_OK);
    free(message);
}

static void send_on(uint64_t value, uint32_t depth)
{
    uint64_t to = value % objects;

    post(to, WORK, value, depth, sent[to]++);
}

static void check_message(const struct message *message, size_t bytes)
{
    const unsigned char *filler = (const unsigned char *)(message + 1);

    CHECK(bytes == sizeof *message + message->filler, "%zu bytes, not %zu", bytes,
          sizeof *message + message->filler);
    for (uint32_t i = 0; i < message->filler; i += 1 + message->filler / 20) {
        CHECK(filler[i] == (unsigned char)message->value, "byte %u of a message", i);
    }
}

/* Makes an object, sends it messages, deletes it, and sends it one more, which is returned. */
static void make_object(uint64_t value)
{
    uint64_t index = temporary_index(value);
    struct thing *thing = thing_new(index, value >> 40 & 255);

    if (value >> 16 & 1) {
        post(index, FEED, value, 0, 0); /* it waits for the object */
    }
    RETURNS(keel_mpi_objects_insert(set, index, thing), KEEL_MPI_OK);
    for (uint32_t i = value >> 16 & 1; i < 3; i++) {
        post(index, FEED, value, 0, i);
    }
    RETURNS(keel_mpi_objects_delete(set, index), KEEL_MPI_OK);
    post(index, FEED, value, 0, 3);
}

static void work(void *context, uint64_t index, void *data, const void *given, size_t bytes)
{
    struct thing *thing = data;
    const struct message *message = given;
    static bool within;

    CHECK(!within, "a handler within another one");
    within = true;
    thing_check(thing, index);
    check_message(message, bytes);
    CHECK(message->number == thing->seen[message->sender],
          "object %lu: message %u of rank %u, not %u", index, message->number, message->sender,
          thing->seen[message->sender]);
    thing->seen[message->sender]++;
    thing->sum += mixed(message->value, index);
    if (message->value % 7 == 0) {
        RETURNS(keel_mpi_objects_weigh(set, index, (double)(message->value >> 50)), KEEL_MPI_OK);
    }
    if (makes_object(message->value)) {
        make_object(message->value);
    }
    for (unsigned i = 0; i < children(message->value, message->depth); i++) {
        send_on(child(message->value, i), message->depth - 1);
    }
    within = false;
}

/* Of temporary objects: sends their number of messages to an object that stays. */
static void feed(void *context, uint64_t index, void *data, const void *given, size_t bytes)
{
    struct thing *thing = data;
    const struct message *message = given;

    thing_check(thing, index);
    check_message(message, bytes);
    CHECK(message->number == thing->computed, "temporary object: message %u, not %lu",
          message->number, thing->computed);
    if (++thing->computed == 3) {
        send_on(child(message->value, 9), 0);
    }
}

static void undelivered(void *context, uint64_t index, unsigned handler, const void *given,
                        size_t bytes)
{
    const struct message *message = given;

    check_message(message, bytes);
    CHECK(handler == FEED && message->number == 3 && index == temporary_index(message->value) &&
              message->sender == (uint32_t)rank,
          "message %u for %lu of rank %u comes back", message->number, index, message->sender);
    come_back++;
}

static void compute(void *context, uint64_t index, void *data)
{
    struct thing *thing = data;

    thing_check(thing, index);
    thing->computed++;
    send_on(mixed(index, thing->computed), 2);
}

/* --- the serial model --- */

static uint64_t model_sum[OBJECTS_MAX], model_come_back;

static void model_message(uint64_t value, uint32_t depth)
{
    model_sum[value % objects] += mixed(value, value % objects);
    if (makes_object(value)) {
        model_come_back++;
        model_message(child(value, 9), 0);
    }
    for (unsigned i = 0; i < children(value, depth); i++) {
        model_message(child(value, i), depth - 1);
    }
}

/* --- comparing --- */

static uint64_t gathered, rounds;
static uint64_t moved, forwarded; /* objects, messages, in all programs */
static uint64_t programs;         /* of groups whose first rank this is */

static void take(void *context, uint64_t index, const void *packed, size_t size)
{
    struct thing *thing = malloc(size);

    memcpy(thing, packed, size);
    thing_check(thing, index);
    CHECK(index < objects && thing->sum == model_sum[index], "object %lu: sum %lx, not %lx", index,
          thing->sum, model_sum[index % OBJECTS_MAX]);
    CHECK(thing->computed == rounds, "object %lu was computed %lu times, not %lu", index,
          thing->computed, rounds);
    gathered++;
    free(thing);
}

static void check_owners(void)
{
    uint64_t index[OBJECTS_MAX + 1] = {0}, count, asked = objects + 1;
    const uint64_t *here;
    int owner[OBJECTS_MAX + 1];

    for (uint64_t i = 0; i < asked; i++) {
        index[i] = (i + (uint64_t)rank) % asked;
    }
    RETURNS(keel_mpi_objects_owner(set, index, asked, owner), KEEL_MPI_OK);
    RETURNS(keel_mpi_objects_list(set, &here, &count), KEEL_MPI_OK);
    CHECK(count == things, "%lu objects are listed", count);
    for (uint64_t i = 0; i < asked; i++) {
        bool mine = false;
        for (uint64_t j = 0; j < count; j++) {
            mine |= here[j] == index[i];
        }
        CHECK(index[i] == objects ? owner[i] == -1 : owner[i] >= 0 && owner[i] < ranks,
              "owner of %lu: %d", index[i], owner[i]);
        CHECK((owner[i] == rank) == mine, "object %lu: owner %d", index[i], owner[i]);
        CHECK((keel_mpi_objects_data(set, index[i]) != NULL) == mine, "data");
    }
}

static void check_all(void)
{
    uint64_t fails = fail_pack;
    int root = (int)draws_below(&same, (uint64_t)ranks);
    uint64_t back = sum_of(come_back);

    CHECK(sum_of(things) == objects, "there are %lu objects", things);
    CHECK(back == model_come_back, "%lu messages have come back, not %lu", back, model_come_back);
    gathered = 0;
    fail_pack = 0;
    RETURNS(keel_mpi_objects_gather(set, root, rank == root ? take : NULL), KEEL_MPI_OK);
    fail_pack = fails;
    CHECK(gathered == (rank == root ? objects : 0), "%lu objects gathered", gathered);
    check_owners();
}

/* --- one program --- */

static void make_objects(void)
{
    uint64_t kind = draws_below(&same, 3), base = draws_next(&same);

    for (uint64_t i = 0; i < objects; i++) {
        uint64_t place = kind == 0 ? 0 : kind == 1 ? i : mixed(base, i);
        uint64_t size = mixed(base, i) % 19 == 0 ? 50000 : mixed(base, i) % 300;
        if (place % (uint64_t)ranks == (uint64_t)rank) {
            insert(i, size);
        }
    }
}

/* Messages between phases: each is sent by a random rank. */
static void start_messages(void)
{
    uint64_t count = draws_below(&same, 12);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = draws_next(&same), from = draws_below(&same, (uint64_t)ranks);
        if (from == (uint64_t)rank) {
            send_on(value, 4);
        }
        model_message(value, 4);
    }
}

static void run_phase(void)
{
    phase_of_run++;
    if (draws_below(&same, 2) == 0) {
        start_messages();
        RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
        return;
    }
    rounds++;
    for (uint64_t i = 0; i < objects; i++) {
        model_message(mixed(i, rounds), 2);
    }
    RETURNS(keel_mpi_objects_each(set, compute), KEEL_MPI_OK);
}

static void run_program(const char *policy)
{
    static keel_mpi_objects_handler *const handlers[HANDLERS] = {[WORK] = work, [FEED] = feed};
    uint64_t kind = draws_below(&same, 4);

    objects = kind == 0 ? 1 + draws_below(&same, 3) : 1 + draws_below(&same, OBJECTS_MAX);
    rounds = come_back = model_come_back = 0;
    memset(sent, 0, sizeof sent);
    memset(model_sum, 0, sizeof model_sum);
    set = set_open(handlers, HANDLERS, undelivered);
    RETURNS(keel_mpi_objects_set_balance(set, policy), KEEL_MPI_OK);
    make_objects();
    for (uint64_t phases = draws_below(&same, 5); phases > 0; phases--) {
        run_phase();
        if (draws_below(&same, 3) == 0) {
            check_all();
        }
    }
    check_all();
    struct keel_mpi_objects_report report = set_report(set);
    CHECK(report.taken <= sum_of(report.given), "taken");
    moved += sum_of(report.given);
    forwarded += sum_of(report.forwarded);
    set_close(&set);
}

#define PROGRAMS 20

static void run_programs(const char *policy)
{
    for (int i = 0; i < PROGRAMS; i++) {
        snprintf(check_context, sizeof check_context, " (%s, program %d, rank %d of %d)", policy, i,
                 rank, ranks);
        run_program(policy);
    }
}

/* Objects move at any time: the most thorough test. */
RANK_CHECK(shake)
{
    for (int i = 0; i < 2; i++) {
        run_programs("shake");
    }
    CHECK(ranks == 1 ? moved + forwarded == 0 : moved > 100 && forwarded > 20,
          "%lu objects moved, %lu messages followed", moved, forwarded);
}

RANK_CHECK(policies)
{
    static const char *const policies[] = {"steal", "diffuse", "tree", "diffuse,1", "off"};

    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        run_programs(policies[i]);
    }
}

/* --- many ranks in groups --- */

static const char *const any_policy[] = {
    "shake", "shake",     "shake", "steal", "diffuse",
    "tree",  "diffuse,2", "prema", "off",   "prema,1:threshold=3"};

/* Returns the first rank of a rank's group, of *size ranks, in a random division of all ranks. */
static int group_of(int all, int of, struct draws *draws, int *size)
{
    int first = 0;

    do {
        *size = 1 + (int)draws_below(draws, (uint64_t)(all - first));
        first += *size;
    } while (first <= of);
    return first - *size;
}

/* Each group runs programs of its own, with a set of its own. */
static void run_group(int round)
{
    struct draws draws = {mixed(seed, (uint64_t)round)};
    int world_rank = rank, world_ranks = ranks;
    int first = group_of(ranks, rank, &draws, &ranks);

    rank -= first;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &set_comm);
    same = (struct draws){mixed(draws_next(&draws), (uint64_t)first)};
    for (int i = 0; i < 4; i++) {
        const char *policy =
            any_policy[draws_below(&same, sizeof any_policy / sizeof any_policy[0])];
        snprintf(check_context, sizeof check_context, " (round %d, %s, program %d, rank %d of %d)",
                 round, policy, i, rank, ranks);
        run_program(policy);
        programs += rank == 0;
    }
    MPI_Comm_free(&set_comm);
    set_comm = MPI_COMM_WORLD;
    rank = world_rank;
    ranks = world_ranks;
}

static void run_groups(int rounds_of_groups)
{
    struct draws before = same;

    for (int round = 0; round < rounds_of_groups; round++) {
        run_group(round);
    }
    same = before;
    uint64_t all_programs = sum_of(programs);
    CHECK(all_programs >= 4U * (unsigned)rounds_of_groups, "%lu programs", all_programs);
    CHECK(sum_of(moved) > 0 && sum_of(forwarded) > 0, "no objects moved");
    if (getenv("KEEL_TEST_VERBOSE") != NULL && rank == 0) {
        printf("# KEEL_TEST_SEED=%lu: %lu programs\n", seed, all_programs);
    }
}

RANK_CHECK(groups)
{
    run_groups(40);
}

RANK_CHECK(many_groups)
{
    run_groups(100);
}

static uint64_t failures;

static void count_message(const char *text, void *context)
{
    CHECK(strstr(text, "a program's function failed with") != NULL, "message: %s", text);
    failures++;
}

/* Now and then an object can't be packed, or unpacked: it stays. */
RANK_CHECK(failing)
{
    fail_pack = 5;
    fail_unpack = 3;
    keel_mpi_set_message_handler(count_message, NULL);
    run_programs("shake");
    keel_mpi_set_message_handler(NULL, NULL);
    CHECK(sum_of(failures) > 20, "%lu failures were reported", failures);
    fail_pack = fail_unpack = 0;
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
