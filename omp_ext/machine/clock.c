/* The clocks of the machine. */
#define _GNU_SOURCE
#include "omp_ext/machine/clock.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/uncancelled.h"

/* --- how long a tick lasts --- */

#define WINDOW_GROWTH 8        /* each window is so many times as long as the one before */
#define WINDOW_MAX_NS 4e9      /* a window that long is complete: the next begins at its end */
#define ESTABLISHED_NS 1e7     /* rates over so long windows are exact far beyond TOLERANCE */
#define TOLERANCE 0.01         /* of a new rate to an established one */
#define NEXT_WINDOW_NS 1000000 /* after a doubt */

void keel_tick_rate_begin(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    *rate = (struct keel_tick_rate){.base = *moment};
}

static bool agrees(const struct keel_tick_rate *rate, double ns_per_tick)
{
    double ratio = ns_per_tick / rate->ns_per_tick;

    return rate->window_ns < ESTABLISHED_NS || (ratio > 1 - TOLERANCE && ratio < 1 + TOLERANCE);
}

/* Keeps the rate, which may be the best there is, and begins a window in the new surroundings. */
static void doubt(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    double next_ticks = rate->ns_per_tick > 0 ? NEXT_WINDOW_NS / rate->ns_per_tick : 0;

    rate->base = *moment;
    rate->doubted = true;
    rate->refine_at = moment->ticks + (uint64_t)next_ticks;
}

static void accept(struct keel_tick_rate *rate, const struct keel_moment *moment, double window_ns,
                   uint64_t window_ticks)
{
    rate->ns_per_tick = window_ns / (double)window_ticks;
    rate->window_ns = window_ns;
    rate->doubted = false;
    rate->refine_at = rate->base.ticks + WINDOW_GROWTH * window_ticks;
    if (window_ns >= WINDOW_MAX_NS) {
        rate->base = *moment;
        rate->refine_at = moment->ticks + window_ticks;
    }
}

void keel_tick_rate_refine(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    uint64_t window_ticks = moment->ticks - rate->base.ticks;
    double window_ns = (double)(moment->ns - rate->base.ns);

    if (moment->ticks <= rate->base.ticks || moment->ns < rate->base.ns) {
        doubt(rate, moment);
    } else if (window_ns >= KEEL_TICK_RATE_WINDOW_NS) {
        if (rate->doubted || agrees(rate, window_ns / (double)window_ticks)) {
            accept(rate, moment, window_ns, window_ticks);
        } else {
            doubt(rate, moment);
        }
    }
}

/* --- the clock --- */

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define READINGS 5 /* tries to read both clocks at the same time */
#define READINGS_FOR_COST 64

struct keel_clock keel_clock;

static struct keel_moment start;   /* written once, by take_start() */
static struct keel_tick_rate rate; /* guarded by `refining` */
static atomic_flag refining = ATOMIC_FLAG_INIT;
static pthread_once_t started = PTHREAD_ONCE_INIT, decided = PTHREAD_ONCE_INIT;

/* --- is the counter sound? --- */

#if defined __x86_64__ || defined __aarch64__

/* A process may be forbidden to read the counter, and would die of it when the library is loaded.
 * Linux on aarch64 can forbid it since 6.12; where it can't, prctl() fails. */
static bool counter_is_readable(void)
{
    int mode = PR_TSC_ENABLE;

    return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}

#else

static bool counter_is_readable(void)
{
    return false;
}

#endif

#ifdef __x86_64__

/* CPUID 0x80000007, EDX bit 8: one rate in all power states. */
static bool counter_is_invariant(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

/* The kernel takes the counter off this list of names, a blank behind each, when it has seen cores
 * disagree. In a virtual machine the counter is on the list, too, while another source is in use.
 */
static bool counter_is_trusted(void)
{
    char sources[256] = " ";

    keel_small_file_read("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                         sources + 1, sizeof sources - 1);
    return strstr(sources, " tsc ") != NULL;
}

#else

/* The architecture gives aarch64 one counter for all cores, at one rate. Where a processor's can't
 * be trusted, the kernel corrects each reading. */
static bool counter_is_invariant(void)
{
    return true;
}

static bool counter_is_trusted(void)
{
    return true;
}

#endif

bool keel_clock_counter_is_sound(void)
{
    return counter_is_readable() && counter_is_invariant() && counter_is_trusted();
}

/* --- the source --- */

/* The reading with the least time between two of the counter, so that an interrupt in one of them
 * does no harm. */
static struct keel_moment moment_now(void)
{
    struct keel_moment best = {0};
    uint64_t best_gap = UINT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        uint64_t before = keel_clock_counter(), ns = keel_clock_ns();
        uint64_t gap = keel_clock_counter() - before;
        if (gap < best_gap) {
            best_gap = gap;
            best = (struct keel_moment){before + gap / 2, ns};
        }
    }
    return best;
}

static void take_start(void)
{
    if (counter_is_readable()) {
        start = moment_now();
        keel_tick_rate_begin(&rate, &start);
    }
}

/* The earlier the window begins, the less is there to wait for when the rate is wanted. */
__attribute__((constructor)) static void begin_at_load(void)
{
    pthread_once(&started, take_start);
}

static void publish(enum keel_clock_source source)
{
    bool counter = source == KEEL_CLOCK_COUNTER;

    atomic_store_explicit(&keel_clock.ns_per_tick, counter ? rate.ns_per_tick : 1,
                          memory_order_relaxed);
    atomic_store_explicit(&keel_clock.refine_at, counter ? 0 : UINT64_MAX, memory_order_relaxed);
    /* release: pairs with the acquire in keel_clock_ticks() */
    atomic_store_explicit(&keel_clock.source, source, memory_order_release);
}

static void decide(void)
{
    int cancel_state = keel_uncancelled_begin();

    pthread_once(&started, take_start);
    publish(keel_clock_counter_is_sound() ? KEEL_CLOCK_COUNTER : KEEL_CLOCK_MONOTONIC);
    keel_uncancelled_end(cancel_state);
}

void keel_clock_use_monotonic(void)
{
    pthread_once(&decided, decide);
    publish(KEEL_CLOCK_MONOTONIC);
}

uint64_t keel_clock_slow_ticks(void)
{
    pthread_once(&decided, decide);
    return atomic_load_explicit(&keel_clock.source, memory_order_acquire) == KEEL_CLOCK_COUNTER
               ? keel_clock_counter()
               : keel_clock_ns();
}

struct keel_moment keel_clock_moment(void)
{
    uint64_t ticks = keel_clock_ticks();

    return atomic_load_explicit(&keel_clock.source, memory_order_acquire) == KEEL_CLOCK_COUNTER
               ? moment_now()
               : (struct keel_moment){ticks, ticks};
}

/* --- the rate --- */

/* relaxed throughout: a number without dependent data, any recent one will do */
static bool rate_is_known(void)
{
    return atomic_load_explicit(&keel_clock.ns_per_tick, memory_order_relaxed) > 0;
}

/* A moment that a rate can be taken from; waits at most KEEL_TICK_RATE_WINDOW_NS. */
static struct keel_moment moment_after_window(void)
{
    while (keel_clock_ns() - start.ns < KEEL_TICK_RATE_WINDOW_NS) {
    }
    return moment_now();
}

/* `refining` is not waited for: in the child of a fork its owner may not exist. */
static void first_rate(void)
{
    struct keel_tick_rate own;
    struct keel_moment moment = moment_after_window();

    keel_tick_rate_begin(&own, &start);
    keel_tick_rate_refine(&own, &moment);
    atomic_store_explicit(&keel_clock.ns_per_tick, own.ns_per_tick, memory_order_relaxed);
    atomic_store_explicit(&keel_clock.refine_at, own.refine_at, memory_order_relaxed);
}

void keel_clock_refine(void)
{
    pthread_once(&decided, decide);
    if (atomic_load_explicit(&keel_clock.source, memory_order_acquire) != KEEL_CLOCK_COUNTER) {
        return;
    }
    if (!rate_is_known()) {
        first_rate();
    }
    /* acquire: pairs with the release in the clear below */
    if (!atomic_flag_test_and_set_explicit(&refining, memory_order_acquire)) {
        struct keel_moment moment = moment_now();
        if (moment.ticks >= rate.refine_at || moment.ticks < rate.base.ticks) {
            keel_tick_rate_refine(&rate, &moment);
        }
        if (rate.ns_per_tick > 0) {
            atomic_store_explicit(&keel_clock.ns_per_tick, rate.ns_per_tick, memory_order_relaxed);
        }
        atomic_store_explicit(&keel_clock.refine_at, rate.refine_at, memory_order_relaxed);
        atomic_flag_clear_explicit(&refining, memory_order_release);
    }
}

double keel_clock_ns_per_tick(void)
{
    if (!rate_is_known()) {
        keel_clock_refine();
    }
    return atomic_load_explicit(&keel_clock.ns_per_tick, memory_order_relaxed);
}

double keel_clock_reading_ns(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < READINGS_FOR_COST; i++) {
        uint64_t before = keel_clock_ticks(), after = keel_clock_ticks();
        if (after >= before && after - before < least) {
            least = after - before;
        }
    }
    return least < UINT64_MAX ? (double)least * keel_clock_ns_per_tick() : 0;
}

double keel_clock_cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
