/* How long a tick lasts: worked out from moments that are known in ticks and in nanoseconds.
 *
 * Pure: clock.c brings the moments. Each new moment lengthens the window that the rate is taken
 * over, so the rate starts rough and becomes exact; the window is begun anew every few seconds, so
 * that a program which moves to another machine finds that machine's rate. */
#ifndef OMP_EXT_MACHINE_TICK_RATE_H
#define OMP_EXT_MACHINE_TICK_RATE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
