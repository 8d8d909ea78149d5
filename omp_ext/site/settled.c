/* Short loops. */
#include "omp_ext/site/settled.h"

#include <math.h>
#include <stdlib.h>

#include "omp_ext/support/slow_lock.h"
#include "schedules/learn/least_chunk.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define TRIED_NS 60e3 /* a thread's share up to this is worth trials */

_Atomic uint64_t keel_settled_epoch = 1;

/* --- the lengths and team sizes of a site --- */

static unsigned length_of(uint64_t iterations)
{
    return 63 - (unsigned)__builtin_clzll(iterations | 1);
}

static struct keel_settled_length *find(const struct keel_settled_site *site, uint64_t threads,
                                        uint64_t iterations)
{
    /* acquire: pairs with the release in add() */
    struct keel_settled_length *settled = atomic_load_explicit(&site->first, memory_order_acquire);
    unsigned length = length_of(iterations);

    while (settled != NULL && (settled->threads != threads || settled->length != length)) {
        settled = settled->next;
    }
    return settled;
}

static struct keel_policy static_shares(const struct keel_settled_site *site,
                                        struct keel_settled_length *trial, unsigned lease)
{
    const struct keel_spec spec = keel_spec_of(&keel_schedule_static);
    struct keel_policy policy = keel_policy_of(&spec);

    policy.wanted = site->wanted;
    policy.is_completed = policy.static_shares = true;
    policy.trial = trial;
    policy.lease_instances = lease;
    return policy;
}

static struct keel_settled_length *add(struct keel_settled_site *site, uint64_t threads,
                                       uint64_t iterations)
{
    struct keel_settled_length *added =
        site->count < KEEL_SETTLED_MAX ? calloc(1, sizeof *added) : NULL;

    if (added == NULL) {
        return NULL;
    }
    added->threads = threads;
    added->length = length_of(iterations);
    added->site = site;
    added->trial = static_shares(site, added, 0);
    added->lease = static_shares(site, added, KEEL_LEASE_INSTANCES);
    added->untimed = static_shares(site, NULL, 0);
    added->next = atomic_load_explicit(&site->first, memory_order_relaxed);
    site->count++;
    /* release: pairs with the acquire in find() */
    atomic_store_explicit(&site->first, added, memory_order_release);
    return added;
}

static struct keel_settled_length *find_or_add(struct keel_settled_site *site, uint64_t threads,
                                               uint64_t iterations)
{
    struct keel_settled_length *settled = find(site, threads, iterations);

    if (settled == NULL) {
        keel_slow_lock();
        settled = find(site, threads, iterations);
        if (settled == NULL) {
            settled = add(site, threads, iterations);
        }
        keel_slow_unlock();
    }
    return settled;
}

bool keel_settled_at(const struct keel_policy *policy, uint64_t threads, uint64_t iterations,
                     uint64_t epoch)
{
    const struct keel_settled_length *settled =
        policy->settled_site != NULL ? find(policy->settled_site, threads, iterations) : NULL;
    unsigned changes = 0;

    if (settled == NULL) {
        return false;
    }
    /* relaxed: changes of this epoch have been seen when the region began, and it does not matter
     * which of the later ones are */
    for (uint64_t at;
         changes < KEEL_CHANGES_MAX &&
         (at = atomic_load_explicit(&settled->change[changes], memory_order_relaxed)) != 0 &&
         at <= epoch;) {
        changes++;
    }
    return changes % 2 == 1;
}

/* --- proposals --- */

/* Relaxed loads here and below: each number stands for itself, and an older one is as good. */
static double share_ns(const struct keel_settled_length *settled, uint64_t iterations)
{
    return atomic_load_explicit(&settled->site->iteration_ns, memory_order_relaxed) *
           (double)iterations / (double)settled->threads;
}

static enum keel_settled_phase phase_of(struct keel_settled_length *settled, uint64_t iterations)
{
    enum keel_settled_phase phase = atomic_load_explicit(&settled->phase, memory_order_relaxed);

    if (phase == KEEL_SETTLED_NEW) {
        phase = share_ns(settled, iterations) <= TRIED_NS ? KEEL_SETTLED_TRYING
                                                          : KEEL_SETTLED_SCHEDULED;
        atomic_store_explicit(&settled->phase, phase, memory_order_relaxed);
    }
    return phase;
}

const struct keel_policy *keel_settled_propose(const struct keel_policy *policy, uint64_t threads,
                                               uint64_t iterations, bool recheck)
{
    struct keel_settled_site *site = policy->settled_site;

    if (site == NULL || threads < 2 ||
        /* acquire: pairs with the release in keel_settled_measured() */
        !atomic_load_explicit(&site->measured, memory_order_acquire)) {
        return policy;
    }
    struct keel_settled_length *settled = find_or_add(site, threads, iterations);
    if (settled == NULL) {
        return policy;
    }
    switch (phase_of(settled, iterations)) {
    case KEEL_SETTLED_TRYING:
        return &settled->trial;
    case KEEL_SETTLED_STATIC:
        return &settled->lease;
    case KEEL_SETTLED_SCHEDULED:
        return recheck && share_ns(settled, iterations) <= TRIED_NS ? &settled->trial : policy;
    case KEEL_SETTLED_NEW:
        break;
    }
    return policy;
}

/* The team has not started: it is most likely as large as the last one. If it is not, static shares
 * are still correct. */
const struct keel_policy *keel_settled_propose_combined(const struct keel_policy *policy,
                                                        uint64_t iterations, bool recheck)
{
    uint64_t threads = atomic_load_explicit(&policy->settled_site->threads, memory_order_relaxed);
    const struct keel_policy *proposed = keel_settled_propose(policy, threads, iterations, recheck);

    return proposed->lease_instances > 0
               ? recheck ? &proposed->trial->trial : &proposed->trial->untimed
               : proposed;
}

/* --- learning --- */

void keel_settled_measured(struct keel_settled_site *site, const struct keel_settled_site *facts)
{
    atomic_store_explicit(&site->iteration_ns, facts->iteration_ns, memory_order_relaxed);
    atomic_store_explicit(&site->claim_ns, facts->claim_ns, memory_order_relaxed);
    atomic_store_explicit(&site->chunks, facts->chunks, memory_order_relaxed);
    atomic_store_explicit(&site->start_ns, facts->start_ns, memory_order_relaxed);
    atomic_store_explicit(&site->threads, facts->threads, memory_order_relaxed);
    /* release: pairs with the acquire in keel_settled_propose() */
    atomic_store_explicit(&site->measured, true, memory_order_release);
}

/* What the schedule would cost in the instances that have been tried. */
static struct keel_scheduling_cost scheduling_of(const struct keel_settled_length *settled)
{
    const struct keel_settled_site *site = settled->site;
    const uint64_t iterations = UINT64_C(3) << settled->length >> 1; /* in the middle */
    double iteration_ns = atomic_load_explicit(&site->iteration_ns, memory_order_relaxed);
    double claim_ns = atomic_load_explicit(&site->claim_ns, memory_order_relaxed);
    uint64_t least = keel_least_chunk_within(keel_least_chunk(claim_ns, iteration_ns), iterations,
                                             settled->threads);

    return (struct keel_scheduling_cost){
        .start_ns = keel_trials_start_ns(&settled->trials) +
                    atomic_load_explicit(&site->start_ns, memory_order_relaxed),
        .claim_ns = claim_ns,
        .claims = fmax(1, atomic_load_explicit(&site->chunks, memory_order_relaxed) *
                              (double)iterations / (double)settled->threads),
        .chunk_ns = iteration_ns * (double)least,
    };
}

/* Notes that the loops have become settled, or are no longer; false: there is no room for another
 * change, and they stay as they are. */
static bool change(struct keel_settled_length *settled)
{
    unsigned place = 0;

    keel_slow_lock();
    while (place < KEEL_CHANGES_MAX &&
           atomic_load_explicit(&settled->change[place], memory_order_relaxed) != 0) {
        place++;
    }
    if (place < KEEL_CHANGES_MAX) {
        uint64_t epoch = atomic_load_explicit(&keel_settled_epoch, memory_order_relaxed) + 1;
        atomic_store_explicit(&settled->change[place], epoch, memory_order_relaxed);
        /* release: the change is there before its epoch is */
        atomic_store_explicit(&keel_settled_epoch, epoch, memory_order_release);
    }
    keel_slow_unlock();
    return place < KEEL_CHANGES_MAX;
}

/* Under settled->lock. */
static void judge(struct keel_settled_length *settled)
{
    enum keel_settled_phase before = atomic_load_explicit(&settled->phase, memory_order_relaxed);
    const struct keel_scheduling_cost scheduling = scheduling_of(settled);
    bool was = before == KEEL_SETTLED_STATIC;
    bool is = keel_worthwhile_static(&scheduling, &settled->trials, was);

    settled->cost_ns = keel_scheduling_cost_ns(&scheduling);
    if (is != was && !change(settled)) {
        is = was;
    }
    atomic_store_explicit(&settled->phase, is ? KEEL_SETTLED_STATIC : KEEL_SETTLED_SCHEDULED,
                          memory_order_relaxed);
}

void keel_settled_learn(struct keel_settled_length *settled, uint64_t threads, double last_ns,
                        double mean_ns, double start_ns)
{
    atomic_store_explicit(&settled->site->threads, threads, memory_order_relaxed);
    if (threads != settled->threads || !keel_brief_lock_try(&settled->lock)) {
        return;
    }
    keel_trials_add(&settled->trials, last_ns, last_ns - mean_ns, start_ns);
    if (keel_trials_enough(&settled->trials)) {
        judge(settled);
    }
    keel_brief_lock_release(&settled->lock);
}
