/* Regions whose loop GCC has divided among the threads by itself, run by shares:
 *
 *   outlined function -> proof (shares/shares.h), once -> one plain run, to see that it asks Keel
 *     -> loop over many shares under a schedule -> the function once for each, as thread `share` of
 *        `shares`
 *
 * The function asks for its thread number and team size, and divides its iterations by them. While
 * a share runs, it gets the share's number and their number; everybody else gets libgomp's. */
#ifndef OMP_EXT_ENTRY_STATIC_REGION_H
#define OMP_EXT_ENTRY_STATIC_REGION_H

#include <stdbool.h>

#include "omp_ext/settings/settings.h"

/* A region's function that may be run by shares. */
struct keel_static_region;

/* One instance, on the stack of the thread that starts it. */
struct keel_static_shares {
    struct keel_static_region *region;
    void (*outlined)(void *);
    void *data;
    const void *caller; /* return address of the region's start */
    long count;
    bool plain; /* static shares are tried: each thread has its own one of the program */
};

static inline bool keel_static_regions_are_wanted(void)
{
    return (keel_settings()->override & KEEL_OVERRIDE_STATIC) != 0;
}

/* What is known of the function; NULL: it has to be left as it is, which a message says where there
 * is a report. caller: return address of the region's start. Any thread that may take locks of
 * Keel. */
struct keel_static_region *keel_static_region_of(void (*outlined)(void *), const void *caller);

/* Whether it has asked Keel for its thread number. */
bool keel_static_region_asks(const struct keel_static_region *region);

/* What each thread of the team runs: by shares, as a combined loop over them; or plainly, to see
 * whether it asks: then `shares` is a struct keel_static_shares. */
void keel_static_region_run(const struct keel_static_shares *shares);
void keel_static_region_watch(void *shares);

/* Whether a barrier is one that the shares of a region need not wait at. caller: its return
 * address. */
bool keel_static_region_passes(const void *caller);

#endif
