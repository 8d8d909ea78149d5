/* Modes: up to how many iterations a loop divides itself, without asking Keel.
 *
 *   loop asks -> judged (site.h) -> due -> change, while no team is in one -> divides itself
 *      ^                                                                             |
 *      +---------------- a look, in every 251st region of a thread ------------------+
 *
 * A loop that divides itself is no work-sharing construct of libgomp's: each thread takes its
 * static share without a call. So each thread of the team has to find that by itself, and all have
 * to find the same. They read one word, which changes only while no team is in a region: its
 * readers are counted. When the first of all teams starts, no thread is in another one; and when
 * the only team is at a barrier, no thread is behind its next one. A change that would have to wait
 * is made later.
 *
 * The word is Keel's, as libraries of the program may go. Loops that were built with the plugin
 * read it themselves (gomp/worksharing.h); for others, Keel does when they start. */
#ifndef OMP_EXT_SITE_MODE_H
#define OMP_EXT_SITE_MODE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/gomp/worksharing.h"

#define KEEL_MODE_ALWAYS ULONG_MAX /* loops divide themselves, however long */

/* {0} at first, and never freed: each loop asks. */
struct keel_mode {
    _Atomic unsigned long up_to; /* first, as programs read it: most iterations of loops that divide
                                    themselves */
    _Atomic unsigned long due;   /* what that becomes with the next change */
    _Atomic bool fixed;          /* there is nothing to look at again */
    _Atomic(void (*)(void *)) region; /* that a loop has asked in last, by its function */
    struct keel_mode *next;           /* of all; does not change once it is among them */
};

/* Puts a mode among those that may change. Any thread; once for each mode. */
void keel_mode_add(struct keel_mode *mode);

/* The mode of a program's loop, made on its first visit; NULL: there is no memory, and the loop
 * asks each time. Any thread; takes keel_slow_lock on first visits only. */
struct keel_mode *keel_mode_of(struct keel_worksharing_loop *loop);

/* With the next change, loops of up to that many iterations divide themselves. fixed: whatever is
 * seen of them later. Any thread. */
void keel_mode_set(struct keel_mode *mode, unsigned long up_to, bool fixed);

/* Whether a loop of `iterations` divides itself. All threads of a team get the same answer. */
static inline bool keel_mode_divides(const struct keel_mode *mode, uint64_t iterations)
{
    /* relaxed: what orders changes is the start of the team, or a barrier */
    unsigned long up_to = atomic_load_explicit(&mode->up_to, memory_order_relaxed);

    return up_to > 0 && iterations <= up_to;
}

/* A loop of the mode asks in that region. Writes only what is new, as all threads of the team do
 * it. */
static inline void keel_mode_meet(struct keel_mode *mode, void (*region)(void *))
{
    if (atomic_load_explicit(&mode->region, memory_order_relaxed) != region) {
        atomic_store_explicit(&mode->region, region, memory_order_relaxed);
    }
}

/* A team is to start, and the calling thread is in none. If there is no other one, what is due
 * changes. outlined: the region's function. allowed: loops may divide themselves. looks: those of
 * the region that do so ask again. Waits while another thread makes a change. Returns what
 * keel_mode_end_team() wants. */
unsigned keel_mode_begin_team(void (*outlined)(void *), bool allowed, bool looks);

/* The team has joined. */
void keel_mode_end_team(unsigned begun);

/* What is due changes, if the team of the calling thread is the only one. All its other threads are
 * between the same two barriers. allowed: as above. */
void keel_mode_change_within(bool allowed);

#endif
