/* Where teams are recorded. */
#include "omp_ext/recorder/teams.h"

#include <stdlib.h>

#include "omp_ext/loop/skips.h"
#include "omp_ext/recorder/recording.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/own_memory.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/unload.h"

#define REGION_SLOTS 1024 /* powers of two */
#define CONSTRUCT_SLOTS 32

/* Libraries that are loaded at the same addresses, one after the other, have different sites. */
struct construct {
    struct keel_recorded_construct recorded;
    struct construct *next; /* in its slot: older ones */
    struct keel_call_site place;
    enum keel_recording_kind kind;
    struct keel_site *site;
    _Atomic unsigned verified; /* keel_unload_count at which its file was seen there */
};

/* Fields without a note never change once the team place is in its slot. */
struct keel_team_place {
    /* Written by who starts a region: on a cache line of its own. */
    _Alignas(64) atomic_bool taken;
    struct keel_weighing weighing; /* what the one counts that runs */
    _Alignas(64) _Atomic unsigned verified;
    atomic_bool has_nested;
    struct keel_team_place *next; /* in its slot: older ones */
    struct keel_call_site place;
    struct keel_call_site named; /* the same as names are looked up for */
    struct keel_site *site;
    _Atomic(struct keel_recording_entry *) entry; /* the largest so far */
    _Atomic(struct construct *) constructs[CONSTRUCT_SLOTS];
};

static _Atomic(struct keel_team_place *) regions[REGION_SLOTS];

static struct keel_weighing_time initial_time; /* of the initial thread, which writes it */

static size_t slot_of(const struct keel_call_site *place, size_t slots)
{
    return keel_address_slot((uintptr_t)place->caller, (uintptr_t)place->outlined, slots);
}

static bool is_at(const struct keel_call_site *one, const struct keel_call_site *other)
{
    return one->caller == other->caller && one->outlined == other->outlined;
}

/* --- regions --- */

static bool try_take(struct keel_team_place *team)
{
    /* acquire: pairs with the release in keel_team_place_release(): what the last team has counted
     * is seen */
    return !atomic_load_explicit(&team->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&team->taken, true, memory_order_acquire);
}

/* A free one at the place whose file was seen there since a library was unloaded last. */
static struct keel_team_place *take_known(const struct keel_call_site *place)
{
    unsigned unloadings = keel_unload_count_now();

    /* acquire: pairs with the release in add_region() */
    for (struct keel_team_place *team =
             atomic_load_explicit(&regions[slot_of(place, REGION_SLOTS)], memory_order_acquire);
         team != NULL; team = team->next) {
        if (is_at(&team->place, place) &&
            atomic_load_explicit(&team->verified, memory_order_relaxed) == unloadings &&
            try_take(team)) {
            return team;
        }
    }
    return NULL;
}

static struct keel_team_place *take_of_site(const struct keel_call_site *place,
                                            struct keel_site *site, unsigned unloadings)
{
    for (struct keel_team_place *team =
             atomic_load_explicit(&regions[slot_of(place, REGION_SLOTS)], memory_order_acquire);
         team != NULL; team = team->next) {
        if (is_at(&team->place, place) && team->site == site && try_take(team)) {
            atomic_store_explicit(&team->verified, unloadings, memory_order_relaxed);
            return team;
        }
    }
    return NULL;
}

/* Taken. Under keel_slow_lock. */
static struct keel_team_place *add_region(const struct keel_call_site *place,
                                          const struct keel_call_site *named,
                                          struct keel_site *site, unsigned unloadings)
{
    _Atomic(struct keel_team_place *) *slot = &regions[slot_of(place, REGION_SLOTS)];
    struct keel_team_place *team = keel_own_memory(sizeof *team);

    if (team == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    atomic_store_explicit(&team->taken, true, memory_order_relaxed);
    atomic_store_explicit(&team->verified, unloadings, memory_order_relaxed);
    team->next = atomic_load_explicit(slot, memory_order_relaxed);
    team->place = *place;
    team->named = *named;
    team->site = site;
    atomic_store_explicit(slot, team, memory_order_release);
    return team;
}

/* Where the construct stands: one that the compiler calls at several places has one outlined
 * function, and one place in the report, as its loops have. */
static struct keel_call_site named_place(const struct keel_call_site *place)
{
    return place->outlined != NULL
               ? (struct keel_call_site){(const char *)(uintptr_t)place->outlined + 1,
                                         place->outlined}
               : *place;
}

/* The first visit, another team at the same time, or the first one after an unloading. */
static struct keel_team_place *take_new(const struct keel_call_site *place)
{
    unsigned unloadings = keel_unload_count_now();
    const struct keel_call_site named =
        place->caller != NULL ? named_place(place) : (struct keel_call_site){0};
    struct keel_site *site = named.caller != NULL ? keel_site_to_name(&named) : NULL;

    if (site == NULL && place->caller != NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    keel_slow_lock();
    struct keel_team_place *team = take_of_site(place, site, unloadings);
    if (team == NULL) {
        team = add_region(place, &named, site, unloadings);
    }
    keel_slow_unlock();
    return team;
}

/* How many the initial thread has skipped there since one joined that was recorded, at `since`. */
static uint64_t take_skipped(const struct keel_team_place *team, uint64_t *since)
{
    struct keel_skip *skip = keel_skip_at(&team->place, false);
    const struct keel_team_place *owner = skip != NULL ? skip->owner : NULL;

    *since = 0;
    if (owner == NULL || owner->site != team->site) {
        return 0;
    }
    uint64_t skipped = keel_skipped(skip);
    *since = skip->since;
    skip->asked = skip->left = 0;
    return skipped;
}

static struct keel_weighing weighing_of(const struct keel_team_place *team, uint64_t now)
{
    uint64_t since, skipped = take_skipped(team, &since);

    keel_weighing_time_fork(&initial_time, now);
    return keel_weighing_of(&initial_time, skipped, since, now);
}

struct keel_team_place *keel_team_place_take(const struct keel_call_site *place, bool initial,
                                             uint64_t now)
{
    struct keel_team_place *team = take_known(place);

    if (team == NULL) {
        team = take_new(place);
    }
    if (team != NULL) {
        team->weighing =
            initial ? weighing_of(team, now) : (struct keel_weighing){.forked = now, .weight = 1};
    }
    return team;
}

const struct keel_weighing *keel_team_place_weighing(const struct keel_team_place *team)
{
    return &team->weighing;
}

void keel_team_place_join(const struct keel_team_place *team, uint64_t now)
{
    keel_weighing_time_join(&initial_time, &team->weighing, now);
}

/* --- skipping --- */

/* Adds those that no later instance stands for: all of them, and as much time as they may have
 * taken. */
static void settle(struct keel_skip *skip, uint64_t now)
{
    struct keel_recording_entry *entry = keel_team_place_entry_now(skip->owner);
    uint64_t skipped = keel_skipped(skip);

    if (entry != NULL && entry->weighed > 0) {
        uint64_t expected =
            (uint64_t)((double)skipped * (double)entry->elapsed / (double)entry->weighed);
        uint64_t counted = keel_weighing_time_rest(&initial_time, expected, now);
        entry->instances += skipped;
        entry->rest += counted;
        keel_recording->parallel += counted;
    }
    skip->asked = skip->left;
}

void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now)
{
    struct keel_skip *skip = instances > 0 ? keel_skip_at(&team->place, true) : NULL;

    if (skip == NULL) {
        return;
    }
    if (keel_skipped(skip) > 0) { /* a library was there that is no longer loaded */
        settle(skip, now);
    }
    skip->owner = team;
    skip->since = now;
    skip->unloadings = atomic_load_explicit(&team->verified, memory_order_relaxed);
    skip->asked = skip->left = instances;
}

void keel_team_place_note_nested(struct keel_team_place *team)
{
    /* relaxed: a hint */
    if (!atomic_load_explicit(&team->has_nested, memory_order_relaxed)) {
        atomic_store_explicit(&team->has_nested, true, memory_order_relaxed);
    }
}

bool keel_team_place_has_nested(const struct keel_team_place *team)
{
    return atomic_load_explicit(&team->has_nested, memory_order_relaxed);
}

void keel_team_places_end(uint64_t now)
{
    for (size_t slot = 0; slot < KEEL_SKIP_SLOTS; slot++) {
        if (keel_skipped(&keel_skip[slot]) > 0) {
            settle(&keel_skip[slot], now);
        }
    }
}

void keel_team_place_release(struct keel_team_place *team)
{
    atomic_store_explicit(&team->taken, false, memory_order_release);
}

/* --- entries of regions --- */

static struct keel_recording_entry *make_room(struct keel_team_place *team, uint32_t threads)
{
    keel_slow_lock();
    struct keel_recording_entry *entry = keel_team_place_entry_now(team), *smaller = entry;
    if (entry == NULL || entry->room < threads) {
        enum keel_recording_kind kind =
            team->site != NULL ? KEEL_RECORDING_REGION : KEEL_RECORDING_OUTSIDE;
        entry = keel_recording_add_entry(kind, threads, team->site, &team->named, NULL);
        if (entry != NULL && smaller != NULL) { /* the instance that runs counts here */
            entry->forked = smaller->forked;
            smaller->forked = 0;
        }
        if (entry != NULL) {
            /* release: pairs with the acquire in keel_team_place_entry_now() */
            atomic_store_explicit(&team->entry, entry, memory_order_release);
        }
    }
    keel_slow_unlock();
    return entry;
}

struct keel_recording_entry *keel_team_place_entry_now(struct keel_team_place *team)
{
    return atomic_load_explicit(&team->entry, memory_order_acquire);
}

struct keel_recording_entry *keel_team_place_entry(struct keel_team_place *team, uint32_t threads)
{
    struct keel_recording_entry *entry = keel_team_place_entry_now(team);

    return entry != NULL && entry->room >= threads ? entry : make_room(team, threads);
}

/* --- loops and parts --- */

static bool is_construct(const struct construct *construct, enum keel_recording_kind kind,
                         const struct keel_call_site *place, uint32_t threads)
{
    return is_at(&construct->place, place) && construct->kind == kind &&
           construct->recorded.entry->room >= threads;
}

static struct construct *find_of_site(struct construct *first, enum keel_recording_kind kind,
                                      const struct keel_call_site *place, uint32_t threads,
                                      const struct keel_site *site)
{
    for (struct construct *construct = first; construct != NULL; construct = construct->next) {
        if (construct->site == site && is_construct(construct, kind, place, threads)) {
            return construct;
        }
    }
    return NULL;
}

/* Under keel_slow_lock. */
static struct construct *add_construct(struct keel_team_place *team, enum keel_recording_kind kind,
                                       const struct keel_call_site *place, uint32_t threads,
                                       struct keel_site *site)
{
    _Atomic(struct construct *) *slot = &team->constructs[slot_of(place, CONSTRUCT_SLOTS)];
    struct construct *construct = keel_own_memory(sizeof *construct);
    struct keel_recording_entry *region = keel_team_place_entry_now(team);
    struct keel_recording_entry *entry =
        construct != NULL ? keel_recording_add_entry(kind, threads, site, place, region) : NULL;

    if (entry == NULL) {
        free(construct);
        return NULL;
    }
    construct->recorded.entry = entry;
    construct->next = atomic_load_explicit(slot, memory_order_relaxed);
    construct->place = *place;
    construct->kind = kind;
    construct->site = site;
    /* release: pairs with the acquire in keel_team_place_construct() */
    atomic_store_explicit(slot, construct, memory_order_release);
    return construct;
}

static struct keel_recorded_construct *find_or_add(struct keel_team_place *team,
                                                   enum keel_recording_kind kind,
                                                   const struct keel_call_site *place,
                                                   uint32_t threads)
{
    unsigned unloadings = keel_unload_count_now();
    struct keel_site *site = keel_site_to_name(place);

    if (site == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    keel_slow_lock();
    struct construct *construct =
        find_of_site(team->constructs[slot_of(place, CONSTRUCT_SLOTS)], kind, place, threads, site);
    if (construct == NULL) {
        construct = add_construct(team, kind, place, threads, site);
    }
    if (construct != NULL) {
        atomic_store_explicit(&construct->verified, unloadings, memory_order_relaxed);
    }
    keel_slow_unlock();
    return construct != NULL ? &construct->recorded : NULL;
}

struct keel_recorded_construct *keel_team_place_construct(struct keel_team_place *team,
                                                          enum keel_recording_kind kind,
                                                          const struct keel_call_site *place,
                                                          uint32_t threads)
{
    unsigned unloadings = keel_unload_count_now();

    for (struct construct *construct = atomic_load_explicit(
             &team->constructs[slot_of(place, CONSTRUCT_SLOTS)], memory_order_acquire);
         construct != NULL; construct = construct->next) {
        if (is_construct(construct, kind, place, threads) &&
            atomic_load_explicit(&construct->verified, memory_order_relaxed) == unloadings) {
            return &construct->recorded;
        }
    }
    return find_or_add(team, kind, place, threads);
}
