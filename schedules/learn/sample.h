/* What threads have measured of their own chunks, and the weights that follow.
 *
 * Feeds the schedules that learn: measured chunks -> [sample] -> pace -> weight -> share.
 * Pure: times come from the caller. */
#ifndef SCHEDULES_LEARN_SAMPLE_H
#define SCHEDULES_LEARN_SAMPLE_H

#include <stdint.h>

/* One thread's chunks, or instances of a loop, 1 .. K so far. Later ones count more. {0} first. */
struct keel_sample {
    uint64_t count;    /* K */
    double iterations; /* sum of k n_k */
    double time_ns;    /* sum of k t_k */
};

/* Adds the next one: n = iterations >= 1 in t = time_ns >= 0. */
void keel_sample_add(struct keel_sample *sample, uint64_t iterations, double time_ns);

/* The thread's pace: weighted average time of an iteration, ns, sum k t_k / sum k n_k (Banicescu,
 * Velusamy & Devaprasad 2003). 0: not measured yet, or too quick for the clock. */
double keel_sample_pace_ns(const struct keel_sample *sample);

/* The speeds of a team's threads, put together. {0} at first. */
struct keel_speeds {
    double sum; /* of 1 / pace */
    uint64_t measured;
};

/* Adds a thread's pace; 0 is left out. */
void keel_speeds_add(struct keel_speeds *speeds, double pace_ns);

/* A thread that was added with the pace before_ns > 0 has the pace now_ns > 0 by now. */
void keel_speeds_change(struct keel_speeds *speeds, double before_ns, double now_ns);

/* The weight of a thread with this pace among them: its speed over the mean speed. 1 if it has not
 * been measured. */
double keel_speeds_weight(const struct keel_speeds *speeds, double pace_ns);

#endif
