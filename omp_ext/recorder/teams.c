/* Team places and their constructs. */
#include "omp_ext/recorder/teams.h"

#include <stdlib.h>

#include "omp_ext/machine/module.h"
#include "omp_ext/recorder/recording.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/slow_lock.h"

/* Libraries that are loaded at the same addresses, one after the other, have different sites. */
struct keel_team_construct {
    struct keel_recorded_construct recorded;
    struct keel_team_construct *next; /* in its slot: older ones */
    struct keel_call_site place;
    enum keel_recording_kind kind;
    struct keel_site *site;
};

static struct keel_weighing_time initial_time; /* written by the initial thread */

static _Atomic(struct keel_team_construct *) *slot_of(struct keel_team_place *team,
                                                      const struct keel_call_site *place)
{
    return &team->constructs[keel_address_home(KEEL_SITE_KEY(place)) % KEEL_TEAM_CONSTRUCTS];
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
    const _Atomic(void *) *slot = &keel_skips.slot[keel_address_home(KEEL_SITE_KEY(place))];
    struct keel_team_place *team;

    do {
        team = keel_address_next(&slot, KEEL_SITE_KEY(place));
    } while (team != NULL && (team->site != site || !try_take(team)));
    return team;
}

/* Adds a team place, which is taken. NULL if there is no room. */
static struct keel_team_place *add_region(const struct keel_call_site *place,
                                          struct keel_site *site)
{
    struct keel_team_place *team =
        keel_address_new(&keel_skips, sizeof *team, KEEL_SITE_KEY(place));

    if (team == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    atomic_store_explicit(&team->taken, true, memory_order_relaxed);
    team->place = *place;
    team->site = site;
    keel_address_put(&keel_skips, team);
    return team;
}

/* Counts the instances skipped there since the last recorded one joined. */
static struct keel_weighing weighing_of(struct keel_team_place *team, uint64_t now)
{
    uint64_t skipped = keel_skipped(&team->skip);

    team->skip.asked = team->skip.left = 0;
    keel_weighing_time_fork(&initial_time, now);
    return keel_weighing_of(&initial_time, skipped, team->skip.since, now);
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
        team = add_region(place, site);
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

void keel_team_place_skip(struct keel_team_place *team, uint64_t instances, uint64_t now)
{
    team->skip.since = now;
    team->skip.unloadings = keel_unload_count_now();
    team->skip.asked = team->skip.left = instances;
    if (instances > 0) {
        atomic_store_explicit(&keel_skip_thread, &keel_thread, memory_order_relaxed);
    }
}

/* They are 0.8 ms or so in all, and take the mean time of those before. */
void keel_team_places_end(void)
{
    for (size_t slot = 0; slot < KEEL_ADDRESS_SLOTS; slot++) {
        struct keel_team_place *team =
            atomic_load_explicit(&keel_skips.slot[slot], memory_order_acquire);
        struct keel_recording_entry *entry = team != NULL ? team->entry : NULL;
        if (entry != NULL && entry->weighed > 0) {
            uint64_t skipped = keel_skipped(&team->skip);
            entry->instances += skipped;
            keel_recording->parallel +=
                (uint64_t)((double)skipped * (double)entry->elapsed / (double)entry->weighed);
            team->skip.asked = team->skip.left;
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
    for (struct keel_team_construct *construct =
             atomic_load_explicit(slot_of(team, place), memory_order_acquire);
         construct != NULL; construct = construct->next) {
        if (construct->site == site && construct->place.caller == place->caller &&
            construct->place.outlined == place->outlined && construct->kind == kind &&
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
    _Atomic(struct keel_team_construct *) *slot = slot_of(team, place);
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
