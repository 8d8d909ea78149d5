/* KEEL_MEMORY. */
#define _GNU_SOURCE
#include "omp_ext/site/remember.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/memory/memory.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/auto.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/sibling_library.h"
#include "schedules/loop/spec.h"

/* Under keel_slow_lock. */
static const struct keel_memory_calls *calls;
static struct keel_memory_file *file; /* NULL: nothing is remembered */

static pid_t process; /* that libkeel.so was loaded by */

void keel_remember_begin(void)
{
    process = getpid();
}

static struct keel_sibling_library library = {
    .library = "libkeel_memory.so",
    .name = "keel_memory_calls",
    .purpose = "KEEL_MEMORY",
    .instead = "nothing is kept",
};

bool keel_remember_ready(void)
{
    return keel_settings()->memory_file == NULL || keel_sibling_library_ready(&library);
}

static void open_file(void)
{
    const struct keel_settings *settings = keel_settings();
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    calls = library.symbol;
    if (calls == NULL) {
        return;
    }
    file = calls->open(settings->memory_file, settings->memory_replaced, problem);
    if (file == NULL) {
        keel_message("KEEL_MEMORY: %s", problem);
    }
}

static bool is_open(void)
{
    static bool tried;

    if (!tried && keel_settings()->memory_file != NULL) {
        tried = true;
        open_file();
    }
    return file != NULL;
}

/* --- keys --- */

/* A key with what it points to. */
struct own_key {
    struct keel_memory_key key;
    struct keel_module module;
    char schedule[KEEL_SPEC_TEXT_MAX];
};

static uint64_t offset_in(const struct keel_module *module, const void *address)
{
    return (uint64_t)((uintptr_t)address - module->base);
}

/* False: the place can't be recognised in another run. */
static bool make_key(const struct keel_site_records *memory, uint64_t threads, struct own_key *own)
{
    const struct keel_call_site *place = memory->place;

    if (memory->module == NULL) {
        return false;
    }
    own->module = *memory->module;
    keel_policy_write(memory->wanted, own->schedule, sizeof own->schedule);
    own->key = (struct keel_memory_key){
        .module = own->module.name,
        .caller = offset_in(&own->module, place->caller),
        .outlined =
            place->outlined != NULL ? offset_in(&own->module, (const void *)place->outlined) : 0,
        .schedule = own->schedule,
        .threads = threads,
    };
    return true;
}

static const struct keel_memory_state *find(const struct keel_site_records *memory,
                                            uint64_t threads)
{
    struct own_key own;

    return is_open() && make_key(memory, threads, &own) ? calls->find(file, &own.key) : NULL;
}

/* --- recalling --- */

static void recall_worker(struct keel_record_worker *worker,
                          const struct keel_memory_thread *thread)
{
    worker->known =
        (struct keel_pace){.mean_ns = thread->mean_ns, .variance_ns2 = thread->variance_ns2};
    worker->loops = thread->sample;
    atomic_store_explicit(&worker->pace_ns, keel_sample_pace_ns(&worker->loops),
                          memory_order_relaxed);
}

static void recall_blocks(struct keel_blocks *blocks, const struct keel_memory_state *state)
{
    blocks->instances = state->instances;
    blocks->unchanged = state->calm;
    blocks->profile = state->profile;
    for (uint64_t i = 0; i < blocks->workers; i++) {
        blocks->worker[i].rate = state->thread[i].rate;
        blocks->worker[i].bound = state->thread[i].bound;
    }
}

static void recall_choice(struct keel_auto_state *auto_state,
                          const struct keel_site_records *memory,
                          const struct keel_memory_state *state)
{
    int kept = keel_auto_find(memory->candidates, state->choice);

    if (kept >= 0) {
        keel_selection_recall(&auto_state->choice, memory->candidates->count, kept);
    }
}

void keel_remember_record(const struct keel_site_records *memory, struct keel_record *record)
{
    const struct keel_memory_state *state = find(memory, record->threads);

    if (state == NULL) {
        return;
    }
    for (uint64_t i = 0; i < record->threads; i++) {
        recall_worker(&record->worker[i], &state->thread[i]);
    }
    if (record->blocks != NULL && state->instances > 0 && state->profile.cost[0] > 0) {
        recall_blocks(record->blocks, state);
    }
    if (record->auto_state != NULL) {
        recall_choice(record->auto_state, memory, state);
    }
}

/* Parameters do not depend on the size of a team: they stand under 1. */
void keel_remember_cost(const struct keel_site_records *memory, struct keel_cost *cost)
{
    const struct keel_memory_state *state = find(memory, 1);

    if (state != NULL && state->cost.chunks > 0) {
        *cost = state->cost;
    }
}

/* --- saving --- */

struct states {
    struct keel_memory_state *state;
    size_t count, room;
};

/* Room for one state more, with `threads` threads; NULL: memory is short. Its key and threads are
 * in one piece of memory, which begins with the key. */
static struct keel_memory_state *add_state(struct states *states, const struct own_key *key,
                                           uint64_t threads)
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
    struct own_key *own = calloc(1, sizeof *own + threads * sizeof(struct keel_memory_thread));
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
        free((struct own_key *)(void *)states->state[i].thread - 1);
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

static void put_record(struct keel_memory_state *state, const struct keel_site_records *memory,
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
        put_choice(state, record->auto_state, memory->candidates);
    }
}

static void collect_record(struct states *states, const struct keel_site_records *memory,
                           struct keel_record *record)
{
    struct own_key key;

    /* A site that another thread is at right now keeps what the file says of it. */
    if (!make_key(memory, record->threads, &key) || !keel_brief_lock_try(&record->lock)) {
        return;
    }
    struct keel_memory_state *state = add_state(states, &key, record->threads);
    if (state != NULL) {
        put_record(state, memory, record);
    }
    keel_brief_lock_release(&record->lock);
}

static void collect(const struct keel_site_view *view, void *context)
{
    struct states *states = context;
    struct own_key key;

    if (view->cost->chunks > 0 && view->wanted->spec.schedule->learns == KEEL_LEARNS_NOT &&
        make_key(view->memory, 1, &key)) {
        struct keel_memory_state *state = add_state(states, &key, 1);
        if (state != NULL) {
            state->cost = *view->cost;
        }
    }
    /* acquire: pairs with the release in keel_record_of_team() */
    for (struct keel_record *record =
             atomic_load_explicit(&view->memory->first, memory_order_acquire);
         record != NULL; record = record->next) {
        collect_record(states, view->memory, record);
    }
}

void keel_remember_save(void)
{
    struct states states = {0};
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    if (file == NULL || process != getpid()) {
        return;
    }
    keel_site_each(collect, &states);
    if (states.count > 0 && !calls->save(file, states.state, states.count, problem)) {
        keel_message("KEEL_MEMORY: %s", problem);
    }
    free_states(&states);
}
