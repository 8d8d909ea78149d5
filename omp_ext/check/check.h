/* Loops under adversarial schedules, for `keel check` (KEEL_CHECK): which policy they get, what
 * runs beside what, and what is known of each loop.
 *
 *   keel_check_policy() -> the team agrees on it -> loop/checked_loop.c -> chunks
 *
 * What the schedule gives each thread is a function of the seed, the loop's name and the number of
 * the instance (schedules/claim/adversary.h). Threads are delayed before a region, before a loop,
 * and between chunks (checked_loop.c). */
#ifndef OMP_EXT_CHECK_CHECK_H
#define OMP_EXT_CHECK_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/address_table.h"

/* --- the loops of the program, and their settings ---
 *
 *   keel check -> folder/active, folder/barriers -> [loops by name] -> folder/report -> keel check
 *
 * Loops have the names of messages ("eos.cc:53 (update)"), parallel regions by that
 * with KEEL_CHECK_REGION before it, one a line. Without a list `active` all loops run under
 * adversarial schedules, and threads come late to all regions; without `barriers` no loop gets
 * another barrier.
 * The report is appended to line by line when something is seen for the first time in a process,
 * so that it is there also when the program crashes:
 *
 *   loop TAB name TAB size of the team
 *   after TAB name TAB name          the second begins with no barrier since the first has ended
 *   region TAB name                  a parallel region
 *   reached TAB name                 and a loop in it has come to Keel */

#define KEEL_CHECK_BEFORE_MAX 4
#define KEEL_CHECK_REGION "parallel region "

/* A loop, or a parallel region. Never freed. Fields without a note never change. */
struct keel_check_site {
    struct keel_address_key key; /* of its place */
    char *name;
    uint64_t hash; /* of the name: the same in each run, wherever the program is loaded */
    bool active;   /* it runs under adversarial schedules; a region: threads come late */
    bool barrier;  /* waits at its end even if the program does not ask for that */
    atomic_bool reported, reached; /* written by who is first */
    _Atomic uint64_t instances;    /* that have begun */
    _Atomic uint32_t vain_waits;   /* in which a thread has waited in vain for the others */
    _Atomic(const struct keel_check_site *) before[KEEL_CHECK_BEFORE_MAX]; /* in the report */
};

/* Where a thread is, as part of what is restored when it leaves a region. Its own. */
struct keel_check_thread {
    struct keel_check_site *loop;        /* that it is in */
    const struct keel_check_site *ended; /* that has ended with no barrier since; NULL: none */
    struct keel_check_site *region;
};

/* The site of a loop, or of a region that begins there; NULL: no room, or names can't be looked up
 * right now. Any thread. */
struct keel_check_site *keel_check_site(const struct keel_call_site *place, bool is_region);

/* Reports a loop and its team of `threads`, once. */
void keel_check_report_loop(struct keel_check_site *site, unsigned threads);

/* --- policies, and barriers between loops --- */

static inline bool keel_check_wanted(void)
{
    return __builtin_expect(keel_settings()->check.on, 0);
}

/* The policy for a loop that the thread of `thread` begins; NULL: libgomp's. */
const struct keel_policy *keel_check_policy(struct keel_check_thread *thread,
                                            const struct keel_construct *construct);

/* What ordered loops run under instead of an adversarial policy; NULL: no memory. */
const struct keel_policy *keel_check_ordered_policy(void);

/* A region that begins at `caller`, for its threads to know; NULL where nothing is checked. */
struct keel_check_site *keel_check_begin_region(const void *caller, void (*outlined)(void *));

/* The thread ends a loop without a barrier: whether the loop has to get one. */
bool keel_check_take_barrier(struct keel_check_thread *thread);

/* The thread passes a barrier. */
static inline void keel_check_passed_barrier(struct keel_check_thread *thread)
{
    thread->loop = NULL;
    thread->ended = NULL;
}

/* --- delays of threads ---
 *
 * They become rarer with the number of instances, so that a program with a million loops ends. */

/* Sleeps for `ns`, or until a signal. Leaves errno alone. */
void keel_delay_sleep(uint64_t ns);

/* Sleeps for less than 0.3 ms; `draw`: a random number. */
void keel_delay_sleep_briefly(uint64_t draw);

/* Whether the instance or region of that number, from 1, is delayed: the first 16 are, the n-th of
 * later ones with a probability of 16 / n. */
bool keel_delay_is_due(uint64_t draw, uint64_t number);

/* Once per thread, at the begin of an active region. May sleep. */
void keel_delay_region(const struct keel_check_site *region);

#endif
