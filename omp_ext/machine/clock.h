/* The clocks that loops are measured with: ticks for spans of time, and the CPU time of a thread.
 *
 * A tick is one of the processor's counter where that runs at one rate on all cores and the kernel
 * trusts it, otherwise a nanosecond of CLOCK_MONOTONIC. The counter is the time stamp counter of
 * x86-64, and the virtual counter of aarch64. Ticks become nanoseconds by a measured rate. All
 * functions: any thread, also before constructors have run and after fork. */
#ifndef OMP_EXT_MACHINE_CLOCK_H
#define OMP_EXT_MACHINE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* --- how long a tick lasts ---
 *
 * Worked out from moments that are known in ticks and in nanoseconds.
 *
 * Pure: clock.c brings the moments. Each new moment lengthens the window that the rate is taken
 * over, so the rate starts rough and becomes exact; the window is begun anew every few seconds, so
 * that a program which moves to another machine finds that machine's rate. */

/* The shortest window that a rate is taken over, ns; clocks are read to about 50 ns, so the first
 * rate is good to one in a thousand. */
#define KEEL_TICK_RATE_WINDOW_NS 200000

struct keel_moment {
    uint64_t ticks;
    uint64_t ns; /* of CLOCK_MONOTONIC */
};

struct keel_tick_rate {
    struct keel_moment base; /* where the window begins */
    double ns_per_tick;      /* 0: not known yet */
    double window_ns;        /* that the rate was taken over */
    uint64_t refine_at;      /* ticks from which on a new moment is welcome */
    bool doubted;            /* the last moment did not fit */
};

/* The rate is known with the second moment. */
void keel_tick_rate_begin(struct keel_tick_rate *rate, const struct keel_moment *moment);

/* Takes a later moment into account; one less than KEEL_TICK_RATE_WINDOW_NS after the window's
 * begin changes nothing. A rate that strays by more than 1 % from one that was established (the
 * machine slept, or the program moved) has to be seen twice. */
void keel_tick_rate_refine(struct keel_tick_rate *rate, const struct keel_moment *moment);

/* --- the clock --- */

#ifdef __x86_64__
#include <x86intrin.h>
#endif

enum keel_clock_source {
    KEEL_CLOCK_UNDECIDED,
    KEEL_CLOCK_COUNTER,
    KEEL_CLOCK_MONOTONIC,
};

/* Written when the source is decided, the last two also later by whoever refines the rate. */
struct keel_clock {
    _Atomic(enum keel_clock_source) source;
    _Atomic double ns_per_tick; /* 0: not known yet */
    _Atomic uint64_t refine_at; /* ticks; keel_clock_refine() is due from then on */
};

extern struct keel_clock keel_clock __attribute__((visibility("hidden")));

/* Nanoseconds since some moment in the past, never going back. */
static inline uint64_t keel_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same in seconds. */
static inline double keel_clock_s(void)
{
    return (double)keel_clock_ns() / 1e9;
}

/* The processor's counter, which may be read only where the source is that. */
static inline uint64_t keel_clock_counter(void)
{
#if defined __x86_64__
    return __rdtsc();
#elif defined __aarch64__
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* Ticks where the source is not the counter, or not decided yet. */
uint64_t keel_clock_slow_ticks(void);

/* Takes a moment into account; the first time in a process this lasts up to 200 us if the library
 * was loaded just before. */
void keel_clock_refine(void);

/* The same when it is due; now: in ticks. */
static inline void keel_clock_refine_when_due(uint64_t now)
{
    /* relaxed: any rate of the past will do once there is one, and without one refine_at is 0 */
    if (__builtin_expect(now >= atomic_load_explicit(&keel_clock.refine_at, memory_order_relaxed),
                         0)) {
        keel_clock_refine();
    }
}

/* The present in ticks. The processor may move the reading by some ten instructions. */
static inline uint64_t keel_clock_ticks(void)
{
    /* acquire: pairs with the release in decide() */
    if (__builtin_expect(atomic_load_explicit(&keel_clock.source, memory_order_acquire) ==
                             KEEL_CLOCK_COUNTER,
                         1)) {
        return keel_clock_counter();
    }
    return keel_clock_slow_ticks();
}

/* The present by both clocks: of a few readings, the one with the least time between two of the
 * counter. */
struct keel_moment keel_clock_moment(void);

/* What keel_clock_span_ns() would multiply with now; becomes more exact in the first seconds. */
double keel_clock_ns_per_tick(void);

/* Time between two values of keel_clock_ticks(), ns; 0 where `to` was read before `from`, as it
 * happens between cores whose counters are not quite equal. */
static inline double keel_clock_span_ns(uint64_t from, uint64_t to)
{
    keel_clock_refine_when_due(to);
    int64_t ticks = (int64_t)(to - from);
    return ticks > 0
               ? (double)ticks * atomic_load_explicit(&keel_clock.ns_per_tick, memory_order_relaxed)
               : 0;
}

/* What the source makes a span longer: one reading of it, ns, the least of some tens that are made
 * now. On virtual machines it can be more than the iterations of a short loop take. */
double keel_clock_reading_ns(void);

/* Time that the calling thread has run on a core, ns, without waiting for one. Costs a call of the
 * kernel. */
double keel_clock_cpu_ns(void);

/* Whether the processor's counter may be the source here. */
bool keel_clock_counter_is_sound(void);

/* For tests: has CLOCK_MONOTONIC be the source. Ticks of before mean nothing afterwards, so only a
 * process with one thread may call it. */
void keel_clock_use_monotonic(void);

#endif
