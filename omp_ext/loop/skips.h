/* Instances of regions that are not observed, as so many are short that watching all costs too
 * much.
 *
 *   observer -> keel_skip_at() -> left instances -> keel_skip_next(), where a region starts
 *
 * Only for regions that the initial thread starts, so nothing here is shared. */
#ifndef OMP_EXT_LOOP_SKIPS_H
#define OMP_EXT_LOOP_SKIPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/loop/loop.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/address_table.h"

#define KEEL_SKIP_SLOTS 1024 /* a power of two */

/* All that is looked at where an instance is skipped: one cache line. */
struct keel_skip {
    _Alignas(64) struct keel_call_site place; /* caller NULL: free, and so is what follows */
    uint64_t left;                            /* instances to skip */
    uint64_t asked;      /* what `left` was at first: the difference has been skipped */
    unsigned unloadings; /* keel_unload_count at that time; later, another region may be there */
    void *owner;         /* the observer's, who wants that */
    uint64_t since;      /* likewise: ticks, when it was wanted */
};

extern struct keel_skip keel_skip[KEEL_SKIP_SLOTS];

/* Of the thread whose regions may be skipped; NULL: none are. */
extern struct keel_thread *_Atomic keel_skip_thread;

static inline size_t keel_skip_slot(const void *caller)
{
    return keel_address_slot((uintptr_t)caller, 0, KEEL_SKIP_SLOTS);
}

/* Whether it is the calling one. */
static inline bool keel_skip_is_by_this_thread(void)
{
    /* relaxed: only the thread that has written it finds itself in there */
    return atomic_load_explicit(&keel_skip_thread, memory_order_relaxed) == &keel_thread;
}

/* Whether the instance that the calling thread starts now is skipped, and counts as one. */
static inline bool keel_skip_next(const void *caller, void (*outlined)(void *))
{
    if (!keel_skip_is_by_this_thread()) {
        return false;
    }
    for (size_t slot = keel_skip_slot(caller); keel_skip[slot].place.caller != NULL;
         slot = (slot + 1) % KEEL_SKIP_SLOTS) {
        struct keel_skip *skip = &keel_skip[slot];
        if (skip->place.caller == caller && skip->place.outlined == outlined) {
            if (skip->left == 0 || skip->unloadings != keel_unload_count_now()) {
                return false;
            }
            skip->left--;
            return true;
        }
    }
    return false;
}

/* What is known of a place: by the initial thread, which this notes. add: also where nothing is
 * yet. NULL: nothing, or there is no room. */
struct keel_skip *keel_skip_at(const struct keel_call_site *place, bool add);

/* Instances that have been skipped since `asked` was written. */
static inline uint64_t keel_skipped(const struct keel_skip *skip)
{
    return skip->asked - skip->left;
}

#endif
