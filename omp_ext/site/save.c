/* Saving what all sites have learned. */
#define _GNU_SOURCE
#include "omp_ext/site/save.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/auto_candidates.h"
#include "omp_ext/site/remember.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"

struct states {
    struct keel_memory_state *state;
    size_t count, room;
};

/* Room for one state more, with `threads` threads; NULL: memory is short. Its key and threads are
 * in one piece of memory, which begins with the key. */
static struct keel_memory_state *add_state(struct states *states,
                                           const struct keel_remember_key *key, uint64_t threads)
{
    if (states->count == states->room) {
        size_t room = 2 * states->room + 16;
        struct keel_memory_state *grown = realloc(states->state, room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        states->state = grown;
        states->room = room;
    }
    struct keel_remember_key *own =
        calloc(1, sizeof *own + threads * sizeof(struct keel_memory_thread));
    if (own == NULL) {
        return NULL;
    }
    struct keel_memory_state *state = &states->state[states->count++];
    *own = *key;
    own->key.module = own->module.name;
    own->key.schedule = own->schedule;
    *state = (struct keel_memory_state){.key = own->key, .choice = ""};
    state->thread = (struct keel_memory_thread *)(own + 1);
    return state;
}

static void free_states(struct states *states)
{
    for (size_t i = 0; i < states->count; i++) {
        /* the piece of memory begins right before its threads */
        free((struct keel_remember_key *)(void *)states->state[i].thread - 1);
    }
    free(states->state);
}

static void put_blocks(struct keel_memory_state *state, const struct keel_blocks *blocks)
{
    state->instances = blocks->instances;
    state->calm = blocks->unchanged;
    state->profile = blocks->profile;
    for (uint64_t i = 0; i < blocks->workers; i++) {
        state->thread[i].rate = blocks->worker[i].rate;
        state->thread[i].bound = blocks->worker[i].bound;
    }
}

static void put_choice(struct keel_memory_state *state, const struct keel_auto_state *auto_state,
                       const struct keel_candidates *candidates)
{
    if (auto_state->choice.kept >= 0) {
        const struct keel_selection_entry *entry =
            &auto_state->choice.entry[auto_state->choice.kept];
        state->choice = candidates->policy[auto_state->choice.kept].spec.schedule->name;
        state->choice_ns = entry->measured_ns * (double)auto_state->iterations;
    }
}

static void put_record(struct keel_memory_state *state, const struct keel_site_records *records,
                       const struct keel_record *record)
{
    for (uint64_t i = 0; i < record->threads; i++) {
        const struct keel_record_worker *worker = &record->worker[i];
        state->thread[i].mean_ns = worker->known.mean_ns;
        state->thread[i].variance_ns2 = worker->known.variance_ns2;
        state->thread[i].sample = worker->loops;
    }
    if (record->blocks != NULL) {
        put_blocks(state, record->blocks);
    }
    if (record->auto_state != NULL) {
        put_choice(state, record->auto_state, records->candidates);
    }
}

static void collect_record(struct states *states, const struct keel_site_records *records,
                           struct keel_record *record)
{
    struct keel_remember_key key;

    /* A site that another thread is at right now keeps what the file says of it. */
    if (!keel_remember_key(records, record->threads, record->units, &key) ||
        !keel_brief_lock_try(&record->lock)) {
        return;
    }
    struct keel_memory_state *state = add_state(states, &key, record->threads);
    if (state != NULL) {
        put_record(state, records, record);
    }
    keel_brief_lock_release(&record->lock);
}

static void collect(const struct keel_measurement_view *view, void *context)
{
    struct states *states = context;
    struct keel_remember_key key;

    if (view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT &&
        keel_remember_key(view->records, 1, 0, &key)) {
        struct keel_memory_state *state = add_state(states, &key, 1);
        if (state != NULL) {
            state->cost = *view->cost;
        }
    }
    /* acquire: pairs with the release in keel_record_of_team() */
    for (struct keel_record *record =
             atomic_load_explicit(&view->records->first, memory_order_acquire);
         record != NULL; record = record->next) {
        collect_record(states, view->records, record);
    }
}

static void save(bool later)
{
    struct states states = {0};

    if (!keel_remember_saves()) {
        return;
    }
    keel_site_each(collect, &states);
    keel_remember_write(states.state, states.count, later);
    free_states(&states);
}

void keel_save_sites(void)
{
    save(false);
}

#define EACH_NS 1e9
#define SAVING_TIMES 100 /* as long as it took before it is done again */

void keel_save_sites_when_due(void)
{
    static _Atomic uint64_t due_ns; /* relaxed: only the initial thread changes it */
    uint64_t due = atomic_load_explicit(&due_ns, memory_order_relaxed);
    uint64_t began_ns = keel_settings()->memory_file != NULL ? keel_clock_ns() : 0;

    if (began_ns == 0 || began_ns < due || gettid() != getpid()) {
        return;
    }
    if (due != 0) {
        keel_slow_lock();
        save(true);
        keel_slow_unlock();
    }
    uint64_t now_ns = keel_clock_ns();
    double wait_ns = fmax(EACH_NS, SAVING_TIMES * (double)(now_ns - began_ns));
    atomic_store_explicit(&due_ns, now_ns + (uint64_t)wait_ns, memory_order_relaxed);
}
