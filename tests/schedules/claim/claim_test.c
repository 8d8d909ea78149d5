/* Real threads that claim from one loop at the same time run every iteration exactly once. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "schedules/claim/claim.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/unit.h"

#define THREADS 4 /* that exist */
#define TEAM_MAX 64
#define ITERATIONS 40000
#define INSTANCES 30

struct loop {
    const char *name, *spec;
    uint64_t team; /* its threads from THREADS on never come */
    bool poor;     /* there is no memory for a table */
};

static struct loop loops[] = {
    {"ss", "ss", THREADS, false},
    {"css,3", "css,3", THREADS, false},
    {"gss", "gss", THREADS, false},
    {"tss", "tss", THREADS, false},
    {"fac2", "fac2", THREADS, false},
    {"static,2", "static,2", THREADS, false},
    {"rnd", "rnd:seed=3", THREADS, false},
    {"bold", "bold", THREADS, false},
    {"pls", "pls", THREADS, false},
    {"20000 chunks outgrow the table: the threads walk", "tss,2", THREADS, false},
    {"wf2", "wf2", THREADS, false},
    {"wf2,4", "wf2,4", THREADS, false},
    {"wf2 with thousands of small claims", "wf2", TEAM_MAX, false},
    {"wf2 without memory: the threads walk along its batches", "wf2", THREADS, true},
};

/* One loop instance. */
struct instance {
    const struct keel_spec *spec;
    uint64_t team;
    bool poor;
    double weights[TEAM_MAX];
    struct keel_claims claims;
    pthread_barrier_t start;
    _Atomic unsigned char runs[ITERATIONS]; /* times that each iteration ran */
    _Atomic unsigned mistakes;              /* chunks out of bounds or order */
};

struct worker {
    struct instance *instance;
    uint64_t thread;
    pthread_t handle;
};

static void run_chunks(const struct keel_plan *plan, struct instance *instance)
{
    struct keel_cursor cursor;
    uint64_t first, last, end = 0;

    keel_cursor_begin(&cursor, plan);
    while (keel_claim(plan, &instance->claims, &cursor, &first, &last)) {
        if (first < end || last <= first || last > ITERATIONS) {
            instance->mistakes++;
            return;
        }
        for (end = first; end < last; end++) {
            atomic_fetch_add_explicit(&instance->runs[end], 1, memory_order_relaxed);
        }
    }
}

static void *no_memory(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return NULL;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct instance *instance = worker->instance;
    struct keel_problem problem = {.spec = instance->spec,
                                   .iterations = ITERATIONS,
                                   .threads = instance->team,
                                   .thread = worker->thread,
                                   .weights = instance->weights};
    struct keel_plan fallback;
    struct keel_plan *plan =
        keel_plan_build(&problem, instance->poor ? no_memory : realloc, &fallback);

    pthread_barrier_wait(&instance->start);
    run_chunks(plan, instance);
    if (plan != &fallback) {
        free(plan);
    }
    return NULL;
}

/* A small team has unequal threads. Of a large one those that come are light, so that a claim takes
 * a few iterations and the next one follows soon. */
static void set_weights(struct instance *instance)
{
    static const double unequal[THREADS] = {2.5, 1, 0.3, 0.2};

    for (size_t i = 0; i < instance->team; i++) {
        instance->weights[i] = instance->team == THREADS ? unequal[i]
                               : i < THREADS             ? 0.01
                                             : (TEAM_MAX - THREADS * 0.01) / (TEAM_MAX - THREADS);
    }
}

static void run_loop(const struct keel_spec *spec, const struct loop *loop)
{
    struct instance *instance = calloc(1, sizeof *instance);
    struct worker workers[THREADS];

    instance->spec = spec;
    instance->team = loop->team;
    instance->poor = loop->poor;
    set_weights(instance);
    pthread_barrier_init(&instance->start, NULL, THREADS);
    for (uint64_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.instance = instance, .thread = i};
        assert_int_equal(pthread_create(&workers[i].handle, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].handle, NULL);
    }
    assert_int_equal(instance->mistakes, 0);
    for (size_t i = 0; i < ITERATIONS; i++) {
        if (instance->runs[i] != 1) {
            fail_msg("iteration %zu ran %d times", i, instance->runs[i]);
        }
    }
    pthread_barrier_destroy(&instance->start);
    free(instance);
}

static void iterations_run_once(void **state)
{
    const struct loop *loop = *state;
    struct keel_spec spec = specs_read(loop->spec);

    for (int i = 0; i < INSTANCES; i++) {
        run_loop(&spec, loop);
    }
}

BEFORE_TESTS
{
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        ADD_CASE(iterations_run_once, &loops[i], "%s", loops[i].name);
    }
}
