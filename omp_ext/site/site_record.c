/* What has been learned at a loop site, in this run and, by KEEL_MEMORY, in earlier ones. */
#define _GNU_SOURCE
#include "omp_ext/site/site.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* --- candidates of `auto` --- */

#define FORECASTS_NS 200e3  /* what forecasts may take, until that has been seen */
#define FORECASTS_PART 0.02 /* of a loop's time so far that they may take */

/* Of each kind one: what differs little is not worth its trial. */
static const struct keel_schedule *const candidates_of_all[] = {
    &keel_schedule_static, &keel_schedule_mfsc, &keel_schedule_gss,
    &keel_schedule_tss,    &keel_schedule_fac2, &keel_schedule_ss,
    &keel_schedule_steal,  &keel_schedule_af,   &keel_schedule_rate,
};

#define CANDIDATES (sizeof candidates_of_all / sizeof *candidates_of_all)

void keel_candidates_begin(struct keel_candidates *candidates, const struct keel_policy *automatic)
{
    candidates->count = CANDIDATES;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        struct keel_policy *policy = &candidates->policy[i], *in_order = &candidates->in_order[i];
        struct keel_spec stated = keel_spec_of(candidates_of_all[i]);
        keel_policy_copy_common(&stated, &automatic->stated);
        *policy = keel_policy_of(&stated);
        policy->records = automatic->records;
        if (stated.schedule->in_order != NULL) {
            *in_order = keel_policy_in_order(&stated);
            policy->in_order = in_order;
        }
    }
}

/* The state that knows nothing. */
static void candidates_begin_state(struct keel_auto_state *auto_state)
{
    *auto_state = (struct keel_auto_state){0};
    keel_selection_begin(&auto_state->choice, CANDIDATES, CANDIDATES - 1);
}

/* The number of the candidate of that schedule's name; -1: none is. */
static int candidates_find(const struct keel_candidates *candidates, const char *name)
{
    for (unsigned i = 0; i < candidates->count; i++) {
        if (strcmp(candidates->policy[i].spec.schedule->name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

double keel_candidates_forecasts_due_ns(const struct keel_auto_state *auto_state)
{
    return (auto_state->forecast_ns > 0 ? auto_state->forecast_ns : FORECASTS_NS) / FORECASTS_PART;
}

/* --- KEEL_MEMORY: the file, its keys, and what it holds for a site --- */

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

const struct keel_memory_state *keel_remember_find(const struct keel_memory_key *key)
{
    return is_open() ? keel_memory_find(file, key) : NULL;
}

static const struct keel_memory_state *find_kept(const struct keel_site_records *records,
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
    int kept = candidates_find(records->candidates, state->choice);

    if (kept >= 0) {
        keel_selection_recall(&auto_state->choice, records->candidates->count,
                              (int)records->candidates->count - 1, kept);
    }
}

/* Fills in what an earlier run has left for a new record. */
static void remember_record(const struct keel_site_records *records, struct keel_record *record)
{
    const struct keel_memory_state *state = find_kept(records, record->threads, record->units);

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

/* Parameters do not depend on the size of a team: they are recorded under 1. */
void keel_remember_cost(const struct keel_site_records *records, struct keel_cost *cost)
{
    const struct keel_memory_state *state = find_kept(records, 1, 0);

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

/* --- records --- */

#define ANOTHER_LENGTH 2.0 /* times as many iterations, or as few, are chosen for anew */

/* By how much the lengths differ, as a factor >= 1; a record for all lengths fits best. */
static double length_ratio(const struct keel_record *record, uint64_t units)
{
    double a = (double)record->units, b = fmax(1, (double)units);

    return record->units == 0 ? 1 : fmax(a, b) / fmin(a, b);
}

/* The one of the nearest length; NULL: none of that team size. */
static struct keel_record *nearest(struct keel_site_records *records, uint64_t threads,
                                   uint64_t units)
{
    struct keel_record *found = NULL;

    for (/* acquire: pairs with the release in add() */
         struct keel_record *record = atomic_load_explicit(&records->first, memory_order_acquire);
         record != NULL; record = record->next) {
        if (record->threads == threads &&
            (found == NULL || length_ratio(record, units) < length_ratio(found, units))) {
            found = record;
        }
    }
    return found;
}

/* NULL: none is near enough. */
static struct keel_record *find(struct keel_site_records *records, uint64_t threads, uint64_t units)
{
    struct keel_record *record = nearest(records, threads, units);

    return record != NULL && length_ratio(record, units) < ANOTHER_LENGTH ? record : NULL;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct keel_record *make(uint64_t threads, uint64_t units,
                                const struct keel_schedule *schedule)
{
    size_t size = rounded(sizeof(struct keel_record) + threads * sizeof(struct keel_record_worker));
    size_t blocks = schedule->learns == KEEL_LEARNS_BLOCKS ? rounded(keel_blocks_size(threads)) : 0;
    size_t auto_state = schedule->chooses ? rounded(sizeof(struct keel_auto_state)) : 0;
    char *memory = aligned_alloc(64, size + blocks + auto_state);
    struct keel_record *record = (struct keel_record *)memory;

    if (memory == NULL) {
        return NULL;
    }
    memset(memory, 0, size + blocks + auto_state); /* a pace of 0 and clear flags are zero bits */
    record->threads = threads;
    record->units = schedule->chooses ? max_u64(units, 1) : 0;
    if (blocks > 0) {
        record->blocks = (struct keel_blocks *)(memory + size);
        keel_blocks_begin(record->blocks, threads);
    }
    if (auto_state > 0) {
        record->auto_state = (struct keel_auto_state *)(memory + size + blocks);
        candidates_begin_state(record->auto_state);
    }
    return record;
}

/* relaxed: a count that is too small is looked at again under the lock */
static bool is_full(const struct keel_site_records *records)
{
    return atomic_load_explicit(&records->count, memory_order_relaxed) >= KEEL_RECORDS_MAX;
}

static struct keel_record *add(struct keel_site_records *records, uint64_t threads, uint64_t units,
                               const struct keel_schedule *schedule)
{
    struct keel_record *record = is_full(records) ? NULL : make(threads, units, schedule);

    if (record == NULL) {
        return NULL;
    }
    remember_record(records, record);
    record->next = atomic_load_explicit(&records->first, memory_order_relaxed);
    atomic_fetch_add_explicit(&records->count, 1, memory_order_relaxed);
    /* release: pairs with the acquire in nearest() */
    atomic_store_explicit(&records->first, record, memory_order_release);
    return record;
}

struct keel_record *keel_record_of_team(struct keel_site_records *records, uint64_t threads,
                                        uint64_t units, const struct keel_schedule *schedule)
{
    struct keel_record *record = find(records, threads, units);

    if (record == NULL && !is_full(records)) {
        keel_slow_lock();
        record = find(records, threads, units);
        if (record == NULL) {
            record = add(records, threads, units, schedule);
        }
        keel_slow_unlock();
    }
    return record != NULL ? record : nearest(records, threads, units);
}

double keel_record_weight(const struct keel_record *record, uint64_t thread,
                          enum keel_learning learns)
{
    const struct keel_record_worker *worker = &record->worker[thread];
    struct keel_speeds team = {0};

    /* relaxed: the paces are independent, and an older one is as good */
    for (uint64_t i = 0; i < record->threads; i++) {
        keel_speeds_add(&team,
                        atomic_load_explicit(&record->worker[i].pace_ns, memory_order_relaxed));
    }
    double pace_ns = atomic_load_explicit(&worker->pace_ns, memory_order_relaxed);
    double busy_ns = atomic_load_explicit(&worker->busy_ns, memory_order_relaxed);

    return keel_learner_weight(learns, pace_ns, &team, busy_ns > 0 ? KEEL_NOISE_NS / busy_ns : 0);
}
