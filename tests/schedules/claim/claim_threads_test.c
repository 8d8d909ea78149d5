/* Real threads that claim from one loop at the same time, by plans or as schedules of teams size
 * chunks, run every iteration exactly once. */
#include <pthread.h>
#include <stdlib.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

#define THREADS 4 /* that exist; teams may have more, who never come */
#define TEAM_MAX 64
#define ITERATIONS_MAX 40000
#define SMALL_MAX 40
#define LARGE 20
#define SMALL 3000 /* instances */

struct loop {
    const char *spec;
    uint64_t team; /* 0: THREADS and a few more */
    bool poor;     /* there is no memory for a table */
};

/* tss,2 has 20000 chunks, which outgrow the table: threads walk. */
static const char *const planned[] = {"ss",         "css,3", "gss", "tss",   "fac2", "static,2",
                                      "rnd:seed=3", "bold",  "pls", "tss,2", "wf2",  "wf2,4"};
static const char *const sized[] = {"af",  "maf",   "aid",     "aid,3", "rate", "rate,5",  "afs",
                                    "lds", "steal", "steal,1", "ich",   "auto", "af:min=3"};

/* All instances of one test; what the threads run at the same time. */
struct play {
    const struct loop *loop;
    struct keel_spec spec;
    uint64_t instances;
    uint64_t least, most; /* iterations */
    uint64_t seed;
    struct keel_claims claims; /* by plans, of one for each thread, */
    double weights[TEAM_MAX];
    struct keel_team *team; /* or by this */
    pthread_barrier_t barrier;
    _Atomic unsigned char runs[ITERATIONS_MAX]; /* times that each iteration ran */
    _Atomic unsigned mistakes;                  /* iterations, and chunks out of bounds or order */
};

struct worker {
    struct play *play;
    uint64_t thread;
    pthread_t handle;
};

/* The same in all threads. */
static uint64_t iterations_of(const struct play *play, uint64_t instance)
{
    struct draws draws = {play->seed + instance};

    return play->least + draws_below(&draws, play->most - play->least + 1);
}

static void check(struct play *play, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        play->mistakes += play->runs[i] != 1;
        atomic_store_explicit(&play->runs[i], 0, memory_order_relaxed);
    }
}

static bool run_chunk(struct play *play, uint64_t first, uint64_t last, uint64_t iterations)
{
    if (last <= first || last > iterations) {
        play->mistakes++;
        return false;
    }
    for (uint64_t i = first; i < last; i++) {
        atomic_fetch_add_explicit(&play->runs[i], 1, memory_order_relaxed);
    }
    return true;
}

/* Chunks of a thread follow each other. */
static void run_plan(struct play *play, uint64_t thread, uint64_t iterations)
{
    const struct keel_problem problem = {.spec = &play->spec,
                                         .iterations = iterations,
                                         .threads = play->loop->team,
                                         .thread = thread,
                                         .weights = play->weights};
    struct keel_plan fallback;
    struct keel_plan *plan =
        keel_plan_build(&problem, play->loop->poor ? no_memory : realloc, &fallback);
    struct keel_cursor cursor;
    uint64_t first, last, end = 0;

    keel_cursor_begin(&cursor, plan);
    while (keel_claim(plan, &play->claims, &cursor, &first, &last) &&
           run_chunk(play, first, last, iterations)) {
        play->mistakes += first < end;
        end = last;
    }
    if (plan != &fallback) {
        free(plan);
    }
}

/* Chunks are counted, not timed: thread 3 says that it is ten times slower than it is. */
static void run_team(struct play *play, uint64_t thread, uint64_t iterations)
{
    struct keel_team_worker worker;
    uint64_t first, last;

    keel_team_worker_begin(&worker, play->team, thread, (struct keel_pace){0});
    while (keel_team_worker_next(&worker, &first, &last) &&
           run_chunk(play, first, last, iterations)) {
        keel_team_worker_done(&worker, (thread == 3 ? 1000.0 : 100.0) * (double)(last - first), 50);
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct play *play = worker->play;
    bool planned = play->loop->team > 0;

    for (uint64_t i = 0; i < play->instances; i++) {
        uint64_t iterations = iterations_of(play, i);
        if (worker->thread == 0 && planned) {
            play->claims = (struct keel_claims){0};
        } else if (worker->thread == 0) {
            keel_team_begin(play->team, &play->spec, iterations, THREADS + i % 4, NULL, NULL);
        }
        pthread_barrier_wait(&play->barrier);
        (planned ? run_plan : run_team)(play, worker->thread, iterations);
        pthread_barrier_wait(&play->barrier);
        if (worker->thread == 0) {
            check(play, iterations);
        }
    }
    return NULL;
}

/* A small team has unequal threads. Of a large one those that come are light, so that a claim takes
 * a few iterations and the next one follows soon. */
static void set_weights(struct play *play)
{
    static const double unequal[THREADS] = {2.5, 1, 0.3, 0.2};

    for (size_t i = 0; i < play->loop->team; i++) {
        play->weights[i] = play->loop->team == THREADS ? unequal[i]
                           : i < THREADS               ? 0.01
                                         : (TEAM_MAX - THREADS * 0.01) / (TEAM_MAX - THREADS);
    }
}

static void play_instances(const struct loop *loop, uint64_t instances, uint64_t least,
                           uint64_t most)
{
    struct draws draws = draws_begin();
    struct play *play = calloc(1, sizeof *play);
    struct worker workers[THREADS];

    play->loop = loop;
    play->spec = specs_read(loop->spec);
    play->team = aligned_alloc(64, keel_team_size(TEAM_MAX));
    play->instances = instances;
    play->least = least;
    play->most = most;
    play->seed = draws_next(&draws);
    set_weights(play);
    pthread_barrier_init(&play->barrier, NULL, THREADS);
    for (uint64_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.play = play, .thread = i};
        assert_int_equal(pthread_create(&workers[i].handle, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].handle, NULL);
    }
    assert_int_equal(play->mistakes, 0);
    pthread_barrier_destroy(&play->barrier);
    free(play->team);
    free(play);
}

static void large_loops(void **state)
{
    play_instances(*state, LARGE, ITERATIONS_MAX / 2, ITERATIONS_MAX);
}

static void thousands_of_tiny_loops(void **state)
{
    play_instances(*state, SMALL, 0, SMALL_MAX);
}

static void add_loop(const char *spec, uint64_t team, bool poor)
{
    struct loop *loop = calloc(1, sizeof *loop); /* as long as the tests */
    const char *memory = poor ? ", no memory" : "";

    *loop = (struct loop){spec, team, poor};
    ADD_CASE(large_loops, loop, "%s P=%d%s: large loops", spec, (int)team, memory);
    ADD_CASE(thousands_of_tiny_loops, loop, "%s P=%d%s: tiny loops", spec, (int)team, memory);
}

BEFORE_TESTS
{
    for (size_t i = 0; i < sizeof planned / sizeof planned[0]; i++) {
        add_loop(planned[i], THREADS, false);
    }
    for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
        add_loop(sized[i], 0, false);
    }
    add_loop("wf2", TEAM_MAX, false); /* thousands of small claims */
    add_loop("wf2", THREADS, true);
}
