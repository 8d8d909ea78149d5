/* Loops under adversarial schedules: their policies, barriers between them, and delays. */
#include "omp_ext/check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/claim/adversary.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* Stand for adversarial schedules. Empty specs: plans and shared states are not for them. */
struct adversarial {
    struct keel_policy any_order, in_order;
    struct adversarial *next;
};

static _Atomic(struct adversarial *) adversarials; /* one for each grain, the last one first */

/* The whole loop is one chunk. */
static const struct keel_policy serial_policy = {
    .spec = {.schedule = &keel_schedule_css,
             .given = KEEL_BIT(KEEL_CHUNK),
             .value = {[KEEL_MIN] = {.count = 1}, [KEEL_CHUNK] = {.count = INT64_MAX}}},
    .grain = 1,
};

/* --- which policy --- */

/* The shares that depend on nothing, whatever the loop's clause. */
static const struct keel_policy *static_policy(uint64_t grain)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_static);

    return keel_policy_grained(keel_policy_intern(&spec), grain);
}

static struct adversarial *find_adversarial(uint64_t grain)
{
    /* acquire: pairs with the release in add_adversarial() */
    struct adversarial *known = atomic_load_explicit(&adversarials, memory_order_acquire);

    while (known != NULL && known->any_order.grain != grain) {
        known = known->next;
    }
    return known;
}

/* Under keel_slow_lock; never freed. NULL: no memory. */
static struct adversarial *add_adversarial(uint64_t grain)
{
    struct adversarial *made = calloc(1, sizeof *made);

    if (made != NULL) {
        made->in_order = (struct keel_policy){.spec = {.in_order = true}, .grain = grain};
        made->any_order = (struct keel_policy){.in_order = &made->in_order, .grain = grain};
        made->next = atomic_load_explicit(&adversarials, memory_order_relaxed);
        /* release: pairs with the acquire in find_adversarial() */
        atomic_store_explicit(&adversarials, made, memory_order_release);
    }
    return made;
}

/* The same for all threads, which agree on a policy by its address. */
static struct adversarial *adversarial_of(uint64_t grain)
{
    struct adversarial *known = find_adversarial(grain);

    if (known == NULL) {
        keel_slow_lock();
        known = find_adversarial(grain);
        if (known == NULL) {
            known = add_adversarial(grain);
        }
        keel_slow_unlock();
    }
    return known;
}

/* Follows the thread from loop to loop. Combined loops are met before their region begins. One that
 * has begun and whose end has not come to Keel was run by the program itself, and ended without a
 * barrier: that would have come. */
static void note_loop(struct keel_check_thread *thread, struct keel_check_site *site,
                      const struct keel_call_site *place)
{
    if (place->outlined != NULL) {
        return;
    }
    if (thread->loop != NULL) {
        thread->ended = thread->loop;
    }
    if (thread->ended != NULL) {
        keel_check_report_after(site, thread->ended);
    }
    if (thread->region != NULL) {
        keel_check_report_reached(thread->region);
    }
    thread->loop = site;
}

const struct keel_policy *keel_check_policy(struct keel_check_thread *thread,
                                            const struct keel_construct *construct)
{
    struct keel_check_site *site = keel_check_site(&construct->place, false);

    if (site == NULL) {
        return NULL;
    }
    note_loop(thread, site, &construct->place);
    if (!site->active) {
        return keel_settings()->check.others_serial
                   ? &serial_policy
                   : static_policy(construct->grain > 1 ? construct->grain : 1);
    }
    struct adversarial *policies = adversarial_of(construct->grain > 1 ? construct->grain : 1);
    if (policies == NULL) {
        return NULL;
    }
    return construct->in_order ? &policies->in_order : &policies->any_order;
}

/* Threads have to come to the same one by themselves: it depends on the run's seed only. */
const struct keel_policy *keel_check_ordered_policy(void)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_rnd);

    spec.value[KEEL_SEED].count = keel_settings()->check.seed;
    spec.given |= KEEL_BIT(KEEL_SEED);
    return keel_policy_intern(&spec);
}

/* --- between loops --- */

struct keel_check_site *keel_check_begin_region(const void *caller, void (*outlined)(void *))
{
    struct keel_check_site *region =
        keel_check_wanted() ? keel_check_site(&(struct keel_call_site){caller, outlined}, true)
                            : NULL;

    if (region != NULL) {
        keel_check_report_region(region);
    }
    return region;
}

bool keel_check_wants_barrier(struct keel_check_thread *thread)
{
    struct keel_check_site *left = thread->loop;

    if (left == NULL || left->barrier) {
        keel_check_passed_barrier(thread);
        return left != NULL;
    }
    thread->loop = NULL;
    thread->ended = left;
    return false;
}

/* --- delays --- */

#define OFTEN 16            /* instances that are delayed for certain */
#define SLEEP_NS_MAX 300000 /* longest brief sleep */

void keel_delay_sleep(uint64_t ns)
{
    struct timespec span = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    nanosleep(&span, NULL); /* a signal may end it: delays need not be exact */
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

void keel_delay_sleep_briefly(uint64_t draw)
{
    keel_delay_sleep(draw % SLEEP_NS_MAX);
}

bool keel_delay_is_due(uint64_t draw, uint64_t number)
{
    return number <= OFTEN || draw % number < OFTEN;
}

void keel_delay_region(const struct keel_check_site *region)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t regions, thread_number; /* 0 until the thread has come to one */

    if (thread_number == 0) {
        /* relaxed: makes threads differ */
        thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    }
    uint64_t seed = keel_settings()->check.seed ^ region->hash;
    uint64_t draw = keel_adversary_draw(keel_adversary_draw(seed, thread_number), ++regions);
    if (draw % 2 == 0 && keel_delay_is_due(draw / 2, regions)) {
        keel_delay_sleep_briefly(draw / 2 / regions);
    }
}
