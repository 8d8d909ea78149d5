/* Objects that a team works on, for the thread sanitizer: threads that it knows replace libgomp's
 * team. `threads CHECK...`, under mpirun; prints errors. */
#include <pthread.h>

#include "tests/mpi_backend/objects/set.h"

#define THREADS 4

/* --- the team that libkeel_mpi.so finds instead of libgomp --- */

static struct {
    void (*body)(void *);
    void *data;
    long next, last;
} team;

static __thread bool within;
static unsigned teams;

int omp_get_max_threads(void);
int omp_in_parallel(void);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *first, long *last);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*body)(void *), void *data,
                                                   unsigned threads, long first, long last,
                                                   long step, unsigned flags);

int omp_get_max_threads(void)
{
    return THREADS;
}

int omp_in_parallel(void)
{
    return within;
}

bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *first, long *last)
{
    *first = __atomic_fetch_add(&team.next, 1, __ATOMIC_RELAXED);
    *last = *first + 1;
    return *first < team.last;
}

void GOMP_loop_end_nowait(void) {}

static void *run_member(void *unused)
{
    within = true;
    team.body(team.data);
    within = false;
    return unused;
}

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*body)(void *), void *data,
                                                   unsigned threads, long first, long last,
                                                   long step, unsigned flags)
{
    pthread_t member[THREADS - 1];

    teams++;
    team.body = body;
    team.data = data;
    team.next = first;
    team.last = last;
    for (int i = 0; i < THREADS - 1; i++) {
        pthread_create(&member[i], NULL, run_member, NULL);
    }
    run_member(NULL);
    for (int i = 0; i < THREADS - 1; i++) {
        pthread_join(member[i], NULL);
    }
}

/* --- the program --- */

#define OBJECTS 60
#define PHASES 6

static uint64_t handled, computed, came_back; /* any thread */

static void one_more(uint64_t *number)
{
    __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
}

/* Makes an object, sends to it and deletes it. */
static void come_and_go(void)
{
    uint64_t index = keel_mpi_objects_new_index(set), left = 0;

    insert(index, 20);
    RETURNS(keel_mpi_objects_send(set, index, 0, &left, sizeof left), KEEL_MPI_OK);
    RETURNS(keel_mpi_objects_delete(set, index), KEEL_MPI_OK);
    RETURNS(keel_mpi_objects_send(set, index, 0, &left, sizeof left), KEEL_MPI_OK);
}

static void compute(void *context, uint64_t index, void *data)
{
    uint64_t left = 3;

    one_more(&computed);
    ((struct thing *)data)->computed++;
    RETURNS(keel_mpi_objects_weigh(set, index, 1 + (double)(index % 3)), KEEL_MPI_OK);
    RETURNS(keel_mpi_objects_send(set, (index + 7) % OBJECTS, 0, &left, sizeof left), KEEL_MPI_OK);
    CHECK(keel_mpi_objects_data(set, index) == data, "data");
    if (index % 8 == 0) {
        come_and_go();
    }
    keel_mpi_poll();
}

/* Takes so long that a team handles messages. */
static void handle(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    uint64_t left;

    CHECK(bytes == sizeof left, "%zu bytes", bytes);
    memcpy(&left, message, sizeof left);
    one_more(&handled);
    ((struct thing *)data)->sum++; /* one call per object at a time: no atomics */
    nap(30);
    if (left > 0) {
        left--;
        RETURNS(keel_mpi_objects_send(set, (index * 5 + 1) % OBJECTS, 0, &left, sizeof left),
                KEEL_MPI_OK);
    }
}

static void undelivered(void *context, uint64_t index, unsigned handler, const void *message,
                        size_t bytes)
{
    CHECK(handler == 0 && index >> 63 == 1 && bytes == 8, "object %lu has got no message", index);
    one_more(&came_back);
}

static uint64_t sum;

static void add(void *context, uint64_t index, const void *packed, size_t size)
{
    struct thing thing;

    memcpy(&thing, packed, sizeof thing);
    CHECK(thing.computed == PHASES / 2, "object %lu: computed %lu times", index, thing.computed);
    sum += thing.sum;
}

static void run_teams(const char *policy)
{
    static keel_mpi_objects_handler *const handlers[] = {handle};
    uint64_t left = 5;

    handled = computed = came_back = sum = 0;
    set = set_open(handlers, 1, undelivered);
    RETURNS(keel_mpi_objects_set_balance(set, policy), KEEL_MPI_OK);
    for (uint64_t i = (uint64_t)rank; i < OBJECTS; i += (uint64_t)ranks) {
        insert(i, 30);
    }
    for (int phase = 0; phase < PHASES; phase++) {
        if (phase % 2 == 0) {
            RETURNS(keel_mpi_objects_each(set, compute), KEEL_MPI_OK);
            continue;
        }
        for (uint64_t i = (uint64_t)rank; i < OBJECTS; i += (uint64_t)ranks) {
            RETURNS(keel_mpi_objects_send(set, i, 0, &left, sizeof left), KEEL_MPI_OK);
        }
        unsigned before = teams;
        RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
        CHECK(ranks > 1 || teams > before, "no team has handled messages");
    }
    uint64_t each = PHASES / 2, coming = each * (OBJECTS / 8 + 1);
    CHECK(sum_of(computed) == each * OBJECTS, "%lu computed", computed);
    CHECK(sum_of(came_back) == coming, "%lu returned", came_back);
    uint64_t all = sum_of(handled);
    CHECK(all == each * OBJECTS * (4 + 6) + coming, "%lu handled", all);
    RETURNS(keel_mpi_objects_gather(set, 0, rank == 0 ? add : NULL), KEEL_MPI_OK);
    CHECK(rank > 0 || sum == all - coming, "%lu messages", sum);
    set_close(&set);
}

RANK_CHECK(teams)
{
    run_teams("off");
    run_teams("steal");
    run_teams("shake");
}

RANK_CHECKS_MAIN(MPI_THREAD_MULTIPLE)
