/* A thread's own plans; the state of its loop, and its end. */
#include "omp_ext/loop/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/loop/modes.h"
#include "omp_ext/machine/team_places.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- kept plans --- */

#define PLACES 8 /* slots for a plan */

struct cache {
    struct keel_kept_plan *slot[KEEL_PLANS_KEPT];
    uint64_t uses; /* so far */
};

static _Thread_local struct cache *cache;
static pthread_key_t thread_end;
static bool thread_end_known;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_plan(struct keel_kept_plan *kept)
{
    if (kept->plan != &kept->without_table) {
        free((void *)kept->plan);
    }
    free(kept);
}

static void drop(struct keel_kept_plan *kept)
{
    kept->kept = false;
    if (kept->users == 0) {
        free_plan(kept);
    }
}

static void free_cache(void *pointer)
{
    struct cache *ended = pointer;

    for (unsigned i = 0; i < KEEL_PLANS_KEPT; i++) {
        if (ended->slot[i] != NULL) {
            drop(ended->slot[i]);
        }
    }
    free(ended);
    cache = NULL;
}

static void make_thread_end(void)
{
    thread_end_known = pthread_key_create(&thread_end, free_cache) == 0;
}

/* Without a key for thread ends, caches are left behind; one per thread, which only shows in leak
 * checkers. */
static struct cache *own_cache(void)
{
    if (cache == NULL) {
        pthread_once(&once, make_thread_end);
        cache = calloc(1, sizeof *cache);
        if (cache != NULL && thread_end_known) {
            pthread_setspecific(thread_end, cache);
        }
    }
    return cache;
}

static unsigned slot_of(const struct keel_plan_key *key)
{
    uint64_t mixed = (uintptr_t)key->policy / sizeof(void *) + key->iterations * 31 +
                     key->threads * 7 + key->thread;

    return (unsigned)((mixed * 0x9e3779b97f4a7c15u) >> 58) % KEEL_PLANS_KEPT;
}

static bool same(const struct keel_plan_key *a, const struct keel_plan_key *b)
{
    return a->policy == b->policy && a->iterations == b->iterations && a->threads == b->threads &&
           a->thread == b->thread;
}

/* Where the plan of `key` is or has to go. Slots are never emptied, so the search may end at an
 * empty one; where all are taken, the plan that has not been used for longest gives way. */
static struct keel_kept_plan **place_of(struct cache *own, const struct keel_plan_key *key)
{
    unsigned home = slot_of(key);
    struct keel_kept_plan **oldest = &own->slot[home];

    for (unsigned i = 0; i < PLACES; i++) {
        struct keel_kept_plan **slot = &own->slot[(home + i) % KEEL_PLANS_KEPT];
        if (*slot == NULL || same(&(*slot)->key, key)) {
            return slot;
        }
        oldest = (*slot)->used < (*oldest)->used ? slot : oldest;
    }
    return oldest;
}

/* By the cores that threads are bound to; NULL: they are alike. */
static const double *expected_weights(uint64_t threads)
{
    const struct keel_placement *placement = keel_team_placement(threads);

    return placement != NULL ? placement->weight : NULL;
}

/* Weights for another team size would be a guess; a team of one needs none. */
static const double *weights_for(const struct keel_plan_key *key)
{
    const struct keel_settings *settings = keel_settings();
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (key->policy->spec.schedule->claim != KEEL_CLAIM_WEIGHTED || key->threads == 1) {
        return NULL;
    }
    if (settings->weights == 0) {
        return expected_weights(key->threads);
    }
    if (settings->weights == key->threads) {
        return settings->weight;
    }
    if (!atomic_flag_test_and_set(&said)) {
        keel_message("KEEL_WEIGHTS: %u weight%s, but a team has %u threads; using equal weights "
                     "for teams of another size",
                     settings->weights, keel_text_plural(settings->weights), key->threads);
    }
    return NULL;
}

struct keel_problem keel_plan_cache_problem(const struct keel_plan_key *key)
{
    return (struct keel_problem){
        .spec = &key->policy->spec,
        .iterations = key->iterations,
        .threads = key->threads,
        .thread = key->thread,
        .weights = weights_for(key),
    };
}

static struct keel_kept_plan *make(const struct keel_plan_key *key)
{
    struct keel_problem problem = keel_plan_cache_problem(key);
    struct keel_kept_plan *made = malloc(sizeof *made);

    if (made != NULL) {
        made->key = *key;
        made->users = 0;
        made->kept = true;
        made->plan = keel_plan_build(&problem, realloc, &made->without_table);
    }
    return made;
}

struct keel_kept_plan *keel_plan_cache_acquire(const struct keel_plan_key *key)
{
    struct cache *own = own_cache();

    if (own == NULL) {
        return NULL;
    }
    struct keel_kept_plan **slot = place_of(own, key);
    if (*slot == NULL || !same(&(*slot)->key, key)) {
        struct keel_kept_plan *made = make(key);
        if (made == NULL) {
            return NULL;
        }
        if (*slot != NULL) {
            drop(*slot);
        }
        *slot = made;
    }
    (*slot)->users++;
    (*slot)->used = ++own->uses;
    return *slot;
}

static void plan_cache_release(struct keel_kept_plan *kept)
{
    if (--kept->users == 0 && !kept->kept) {
        free_plan(kept);
    }
}

/* --- a loop's state --- */

/* Aligned so that libkeel.so moves the thread-local data of the libraries behind it by whole cache
 * lines. libgomp's threads write into each other's, and a loop start takes a tenth longer where
 * they lie across one line more. */
_Alignas(64) _Thread_local struct keel_thread keel_thread
    __attribute__((tls_model("initial-exec")));

/* The state of the region that the thread is in. Outside of every region that Keel has seen, the
 * thread has one for good. */
static struct keel_loop *current_loop(void)
{
    static _Thread_local struct keel_loop outermost;

    if (keel_thread.loop == NULL) {
        keel_thread.loop = &outermost;
    }
    return keel_thread.loop;
}

/* The team is the same for all loops of a region, so libgomp is asked once. */
static void find_team(struct keel_loop *loop, const struct keel_libgomp *libgomp)
{
    if (loop->threads == 0 || loop->libgomp != libgomp) {
        loop->libgomp = libgomp;
        loop->threads = (uint32_t)libgomp->omp_get_num_threads();
        loop->thread = (uint32_t)libgomp->omp_get_thread_num();
    }
}

struct keel_loop *keel_loop_of_team(const struct keel_libgomp *libgomp)
{
    struct keel_loop *loop = current_loop();

    find_team(loop, libgomp);
    return loop;
}

struct keel_loop *keel_loop_begin(const struct keel_libgomp *libgomp,
                                  const struct keel_space *space)
{
    struct keel_loop *loop = current_loop();

    keel_loop_close(loop);
    find_team(loop, libgomp);
    keel_loop_needs_keel();
    loop->space = *space;
    loop->without_libgomp = false;
    loop->chunk_start = 0;
    loop->measurement = NULL;
    return loop;
}

bool keel_loop_team_known(const struct keel_libgomp *libgomp)
{
    return (keel_thread.loop != NULL && !keel_thread.loop->before_activity) ||
           (keel_thread.passed_on == 0 && libgomp->omp_get_num_threads() == 1);
}

/* --- the end --- */

/* Once for each instance. */
static void report_costs(struct keel_loop *loop)
{
    keel_measurement_add(loop->measurement, &loop->cost, loop->space.units, loop->threads, 0);
    loop->measurement = NULL;
}

bool keel_loop_finish(struct keel_loop *loop)
{
    if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_finish(loop);
    }
    if (loop->measurement != NULL && loop->mode != KEEL_LOOP_ADAPTIVE) {
        report_costs(loop);
    }
    loop->finished = true;
    keel_loop_close(loop);
    return false;
}

void keel_loop_close(struct keel_loop *loop)
{
    if (__builtin_expect(loop->mode == KEEL_LOOP_INSTRUMENTED, 0)) {
        loop->mode = loop->own_mode; /* left before its end, or its last `next` did not come */
    }
    if (__builtin_expect(loop->awaited != NULL, 0)) {
        keel_loop_await_no_more(loop);
    }
    if (loop->shared_state != NULL) {
        keel_adaptive_leave(loop);
    }
    if (loop->kept != NULL) {
        plan_cache_release(loop->kept);
        loop->kept = NULL;
    }
    if (__builtin_expect(loop->mode == KEEL_LOOP_LENT, 0)) {
        keel_lent_loop_leave(loop);
    }
    loop->mode = KEEL_LOOP_LIBGOMP;
}

void keel_loop_pass_to_libgomp(void)
{
    if (keel_thread.loop != NULL) {
        keel_loop_close(keel_thread.loop);
        keel_thread.loop->without_libgomp = false;
    }
}
