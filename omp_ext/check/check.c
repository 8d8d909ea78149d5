/* Loops under adversarial schedules. */
#include "omp_ext/check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* Instances of a loop, and regions of a thread, that are delayed for certain; of later ones the
 * n-th is with a probability of OFTEN / n. */
#define OFTEN 16

#define SLEEP_NS_MAX 300000 /* longest sleep between chunks, and on top of other delays */
#define SLEEPS 4            /* sleeps between chunks per delayed instance, about */
#define WAIT_NS 200000      /* between two looks whether the others have left */
#define WAITS_MAX 500       /* looks, in all */
#define VAIN_WAITS_MAX 8    /* per loop */
#define PARTNER_WAIT_NS \
    5000000 /* longest wait of a thread for partners in an instance, altogether */

/* In the shared word, above the next place or the number of threads that have left: threads that
 * have come to a meeting. A place is at most KEEL_ADVERSARY_CHUNKS_MAX + P. */
#define ARRIVED (UINT64_C(1) << 32)

/* Numbers of what is drawn of an instance's seed, away from those of the schedule. */
enum { DRAW_DELAYED = 1 << 24, DRAW_KIND, DRAW_VICTIM, DRAW_LENGTH, DRAW_SLEEPS = 1 << 25 };

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
static void note_loop(struct keel_check_site *site, const struct keel_call_site *place)
{
    struct keel_check_thread *thread = &keel_thread.check;

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

const struct keel_policy *keel_check_policy(const struct keel_construct *construct)
{
    struct keel_check_site *site = keel_check_site(&construct->place, false);

    if (site == NULL) {
        return NULL;
    }
    note_loop(site, &construct->place);
    if (!site->active) {
        return keel_settings()->check.others_serial ? &serial_policy : NULL;
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

/* --- delays --- */

static void sleep_ns(uint64_t ns)
{
    struct timespec span = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    int kept_errno = errno;

    nanosleep(&span, NULL); /* a signal may end it: delays need not be exact */
    errno = kept_errno;
}

static void sleep_briefly(uint64_t draw)
{
    sleep_ns(draw % SLEEP_NS_MAX);
}

static bool is_delayed(uint64_t draw, uint64_t number)
{
    return number <= OFTEN || draw % number < OFTEN;
}

static bool delays(const struct keel_loop *loop)
{
    return loop->threads > 1 &&
           is_delayed(keel_adversary_draw(loop->adversary.seed, DRAW_DELAYED), loop->number);
}

/* Until all other threads have left the loop, or for too long. */
static void wait_for_others(struct keel_loop *loop)
{
    struct keel_check_site *site = loop->checked;

    /* relaxed: only a bound */
    if (atomic_load_explicit(&site->vain_waits, memory_order_relaxed) >= VAIN_WAITS_MAX) {
        return;
    }
    for (unsigned waits = 0; waits < WAITS_MAX; waits++) {
        /* relaxed: whoever has left may be anywhere by now; that is the point */
        if ((uint32_t)atomic_load_explicit(&loop->claims->next, memory_order_relaxed) >=
            loop->threads - 1) {
            return;
        }
        sleep_ns(WAIT_NS);
    }
    atomic_fetch_add_explicit(&site->vain_waits, 1, memory_order_relaxed);
}

/* Waits for another thread that is about to begin a chunk, too, so that both run theirs at the same
 * time. They go in pairs, by the number of their arrival: the second lets the first one go. The
 * wait gives no processor away, as the other one needs its own. */
static void wait_for_partner(struct keel_loop *loop)
{
    /* relaxed: nothing is handed on */
    uint64_t before = atomic_fetch_add_explicit(&loop->claims->next, ARRIVED, memory_order_relaxed);
    uint64_t partner = before / ARRIVED + 2;

    if (before / ARRIVED % 2 == 1) {
        return;
    }
    uint64_t wait_start = keel_clock_ticks();
    while (loop->waited_ns < PARTNER_WAIT_NS &&
           atomic_load_explicit(&loop->claims->next, memory_order_relaxed) / ARRIVED < partner) {
        uint64_t now = keel_clock_ticks();
        loop->waited_ns += keel_clock_span_ns(wait_start, now);
        wait_start = now;
    }
}

/* One thread comes late to the loop: when the others have left it, or each a little. */
static void delay_start(struct keel_loop *loop)
{
    const struct keel_adversary *adversary = &loop->adversary;
    uint64_t kind = keel_adversary_draw(adversary->seed, DRAW_KIND);
    uint64_t victim = keel_adversary_draw(adversary->seed, DRAW_VICTIM) % loop->threads;
    uint64_t length = keel_adversary_draw(adversary->seed, DRAW_LENGTH + loop->thread);
    bool neighbours =
        adversary->who == KEEL_ADVERSARY_SHARED || adversary->who == KEEL_ADVERSARY_ROUND_ROBIN;
    bool waits = adversary->who != KEEL_ADVERSARY_SHARED && victim == loop->thread;

    loop->waits_for_partner = neighbours && kind % 4 != 0;
    if (loop->waits_for_partner) {
        return;
    }
    waits = waits && kind / 4 % 2 == 0;
    if (waits) {
        wait_for_others(loop);
    }
    if (waits || length % 2 == 0) {
        sleep_briefly(length / 2);
    }
}

static void delay_chunk(struct keel_loop *loop)
{
    if (loop->waits_for_partner) {
        wait_for_partner(loop);
        return;
    }
    uint64_t draw = keel_adversary_draw(loop->adversary.seed, DRAW_SLEEPS + loop->place);

    if (draw % loop->adversary.chunks < SLEEPS) {
        sleep_briefly(draw / loop->adversary.chunks);
    }
}

void keel_check_delay_region(const struct keel_check_site *region)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t regions, thread_number; /* 0 until the thread has come to one */

    if (thread_number == 0) {
        /* relaxed: makes threads differ */
        thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    }
    uint64_t seed = keel_settings()->check.seed ^ region->hash;
    uint64_t draw = keel_adversary_draw(keel_adversary_draw(seed, thread_number), ++regions);
    if (draw % 2 == 0 && is_delayed(draw / 2, regions)) {
        sleep_briefly(draw / 2 / regions);
    }
}

/* --- chunks --- */

/* The number of the instance at its site, from 1: that of the thread that comes first. */
static uint64_t agree_on_number(struct keel_instance *instance, struct keel_check_site *site)
{
    /* relaxed: the number is all that is handed on */
    uint64_t number = atomic_load_explicit(&instance->users, memory_order_relaxed);

    if (number == 0) {
        uint64_t next = atomic_fetch_add_explicit(&site->instances, 1, memory_order_relaxed) + 1;
        if (atomic_compare_exchange_strong_explicit(&instance->users, &number, next,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            number = next;
        }
    }
    return number;
}

void keel_check_start(struct keel_loop *loop, struct keel_instance *instance,
                      const struct keel_call_site *place, bool in_order)
{
    uint64_t seed = keel_settings()->check.seed;

    loop->checked = keel_check_site(place, false); /* found before: there is a policy by it */
    keel_check_report_loop(loop->checked, loop->threads);
    loop->number = agree_on_number(instance, loop->checked);
    keel_adversary_begin(&loop->adversary,
                         keel_adversary_draw(seed ^ loop->checked->hash, loop->number),
                         loop->space.units, loop->threads, in_order);
    loop->claims = &instance->claims;
    loop->place = 0;
    loop->begun = false;
    loop->waits_for_partner = false;
    loop->waited_ns = 0;
    loop->mode = KEEL_LOOP_CHECKED;
}

static bool next_shared(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    loop->place = (uint32_t)keel_claim_next_step(loop->claims);
    if (loop->place >= loop->adversary.chunks) {
        return false;
    }
    keel_adversary_chunk(&loop->adversary, loop->place, first, last);
    return true;
}

static bool next_own(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    if (keel_adversary_next_own(&loop->adversary, loop->thread, &loop->place, first, last)) {
        return true;
    }
    atomic_fetch_add_explicit(&loop->claims->next, 1, memory_order_relaxed);
    return false;
}

bool keel_check_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    bool shared = loop->adversary.who == KEEL_ADVERSARY_SHARED;
    bool delayed = delays(loop);

    if (delayed && !loop->begun) {
        delay_start(loop);
    }
    loop->begun = true;
    bool taken = (shared ? next_shared : next_own)(loop, first, last);
    if (delayed && taken) {
        delay_chunk(loop);
    }
    return taken;
}

/* --- between loops --- */

struct keel_check_site *keel_check_begin_region(const void *caller)
{
    struct keel_check_site *region =
        keel_check_wanted() ? keel_check_site(&(struct keel_call_site){caller, NULL}, true) : NULL;

    if (region != NULL) {
        keel_check_report_region(region);
    }
    return region;
}

bool keel_check_wants_barrier(void)
{
    struct keel_check_site *left = keel_thread.check.loop;

    if (left == NULL || left->barrier) {
        keel_check_passed_barrier();
        return left != NULL;
    }
    keel_thread.check.loop = NULL;
    keel_thread.check.ended = left;
    return false;
}
