/* One thread's part in a loop under an adversarial schedule. */
#include "omp_ext/loop/modes.h"

#include "omp_ext/check/check.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/settings/settings.h"

#define SLEEPS 4         /* sleeps between chunks per delayed instance, about */
#define WAIT_NS 200000   /* between two looks whether the others have left */
#define WAITS_MAX 500    /* looks, in all */
#define VAIN_WAITS_MAX 8 /* per loop */
#define PARTNER_WAIT_NS \
    5000000 /* longest wait of a thread for partners in an instance, altogether */

/* In the shared word, above the next place or the number of threads that have left: threads that
 * have reached a meeting. A place is at most KEEL_ADVERSARY_CHUNKS_MAX + P. */
#define ARRIVED (UINT64_C(1) << 32)

/* Numbers of what is drawn of an instance's seed, away from those of the schedule. */
enum { DRAW_DELAYED = 1 << 24, DRAW_KIND, DRAW_VICTIM, DRAW_LENGTH, DRAW_SLEEPS = 1 << 25 };

/* --- delays --- */

static bool delays(const struct keel_loop *loop)
{
    return loop->threads > 1 &&
           keel_delay_is_due(keel_adversary_draw(loop->adversary.seed, DRAW_DELAYED), loop->number);
}

/* Waits until all other threads have left the loop, or for too long. What the program does behind
 * the loop then runs before this thread's iterations: a missing barrier shows. */
static void wait_for_others(struct keel_loop *loop)
{
    struct keel_check_site *site = loop->checked;

    /* relaxed: only a bound */
    if (atomic_load_explicit(&site->vain_waits, memory_order_relaxed) >= VAIN_WAITS_MAX) {
        return;
    }
    for (unsigned waits = 0; waits < WAITS_MAX; waits++) {
        /* relaxed: no ordering is wanted: it would hide races */
        if ((uint32_t)atomic_load_explicit(&loop->claims->next, memory_order_relaxed) >=
            loop->threads - 1) {
            return;
        }
        keel_delay_sleep(WAIT_NS);
    }
    atomic_fetch_add_explicit(&site->vain_waits, 1, memory_order_relaxed);
}

/* Waits for another thread that is about to begin a chunk, too, so that both run neighbouring
 * chunks at the same time: iterations that write what their neighbours read show. Threads go in
 * pairs, by the number of their arrival: the second lets the first one go. The wait does not give
 * up the processor, as the other thread needs its own. */
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

/* Either one thread comes to the loop when the others have left it, or each comes a little late:
 * iterations then run in an order that the schedule alone never gives. */
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
        keel_delay_sleep_briefly(length / 2);
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
        keel_delay_sleep_briefly(draw / loop->adversary.chunks);
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

void keel_checked_loop_start(struct keel_loop *loop, struct keel_instance *instance,
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

bool keel_checked_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last)
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
