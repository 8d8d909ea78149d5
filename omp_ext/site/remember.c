/* KEEL_MEMORY: the file, its keys, and what it holds for a site. */
#define _GNU_SOURCE
#include "omp_ext/site/remember.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/site/auto_candidates.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

/* Under keel_slow_lock. */
static struct keel_memory_file *file; /* NULL: nothing is remembered */

static pid_t process; /* that libkeel.so was loaded by */

void keel_remember_begin(void)
{
    process = getpid();
}

bool keel_remember_saves(void)
{
    return file != NULL && process == getpid();
}

static void open_file(void)
{
    const struct keel_settings *settings = keel_settings();
    static char path[PATH_MAX]; /* stacks may be small */
    const char *name = settings->memory_file;
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    if (strlen(name) < sizeof path && keel_trace_file_absolute(strcpy(path, name))) {
        name = path;
    }
    file = keel_memory_open(name, settings->memory_replaced, problem);
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

static uint64_t offset_in(const struct keel_module *module, const void *address)
{
    return (uint64_t)((uintptr_t)address - module->base);
}

/* Records of one site differ in length by twice at least, so that no two of them lie between the
 * same powers of 2. */
static void add_length(char *schedule, size_t room, uint64_t units)
{
    size_t used = strlen(schedule);

    if (units > 0) {
        snprintf(schedule + used, room - used, ", 2^%d iterations", 63 - __builtin_clzll(units));
    }
}

bool keel_remember_key(const struct keel_site_records *records, uint64_t threads, uint64_t units,
                       struct keel_remember_key *own)
{
    const struct keel_call_site *place = records->place;

    if (records->module == NULL) {
        return false;
    }
    own->module = *records->module;
    keel_policy_write(records->wanted, own->schedule, sizeof own->schedule);
    add_length(own->schedule, sizeof own->schedule, units);
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

static const struct keel_memory_state *find(const struct keel_site_records *records,
                                            uint64_t threads, uint64_t units)
{
    struct keel_remember_key own;

    return is_open() && keel_remember_key(records, threads, units, &own)
               ? keel_memory_find(file, &own.key)
               : NULL;
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
                          const struct keel_site_records *records,
                          const struct keel_memory_state *state)
{
    int kept = keel_candidates_find(records->candidates, state->choice);

    if (kept >= 0) {
        keel_selection_recall(&auto_state->choice, records->candidates->count,
                              (int)records->candidates->count - 1, kept);
    }
}

void keel_remember_record(const struct keel_site_records *records, struct keel_record *record)
{
    const struct keel_memory_state *state = find(records, record->threads, record->units);

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
        recall_choice(record->auto_state, records, state);
    }
}

/* Parameters do not depend on the size of a team: they stand under 1. */
void keel_remember_cost(const struct keel_site_records *records, struct keel_cost *cost)
{
    const struct keel_memory_state *state = find(records, 1, 0);

    if (state != NULL && state->cost.chunks > 0) {
        *cost = state->cost;
    }
}

void keel_remember_write(const struct keel_memory_state *states, size_t count, bool later)
{
    char problem[KEEL_MEMORY_PROBLEM_MAX];

    if (count > 0 && !keel_memory_save(file, states, count, problem) && !later) {
        keel_message("KEEL_MEMORY: %s", problem);
    }
}
