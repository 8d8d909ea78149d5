/* One thread's part in a loop with static shares. */
#include "omp_ext/loop/modes.h"

#include <math.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"

/* In keel_instance.users: threads that have ended, and above them the last end, ns. */
#define ENDED_BITS 16
#define ENDED_MAX ((UINT64_C(1) << ENDED_BITS) - 1)
#define END_MAX_NS ((double)(UINT64_C(1) << 47))

/* Ticks at which the first thread of the instance began. */
static uint64_t begin_of(struct keel_instance *instance, uint64_t now)
{
    uint64_t began = 0;

    /* relaxed: a time that stands for itself */
    return atomic_compare_exchange_strong_explicit(&instance->began, &began, now,
                                                   memory_order_relaxed, memory_order_relaxed)
               ? now
               : began;
}

static void end(struct keel_loop *loop)
{
    struct keel_instance *instance = loop->instance;
    uint64_t began = atomic_load_explicit(&instance->began, memory_order_relaxed);
    double end_ns = fmin(keel_clock_span_ns(began, keel_clock_ticks()), END_MAX_NS);
    uint64_t own = (uint64_t)end_ns, users, ended;

    atomic_fetch_add_explicit(&instance->claims.next, own, memory_order_relaxed);
    users = atomic_load_explicit(&instance->users, memory_order_relaxed);
    do {
        uint64_t last = users >> ENDED_BITS;
        ended = (last > own ? last : own) << ENDED_BITS | ((users & ENDED_MAX) + 1);
        /* release: the sum has this thread's end in it; acquire: and those of all before it */
    } while (!atomic_compare_exchange_weak_explicit(&instance->users, &users, ended,
                                                    memory_order_acq_rel, memory_order_relaxed));
    if ((ended & ENDED_MAX) == loop->threads) {
        double sum = (double)atomic_load_explicit(&instance->claims.next, memory_order_relaxed);
        keel_settled_learn(loop->trial, loop->threads, loop->space.iterations,
                           (double)(ended >> ENDED_BITS), sum / loop->threads, loop->overhead_ns);
    }
}

/* Larger teams are not counted. */
static bool is_timed(const struct keel_loop *loop)
{
    return loop->trial != NULL && loop->threads > 1 && loop->threads < ENDED_MAX;
}

void keel_static_share_start(struct keel_loop *loop, struct keel_instance *instance,
                             const struct keel_policy *policy)
{
    loop->mode = KEEL_LOOP_STATIC;
    loop->instance = instance;
    loop->trial = policy->trial;
    loop->ready = true;
    loop->overhead_ns = 0;
    if (is_timed(loop)) {
        uint64_t now = keel_clock_ticks();
        begin_of(instance, now);
        loop->overhead_ns = loop->chunk_start != 0 ? keel_clock_span_ns(loop->chunk_start, now) : 0;
    }
}

bool keel_static_share_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    if (loop->ready) {
        loop->ready = false;
        keel_static_share_of(loop->space.iterations, loop->threads, loop->thread, first, last);
        if (*first < *last) {
            return true;
        }
    }
    if (is_timed(loop)) {
        end(loop);
        loop->trial = NULL;
    }
    return false;
}
