/* Modes of loops, and the teams that read them. */
#include "omp_ext/site/mode.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

#include "omp_ext/support/slow_lock.h"

/* Teams in a region, without those that start within others. While a change is made, CHANGING comes
 * on top, and who starts a team waits. */
static _Atomic int teams;
#define CHANGING (INT_MIN / 2)

static _Atomic(struct keel_mode *) modes;
static atomic_bool due;            /* some mode is not what it is to become */
static atomic_bool allowed_before; /* with the last change */
static unsigned generation = 1;    /* of the process: another one in each child that is forked */

/* --- the modes --- */

void keel_mode_add(struct keel_mode *mode)
{
    mode->next = atomic_load_explicit(&modes, memory_order_relaxed);
    /* release: pairs with the acquire in change() */
    while (!atomic_compare_exchange_weak_explicit(&modes, &mode->next, mode, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

static struct keel_mode *known_mode(struct keel_worksharing_loop *loop)
{
    /* relaxed: what the mode holds says nothing yet, or is ordered as in keel_mode_divides() */
    unsigned long *word = __atomic_load_n(&loop->up_to, __ATOMIC_RELAXED);

    return word != &loop->none ? (struct keel_mode *)word : NULL;
}

struct keel_mode *keel_mode_of(struct keel_worksharing_loop *loop)
{
    struct keel_mode *mode = known_mode(loop);

    if (mode != NULL) {
        return mode;
    }
    keel_slow_lock();
    mode = known_mode(loop);
    if (mode == NULL && (mode = calloc(1, sizeof *mode)) != NULL) {
        keel_mode_add(mode);
        /* release: to its readers, the mode is {0} */
        __atomic_store_n(&loop->up_to, (unsigned long *)&mode->up_to, __ATOMIC_RELEASE);
    }
    keel_slow_unlock();
    return mode;
}

void keel_mode_set(struct keel_mode *mode, unsigned long up_to, bool fixed)
{
    atomic_store_explicit(&mode->due, up_to, memory_order_relaxed);
    atomic_store_explicit(&mode->fixed, fixed, memory_order_relaxed);
    /* release: pairs with the acquire in change() */
    atomic_store_explicit(&due, true, memory_order_release);
}

/* --- changes --- */

/* While no thread reads any mode. looks: see keel_mode_begin_team(). */
static void change(void (*outlined)(void *), bool allowed, bool looks)
{
    atomic_exchange_explicit(&due, false, memory_order_acquire);
    atomic_store_explicit(&allowed_before, allowed, memory_order_relaxed);
    for (struct keel_mode *mode = atomic_load_explicit(&modes, memory_order_acquire); mode != NULL;
         mode = mode->next) {
        if (looks && !atomic_load_explicit(&mode->fixed, memory_order_relaxed) &&
            atomic_load_explicit(&mode->region, memory_order_relaxed) == outlined) {
            atomic_store_explicit(&mode->due, 0, memory_order_relaxed);
        }
        atomic_store_explicit(&mode->up_to,
                              allowed ? atomic_load_explicit(&mode->due, memory_order_relaxed) : 0,
                              memory_order_relaxed);
    }
}

/* Makes a change if there are just so many teams, 0 or the caller's own, and leaves the caller's as
 * the only one; false: there are others. */
static bool change_alone(int own, void (*outlined)(void *), bool allowed, bool looks)
{
    int count = own;

    /* acquire: other teams' reads are over; pairs with the release in keel_mode_end_team() */
    if (!atomic_compare_exchange_strong_explicit(&teams, &count, 1 + CHANGING, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return false;
    }
    change(outlined, allowed, looks);
    /* release: pairs with the acquires in keel_mode_begin_team() */
    atomic_fetch_sub_explicit(&teams, CHANGING, memory_order_release);
    return true;
}

static bool is_due(bool allowed)
{
    return atomic_load_explicit(&due, memory_order_relaxed) ||
           atomic_load_explicit(&allowed_before, memory_order_relaxed) != allowed;
}

unsigned keel_mode_begin_team(void (*outlined)(void *), bool allowed, bool looks)
{
    if (__builtin_expect((looks && allowed) || is_due(allowed), 0) &&
        change_alone(0, outlined, allowed, looks)) {
        return generation;
    }
    if (__builtin_expect(atomic_fetch_add_explicit(&teams, 1, memory_order_acquire) < 0, 0)) {
        while (atomic_load_explicit(&teams, memory_order_acquire) < 0) {
            sched_yield();
        }
    }
    return generation;
}

void keel_mode_end_team(unsigned begun)
{
    if (__builtin_expect(begun == generation, 1)) {
        atomic_fetch_sub_explicit(&teams, 1, memory_order_release);
    }
}

void keel_mode_change_within(bool allowed)
{
    if (is_due(allowed)) {
        change_alone(1, NULL, allowed, false);
    }
}

/* --- fork --- */

/* Teams of the parent do not exist in the child, nor does who was making a change. */
static void forget_teams(void)
{
    generation++;
    atomic_store_explicit(&teams, 0, memory_order_relaxed);
}

__attribute__((constructor)) static void handle_fork(void)
{
    pthread_atfork(NULL, NULL, forget_teams);
}
