/* Instances of regions that are not observed. */
#include "omp_ext/loop/skips.h"

#define PLACES_MAX (KEEL_SKIP_SLOTS / 2) /* so that what is looked for is found soon */

struct keel_skip keel_skip[KEEL_SKIP_SLOTS];
struct keel_thread *_Atomic keel_skip_thread;

static size_t places;

static bool is_at(const struct keel_skip *skip, const struct keel_call_site *place)
{
    return skip->place.caller == place->caller && skip->place.outlined == place->outlined;
}

static struct keel_skip *add_at(struct keel_skip *skip, const struct keel_call_site *place)
{
    if (places == PLACES_MAX) {
        return NULL;
    }
    places++;
    skip->place = *place;
    atomic_store_explicit(&keel_skip_thread, &keel_thread, memory_order_relaxed);
    return skip;
}

struct keel_skip *keel_skip_at(const struct keel_call_site *place, bool add)
{
    size_t slot = keel_skip_slot(place->caller);

    while (keel_skip[slot].place.caller != NULL) {
        if (is_at(&keel_skip[slot], place)) {
            return &keel_skip[slot];
        }
        slot = (slot + 1) % KEEL_SKIP_SLOTS;
    }
    return add ? add_at(&keel_skip[slot], place) : NULL;
}
