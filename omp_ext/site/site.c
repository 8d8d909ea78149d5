/* Loop sites. */
#define _GNU_SOURCE
#include "omp_ext/site/site.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/gomp/loop_mark.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/text.h"

/* Fields without a note never change once the site is in the table. Libraries that are loaded at
 * the same addresses, one after the other, may have sites of the same place. */
struct keel_site {
    struct keel_address_key key; /* of its place */
    struct keel_call_site place;
    struct keel_call_site shown;           /* the same by code of the file that the loop is in */
    uint64_t module;                       /* which file it is in, as module_of() says */
    _Atomic unsigned verified;             /* keel_unload_count at which that file was seen there */
    _Atomic bool is_loop;                  /* a loop has asked for its rule */
    char *name;                            /* guarded by keel_slow_lock; NULL: not looked up yet */
    _Atomic(const void *) shown_name;      /* see keel_site_shown_name() */
    const struct keel_policy *rule_policy; /* by a rule; NULL: none means this site */
    struct keel_measurements measurements; /* for policies that have to be completed */
    _Atomic(struct keel_mode *) mode;      /* see keel_site_set_mode() */
};

static struct keel_address_table table; /* written under keel_slow_lock */

/* --- the table --- */

/* The site of `place` in the file *module, or NULL: in the one that is there now, if no library has
 * been unloaded since it was seen there. Returns NULL if there is none. */
static inline struct keel_site *look_up(const struct keel_call_site *place, const uint64_t *module)
{
    unsigned unloadings = keel_unload_count_now();
    const _Atomic(void *) *slot = &table.slot[keel_address_home(KEEL_SITE_KEY(place))];
    struct keel_site *site;

    /* relaxed: what the site holds does not change with `verified` */
    do {
        site = keel_address_next(&slot, KEEL_SITE_KEY(place));
    } while (site != NULL &&
             (module != NULL
                  ? site->module != *module
                  : atomic_load_explicit(&site->verified, memory_order_relaxed) != unloadings));
    return site;
}

/* Identifies files, also those at the same addresses; 0: in none. */
static uint64_t module_of(const struct keel_call_site *place)
{
    struct keel_module module;

    if (!keel_module_of(keel_site_code(place), &module)) {
        return 0;
    }
    return (keel_digest_text(KEEL_DIGEST_START, module.name) ^ module.base) | 1;
}

const struct keel_rules_entry *keel_site_rule(const struct keel_call_site *place)
{
    const struct keel_rules *schedules = &keel_settings()->schedules;
    struct keel_source source;

    return schedules->rules > 0 && keel_site_source(place, &source)
               ? keel_rules_match(schedules, &source)
               : NULL;
}

/* Under keel_slow_lock. */
static struct keel_site *add_site(const struct keel_call_site *place, uint64_t module)
{
    struct keel_site *site = keel_address_new(&table, sizeof *site, KEEL_SITE_KEY(place));

    if (site == NULL) {
        return NULL;
    }
    const struct keel_rules_entry *rule = keel_site_rule(place);
    site->place = *place;
    site->shown = (struct keel_call_site){keel_site_code(place), place->outlined};
    site->module = module;
    site->rule_policy = rule != NULL ? rule->policy : NULL;
    keel_address_put(&table, site);
    return site;
}

/* The first visit, or the first one after a library was unloaded. */
static struct keel_site *verify(const struct keel_call_site *place)
{
    unsigned unloadings = keel_unload_count_now();
    uint64_t module = module_of(place);

    keel_slow_lock();
    struct keel_site *site = look_up(place, &module);
    if (site == NULL) {
        site = add_site(place, module);
    }
    if (site != NULL) {
        atomic_store_explicit(&site->verified, unloadings, memory_order_relaxed);
    }
    keel_slow_unlock();
    return site;
}

static struct keel_site *site_of(const struct keel_call_site *place)
{
    struct keel_site *site = look_up(place, NULL);

    /* relaxed: a full table is only noticed to spare the lock */
    if (site == NULL &&
        (atomic_load_explicit(&table.count, memory_order_relaxed) < KEEL_ADDRESS_MAX ||
         keel_unload_count_now() > 0)) {
        site = verify(place);
    }
    return site;
}

struct keel_site *keel_site_to_name(const struct keel_call_site *place)
{
    /* Only rules have to be looked up for a new site; names come later. */
    bool ready = keel_settings()->schedules.rules == 0 || keel_site_ready();

    return ready ? site_of(place) : NULL;
}

const char *keel_site_name_of(struct keel_site *site)
{
    char name[KEEL_SITE_NAME_MAX];

    if (site->name == NULL) {
        keel_site_name(&site->shown, name);
        site->name = strdup(name);
    }
    return site->name != NULL ? site->name : "a loop";
}

_Atomic(const void *) *keel_site_shown_name(struct keel_site *site)
{
    return &site->shown_name;
}

void keel_site_set_mode(const struct keel_call_site *place, struct keel_mode *mode)
{
    struct keel_site *site = look_up(place, NULL);

    if (site != NULL) {
        /* release: pairs with the acquire in keel_site_mode() */
        atomic_store_explicit(&site->mode, mode, memory_order_release);
    }
}

struct keel_mode *keel_site_mode(const struct keel_call_site *place)
{
    struct keel_site *site = look_up(place, NULL);

    return site != NULL ? atomic_load_explicit(&site->mode, memory_order_acquire) : NULL;
}

/* While another thread loads the library, loops run as if their sites were unknown. */
bool keel_site_ready(void)
{
    const struct keel_settings *settings = keel_settings();
    bool sources = settings->schedules.rules > 0 || settings->explain || settings->report ||
                   settings->trace.file != NULL || settings->check.on;

    return !sources || keel_site_source_ready();
}

/* Single iterations, or chunks of a stated size, are measured only because KEEL_EXPLAIN prints what
 * they cost. */
static bool is_explained(const struct keel_policy *policy)
{
    return keel_settings()->explain && policy->spec.schedule != NULL &&
           policy->spec.schedule->claim == KEEL_CLAIM_STEPS;
}

/* While another thread makes sites ready, the loop is of none. */
const struct keel_policy *keel_site_policy(const struct keel_call_site *place,
                                           const struct keel_policy *standard, uint64_t grain,
                                           bool recheck, bool costless)
{
    bool ready = keel_site_ready();
    const struct keel_policy *policy = standard;
    struct keel_site *site = ready && keel_settings()->schedules.rules > 0 ? site_of(place) : NULL;

    if (site != NULL) {
        atomic_store_explicit(&site->is_loop, true, memory_order_relaxed);
        policy = site->rule_policy != NULL ? site->rule_policy : standard;
    }
    if (costless && policy != NULL && policy->without_costs != NULL) {
        policy = policy->without_costs;
    }
    policy = keel_policy_grained(policy, grain);
    if (policy == NULL || !(policy->incomplete || (ready && is_explained(policy)))) {
        return policy;
    }
    if (ready && site == NULL) {
        site = site_of(place);
    }
    return site != NULL
               ? keel_measurement_policy(&site->measurements, &site->shown, policy, recheck)
               : keel_measurement_unknown_policy(policy);
}

void keel_site_each(keel_measurement_visitor *visit, void *context)
{
    for (size_t slot = 0; slot < KEEL_ADDRESS_SLOTS; slot++) {
        struct keel_site *site = atomic_load_explicit(&table.slot[slot], memory_order_acquire);
        if (site != NULL) {
            keel_measurement_each(&site->measurements, &site->shown, visit, context);
        }
    }
}

/* --- rules that mean no loop --- */

#define LOOPS_LISTED 8

/* The next slot from there on with a site that a loop has asked at; NULL: there is none. */
static struct keel_site *next_loop(size_t *slot)
{
    for (; *slot < KEEL_ADDRESS_SLOTS; ++*slot) {
        struct keel_site *site = atomic_load_explicit(&table.slot[*slot], memory_order_acquire);
        if (site != NULL && atomic_load_explicit(&site->is_loop, memory_order_relaxed)) {
            ++*slot;
            return site;
        }
    }
    return NULL;
}

static bool means_a_loop(const struct keel_rules_entry *rule)
{
    struct keel_site *site;
    struct keel_source source;

    for (size_t slot = 0; (site = next_loop(&slot)) != NULL;) {
        if (site->rule_policy == rule->policy ||
            (keel_site_source(&site->place, &source) && keel_rule_matches(&rule->place, &source))) {
            return true;
        }
    }
    return false;
}

static size_t list_loops(char *text, size_t size)
{
    size_t count = 0, length = 0;
    struct keel_site *site;

    text[0] = '\0';
    for (size_t slot = 0; (site = next_loop(&slot)) != NULL; count++) {
        if (count < LOOPS_LISTED) {
            length = keel_text_append(text, size, length, "%s%s", count > 0 ? ", " : "",
                                      keel_site_name_of(site));
        }
    }
    if (count > LOOPS_LISTED) {
        keel_text_append(text, size, length, " and %zu more", count - LOOPS_LISTED);
    }
    return count;
}

static void tell_rule(const struct keel_rules_entry *rule, const char *loops)
{
    char line[16] = "";

    if (rule->place.line > 0) {
        snprintf(line, sizeof line, ":%u", rule->place.line);
    }
    keel_message("KEEL_SCHEDULE: rule '%s%s' means no loop that has come; there %s",
                 rule->place.name, line, loops);
}

/* At exit, on one rank of a node: a rule that means nothing is reported with what there is. `keel
 * run` then need not say that no loop came. */
__attribute__((destructor)) static void tell_of_rules(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);
    char loops[2048];

    if (settings == NULL || settings->schedules.rules == 0 ||
        keel_launch_role(keel_environment_value) == KEEL_LAUNCH_OTHER || keel_slow_lock_is_own()) {
        return;
    }
    keel_slow_lock();
    size_t count = list_loops(loops, sizeof loops);
    for (unsigned i = 0; i < settings->schedules.rules && count > 0; i++) {
        if (!means_a_loop(&settings->schedules.rule[i])) {
            char text[2100];
            snprintf(text, sizeof text, "%s %s", count == 1 ? "is" : "are", loops);
            tell_rule(&settings->schedules.rule[i], text);
            keel_loop_mark_write();
        }
    }
    keel_slow_unlock();
}

/* --- KEEL_MEMORY: saving what all sites have learned --- */

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

static struct keel_remember_other *others; /* the latest first */

void keel_remember_add(struct keel_remember_other *other)
{
    other->next = others;
    others = other;
}

static void collect_others(struct states *states)
{
    for (const struct keel_remember_other *other = others; other != NULL; other = other->next) {
        struct keel_memory_state *state = add_state(states, &other->key, 1);
        if (state != NULL) {
            struct keel_memory_state own = *state;
            *state = other->state;
            state->key = own.key;
            state->thread = own.thread;
        }
    }
}

static void save(bool later)
{
    struct states states = {0};

    if (!keel_remember_saves()) {
        return;
    }
    keel_site_each(collect, &states);
    collect_others(&states);
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
