/* Team places and their constructs. */
#include "omp_ext/recorder/teams.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/recorder/recording.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/slow_lock.h"

#define REGION_SLOTS 1024 /* a power of two */

/* Libraries that are loaded at the same addresses, one after the other, have different sites. */
struct keel_team_construct {
    struct keel_recorded_construct recorded;
    struct keel_team_construct *next; /* in its slot: older ones */
    struct keel_call_site place;
    enum keel_recording_kind kind;
    struct keel_site *site;
};

static _Atomic(struct keel_team_place *) regions[REGION_SLOTS];

static struct keel_weighing_time initial_time; /* written by the initial thread */

static size_t slot_of(const struct keel_call_site *place, size_t slots)
{
    return keel_address_home(KEEL_SITE_KEY(place)) % slots;
}

static bool is_at(const struct keel_call_site *one, const struct keel_call_site *other)
{
    return one->caller == other->caller && one->outlined == other->outlined;
}

/* --- regions --- */

static bool try_take(struct keel_team_place *team)
{
    /* acquire: pairs with the release in keel_team_place_release(): the counts of the last team are
     * visible */
    return !atomic_load_explicit(&team->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&team->taken, true, memory_order_acquire);
}

/* Takes a free team place; NULL if there is none. site: NULL for serial loops. */
static struct keel_team_place *take_free(const struct keel_call_site *place,
                                         const struct keel_site *site)
{
    /* acquire: pairs with the release in add_region() */
    for (struct keel_team_place *team =
             atomic_load_explicit(&regions[slot_of(place, REGION_SLOTS)], memory_order_acquire);
         team != NULL; team = team->next) {
        if (team->site == site && is_at(&team->place, place) && try_take(team)) {
            return team;
        }
    }
    return NULL;
}

/* Adds a team place, which is taken. NULL if there is no memory. Call with keel_slow_lock held. */
static struct keel_team_place *add_region(const struct keel_call_site *place,
                                          struct keel_site *site)
{
    _Atomic(struct keel_team_place *) *slot = &regions[slot_of(place, REGION_SLOTS)];
    struct keel_team_place *team = aligned_alloc(64, sizeof *team);

    if (team == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    memset(team, 0, sizeof *team);
    atomic_store_explicit(&team->taken, true, memory_order_relaxed);
    team->next = atomic_load_explicit(slot, memory_order_relaxed);
    team->place = *place;
    team->site = site;
    atomic_store_explicit(slot, team, memory_order_release);
    return team;
}

/* Takes the number of instances skipped there since the last recorded one joined, at `since`. */
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
    const struct keel_call_site named =
        place->caller != NULL ? keel_recording_named(place) : (struct keel_call_site){0};
    struct keel_site *site = named.caller != NULL ? keel_site_to_name(&named) : NULL;

    if (site == NULL && place->caller != NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    struct keel_team_place *team = take_free(place, site);
    if (team == NULL) { /* the first visit, or another team runs there at the same time */
        keel_slow_lock();
        team = add_region(place, site);
        keel_slow_unlock();
    }
    if (team != NULL) {
        team->weighing =
            initial ? weighing_of(team, now) : (struct keel_weighing){.forked = now, .weight = 1};
    }
    return team;
}

void keel_team_place_join(const struct keel_team_place *team, uint64_t now)
{
    keel_weighing_time_join(&initial_time, &team->weighing, now);
}

/* --- skipping --- */

/* Adds the skipped instances that no later instance counts for, 0.8 ms or so in all, with the mean
 * time of those before. */
static void settle(struct keel_skip *skip)
{
    struct keel_recording_entry *entry = ((struct keel_team_place *)skip->owner)->entry;
    uint64_t skipped = keel_skipped(skip);

    if (entry != NULL && entry->weighed > 0) {
        entry->instances += skipped;
        keel_recording->parallel +=
            (uint64_t)((double)skipped * (double)entry->elapsed / (double)entry->weighed);
    }
    skip->asked = skip->left;
}

void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now)
{
    struct keel_skip *skip = instances > 0 ? keel_skip_at(&team->place, true) : NULL;

    if (skip == NULL) {
        return;
    }
    if (keel_skipped(skip) > 0) { /* of a library at this address that is no longer loaded */
        settle(skip);
    }
    skip->owner = team;
    skip->since = now;
    skip->unloadings = keel_unload_count_now();
    skip->asked = skip->left = instances;
}

void keel_team_places_end(void)
{
    for (size_t slot = 0; slot < KEEL_SKIP_SLOTS; slot++) {
        if (keel_skipped(&keel_skip[slot]) > 0) {
            settle(&keel_skip[slot]);
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
    struct keel_recording_entry *entry = team->entry, *smaller = entry;
    if (entry == NULL || entry->room < threads) {
        const struct keel_call_site named = keel_recording_named(&team->place);
        enum keel_recording_kind kind =
            team->site != NULL ? KEEL_RECORDING_REGION : KEEL_RECORDING_OUTSIDE;
        entry = keel_recording_add_entry(kind, threads, team->site, &named, NULL);
        if (entry != NULL && smaller != NULL) { /* the running instance counts here */
            entry->forked = smaller->forked;
            smaller->forked = 0;
        }
        team->entry = entry != NULL ? entry : smaller;
    }
    keel_slow_unlock();
    return entry;
}

struct keel_recording_entry *keel_team_place_entry(struct keel_team_place *team, uint32_t threads)
{
    struct keel_recording_entry *entry = team->entry;

    return entry != NULL && entry->room >= threads ? entry : make_room(team, threads);
}

/* --- loops and parts --- */

/* Returns NULL if there is none. */
static struct keel_team_construct *find_construct(struct keel_team_place *team,
                                                  enum keel_recording_kind kind,
                                                  const struct keel_call_site *place,
                                                  uint32_t threads, const struct keel_site *site)
{
    /* acquire: pairs with the release in add_construct() */
    for (struct keel_team_construct *construct = atomic_load_explicit(
             &team->constructs[slot_of(place, KEEL_TEAM_CONSTRUCTS)], memory_order_acquire);
         construct != NULL; construct = construct->next) {
        if (construct->site == site && is_at(&construct->place, place) && construct->kind == kind &&
            construct->recorded.entry->room >= threads) {
            return construct;
        }
    }
    return NULL;
}

/* Call with keel_slow_lock held. */
static struct keel_team_construct *add_construct(struct keel_team_place *team,
                                                 enum keel_recording_kind kind,
                                                 const struct keel_call_site *place,
                                                 uint32_t threads, struct keel_site *site)
{
    _Atomic(struct keel_team_construct *) *slot =
        &team->constructs[slot_of(place, KEEL_TEAM_CONSTRUCTS)];
    struct keel_team_construct *construct = calloc(1, sizeof *construct);
    struct keel_recording_entry *region = team->entry;
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
    /* release: pairs with the acquire in find_construct() */
    atomic_store_explicit(slot, construct, memory_order_release);
    return construct;
}

struct keel_recorded_construct *keel_team_place_construct(struct keel_team_place *team,
                                                          enum keel_recording_kind kind,
                                                          const struct keel_call_site *place,
                                                          uint32_t threads)
{
    struct keel_site *site = keel_site_to_name(place);

    if (site == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    struct keel_team_construct *construct = find_construct(team, kind, place, threads, site);
    if (construct == NULL) {
        keel_slow_lock();
        construct = find_construct(team, kind, place, threads, site);
        construct = construct != NULL ? construct : add_construct(team, kind, place, threads, site);
        keel_slow_unlock();
    }
    return construct != NULL ? &construct->recorded : NULL;
}
