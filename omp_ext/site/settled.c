/* Short loops. */
#include "omp_ext/site/site.h"

#include <math.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"

#define TRIED_NS 60e3 /* a thread's share up to this is worth trials */

/* --- lengths --- */

static unsigned length_of(uint64_t iterations)
{
    return 63 - (unsigned)__builtin_clzll(iterations | 1);
}

static uint64_t least_of_length(uint64_t iterations)
{
    return UINT64_C(1) << length_of(iterations);
}

static uint64_t most_of_length(uint64_t iterations)
{
    return UINT64_MAX >> __builtin_clzll(iterations | 1);
}

/* Never 0. */
static uint64_t key_of(uint64_t threads, uint64_t iterations)
{
    return threads << 8 | length_of(iterations) | 0x80;
}

/* --- the site --- */

static struct keel_policy static_shares(const struct keel_policy *wanted,
                                        struct keel_settled_site *trial)
{
    const struct keel_spec spec = keel_spec_of(&keel_schedule_static);
    struct keel_policy policy = keel_policy_of(&spec);

    policy.wanted = wanted;
    policy.is_completed = policy.static_shares = true;
    policy.trial = trial;
    return policy;
}

void keel_settled_begin(struct keel_settled_site *site, const struct keel_policy *wanted)
{
    site->trial = static_shares(wanted, site);
    site->untimed = static_shares(wanted, NULL);
    keel_mode_add(&site->own);
}

/* --- proposals --- */

/* Relaxed loads here and below: the numbers are independent, and an older one is as good. */
static double share_ns(const struct keel_settled_site *site, uint64_t threads, uint64_t iterations)
{
    return atomic_load_explicit(&site->iteration_ns, memory_order_relaxed) * (double)iterations /
           (double)threads;
}

/* Begins trials unless others are under way. Those end that have not gone on from one recheck to
 * the next: their loops may never come again. */
static bool begin_trials(struct keel_settled_site *site, uint64_t key, bool recheck)
{
    uint64_t before = atomic_load_explicit(&site->tried, memory_order_relaxed);

    return (before == 0 ||
            (recheck && atomic_exchange_explicit(&site->idle, true, memory_order_relaxed))) &&
           atomic_compare_exchange_strong_explicit(&site->tried, &before, key, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* The loop asks although it is settled: the change is due, or was undone to look at it again. */
static const struct keel_policy *again(struct keel_settled_site *site, struct keel_mode *mode,
                                       uint64_t settled_to)
{
    if (atomic_load_explicit(&mode->due, memory_order_relaxed) != settled_to) {
        keel_mode_set(mode, settled_to, false);
    }
    return &site->untimed;
}

const struct keel_policy *keel_settled_propose(const struct keel_policy *policy,
                                               struct keel_mode *mode, uint64_t threads,
                                               uint64_t iterations, bool recheck)
{
    struct keel_settled_site *site = policy->settled_site;

    if (site == NULL || threads < 2 ||
        /* acquire: pairs with the release in keel_settled_measured() */
        !atomic_load_explicit(&site->measured, memory_order_acquire)) {
        return policy;
    }
    uint64_t to = atomic_load_explicit(&site->settled_to, memory_order_relaxed);
    uint64_t from = atomic_load_explicit(&site->scheduled_from, memory_order_relaxed);
    uint64_t key = key_of(threads, iterations);

    if (atomic_load_explicit(&site->mode, memory_order_relaxed) != mode) {
        atomic_store_explicit(&site->mode, mode, memory_order_relaxed);
    }
    if (atomic_load_explicit(&site->tried, memory_order_relaxed) == key) {
        return &site->trial;
    }
    if (to > 0 && iterations <= to) {
        return recheck && begin_trials(site, key, true) ? &site->trial : again(site, mode, to);
    }
    return (recheck || from == 0 || iterations < from) &&
                   share_ns(site, threads, iterations) <= TRIED_NS &&
                   begin_trials(site, key, recheck)
               ? &site->trial
               : policy;
}

/* The team has not started: it is most likely as large as the last one. If it is not, static shares
 * are still correct. */
const struct keel_policy *keel_settled_propose_combined(const struct keel_policy *policy,
                                                        uint64_t iterations, bool recheck)
{
    uint64_t threads = atomic_load_explicit(&policy->settled_site->threads, memory_order_relaxed);

    return keel_settled_propose(policy, &policy->settled_site->own, threads, iterations, recheck);
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
static struct keel_scheduling_cost scheduling_of(const struct keel_settled_site *site,
                                                 uint64_t threads, uint64_t least)
{
    const uint64_t iterations = least + least / 2; /* in the middle */
    double iteration_ns = atomic_load_explicit(&site->iteration_ns, memory_order_relaxed);
    double claim_ns = atomic_load_explicit(&site->claim_ns, memory_order_relaxed);
    uint64_t least_chunk =
        keel_least_chunk_within(keel_least_chunk(claim_ns, iteration_ns), iterations, threads);

    return (struct keel_scheduling_cost){
        .start_ns = keel_trials_start_ns(&site->trials) +
                    atomic_load_explicit(&site->start_ns, memory_order_relaxed),
        .claim_ns = claim_ns,
        .claims = fmax(1, atomic_load_explicit(&site->chunks, memory_order_relaxed) *
                              (double)iterations / (double)threads),
        .chunk_ns = iteration_ns * (double)least_chunk,
    };
}

/* Under site->lock. */
static void use(struct keel_settled_site *site, const struct keel_settled_judgement *judged)
{
    uint64_t to = atomic_load_explicit(&site->settled_to, memory_order_relaxed);
    uint64_t from = atomic_load_explicit(&site->scheduled_from, memory_order_relaxed);

    if (judged->is_static) {
        to = to > judged->most ? to : judged->most;
    } else {
        from = from > 0 && from < judged->least ? from : judged->least;
        to = to < judged->least ? to : judged->least - 1;
    }
    atomic_store_explicit(&site->settled_to, to, memory_order_relaxed);
    atomic_store_explicit(&site->scheduled_from, from, memory_order_relaxed);
    keel_mode_set(atomic_load_explicit(&site->mode, memory_order_relaxed), to, false);
}

/* Under site->lock: from what the trials have shown. */
static void judge(struct keel_settled_site *site, uint64_t threads, uint64_t iterations)
{
    uint64_t least = least_of_length(iterations);
    const struct keel_scheduling_cost scheduling = scheduling_of(site, threads, least);
    bool was = iterations <= atomic_load_explicit(&site->settled_to, memory_order_relaxed);

    site->judged = (struct keel_settled_judgement){
        .least = least,
        .most = most_of_length(iterations),
        .is_static = keel_worthwhile_static(&scheduling, &site->trials, was),
        .span_ns = keel_trials_span_ns(&site->trials),
        .gain_ns = keel_trials_gain_ns(&site->trials),
        .cost_ns = keel_scheduling_cost_ns(&scheduling),
    };
    use(site, &site->judged);
    site->trials_of = 0;
    atomic_store_explicit(&site->tried, 0, memory_order_relaxed);
}

/* Under site->lock. */
static void begin_anew(struct keel_settled_site *site, uint64_t key)
{
    if (site->trials_of != key) {
        site->trials_of = key;
        site->trials = (struct keel_trials){0};
    }
}

void keel_settled_learn(struct keel_settled_site *site, uint64_t threads, uint64_t iterations,
                        double last_ns, double mean_ns, double start_ns)
{
    uint64_t key = key_of(threads, iterations);

    atomic_store_explicit(&site->threads, threads, memory_order_relaxed);
    if (!keel_brief_lock_try(&site->lock)) {
        return;
    }
    if (atomic_load_explicit(&site->tried, memory_order_relaxed) == key) {
        begin_anew(site, key);
        atomic_store_explicit(&site->idle, false, memory_order_relaxed);
        keel_trials_add(&site->trials, last_ns, last_ns - mean_ns, start_ns);
        if (keel_trials_enough(&site->trials)) {
            judge(site, threads, iterations);
        }
    }
    keel_brief_lock_release(&site->lock);
}
