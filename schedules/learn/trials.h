/* What instances of a loop with static shares have shown, and what a schedule would cost in their
 * place. Feeds worthwhile.h. Pure: times come from the caller. */
#ifndef SCHEDULES_LEARN_TRIALS_H
#define SCHEDULES_LEARN_TRIALS_H

#include <stdbool.h>

#define KEEL_TRIALS 8 /* instances that a judgement goes back */

/* What scheduling an instance costs each thread. Times not known are 0. */
struct keel_scheduling_cost {
    double start_ns; /* to start an instance, beyond what static shares take */
    double claim_ns; /* to get a chunk */
    double claims;   /* chunks of a thread in an instance */
    double chunk_ns; /* time of its last chunk */
};

/* Instances with static shares. {0} at first. */
struct keel_trials {
    unsigned count;               /* of all so far; the last KEEL_TRIALS of them are kept */
    double span_ns[KEEL_TRIALS];  /* from the first thread's beginning to the last one's end */
    double gain_ns[KEEL_TRIALS];  /* the last end less the mean of all threads' ends */
    double start_ns[KEEL_TRIALS]; /* what agreeing on them has taken */
};

/* Adds an instance. */
void keel_trials_add(struct keel_trials *trials, double span_ns, double gain_ns, double start_ns);

/* Medians of those kept that were not interrupted: that took no longer than four times the
 * shortest. 0 without any. */
double keel_trials_span_ns(const struct keel_trials *trials);
double keel_trials_gain_ns(const struct keel_trials *trials);
double keel_trials_start_ns(const struct keel_trials *trials);

/* Whether there are enough to judge by. */
bool keel_trials_enough(const struct keel_trials *trials);

/* How long the loop is, ns: the median, or where each of the last three trials took longer than
 * four times the shortest, the least of these three: then it is the loop that takes longer now. */
double keel_trials_length_ns(const struct keel_trials *trials);

/* What scheduling costs in all, ns. */
double keel_scheduling_cost_ns(const struct keel_scheduling_cost *scheduling);

#endif
