/* Real threads of one team, under schedules that size chunks when they are claimed, run every
 * iteration exactly once. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedules/claim/team.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define THREADS 4 /* that exist; teams may have more, who never come */
#define TEAM_MAX 7
#define ITERATIONS_MAX 20000
#define SMALL_MAX 40
#define LARGE 20
#define SMALL 3000 /* instances */

static const char *const schedules[] = {"af",     "maf",  "aid",     "aid,3", "rate",
                                        "rate,5", "afs",  "lds",     "steal", "steal,1",
                                        "ich",    "auto", "af:min=3"};

/* All instances of one test; what the threads run at the same time. */
struct play {
    struct keel_spec spec;
    struct keel_team *team;
    uint64_t instances;
    uint64_t iterations_max;
    uint64_t seed;
    pthread_barrier_t barrier;
    _Atomic unsigned char runs[ITERATIONS_MAX]; /* times that each iteration ran */
    _Atomic unsigned mistakes;
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

    return draws_below(&draws, play->iterations_max + 1);
}

static uint64_t team_of(uint64_t instance)
{
    return THREADS + instance % (TEAM_MAX - THREADS + 1);
}

static void check(struct play *play, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        play->mistakes += play->runs[i] != 1;
        atomic_store_explicit(&play->runs[i], 0, memory_order_relaxed);
    }
}

/* Chunks are counted, not timed: thread 3 says that it is ten times slower than it is. */
static void run_chunks(struct play *play, uint64_t thread, uint64_t iterations)
{
    struct keel_team_worker team_worker;
    uint64_t first, last;

    keel_team_worker_begin(&team_worker, play->team, thread, (struct keel_pace){0});
    while (keel_team_worker_next(&team_worker, &first, &last)) {
        if (last <= first || last > iterations) {
            play->mistakes++;
            return;
        }
        for (uint64_t i = first; i < last; i++) {
            atomic_fetch_add_explicit(&play->runs[i], 1, memory_order_relaxed);
        }
        keel_team_worker_done(&team_worker, (thread == 3 ? 1000.0 : 100.0) * (double)(last - first),
                              50);
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct play *play = worker->play;

    for (uint64_t i = 0; i < play->instances; i++) {
        uint64_t iterations = iterations_of(play, i);
        if (worker->thread == 0) {
            keel_team_begin(play->team, &play->spec, iterations, team_of(i), NULL, NULL);
        }
        pthread_barrier_wait(&play->barrier);
        run_chunks(play, worker->thread, iterations);
        pthread_barrier_wait(&play->barrier);
        if (worker->thread == 0) {
            check(play, iterations);
        }
    }
    return NULL;
}

static void play_instances(const char *text, uint64_t instances, uint64_t iterations_max,
                           uint64_t seed)
{
    struct play *play = calloc(1, sizeof *play);
    struct worker workers[THREADS];

    play->spec = specs_read(text);
    play->team = aligned_alloc(64, keel_team_size(TEAM_MAX));
    play->instances = instances;
    play->iterations_max = iterations_max;
    play->seed = seed;
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

static struct draws draws;

static void large_loops(void **state)
{
    play_instances(*state, LARGE, ITERATIONS_MAX, draws_next(&draws));
}

static void thousands_of_tiny_loops(void **state)
{
    play_instances(*state, SMALL, SMALL_MAX, draws_next(&draws));
}

BEFORE_TESTS
{
    draws = draws_begin();
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        ADD_CASE(large_loops, schedules[i], "%s: large loops", schedules[i]);
        ADD_CASE(thousands_of_tiny_loops, schedules[i], "%s: tiny loops", schedules[i]);
    }
}
