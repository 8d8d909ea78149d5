/* Whether a loop is long enough to be scheduled at all.
 *
 * instances with static shares, timed -> [trials] -> [worthwhile] -> static shares, or the schedule
 *
 * Equal shares cost nothing, but their threads may end at different times. A schedule can at best
 * make them all end at the mean of these times; that is what it can gain. It costs its start, its
 * claims, and half of its last chunk, by which threads still end apart. Pure. */
#ifndef SCHEDULES_LEARN_WORTHWHILE_H
#define SCHEDULES_LEARN_WORTHWHILE_H

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

/* --- whether a schedule is worth it --- */

/* Whether static shares are the better choice: what scheduling costs is more than 1/32 of the loop,
 * and no less than it can gain. Longer loops are scheduled also where nothing is to be gained
 * today: the cost does not show, and what another program on the machine may do to them does.
 * settled: that has been the answer before; it stays until the loop is twice as long as that or the
 * gain twice the cost. */
bool keel_worthwhile_static(const struct keel_scheduling_cost *scheduling,
                            const struct keel_trials *trials, bool settled);

/* Whether the region of that number, counted from 1, looks at settled loops again: one of 251 does.
 * That is prime, as programs repeat their regions in cycles, and each of a cycle has to have its
 * turn. */
bool keel_worthwhile_recheck(unsigned long region);

/* Whether a region that has needed nothing of Keel is passed on without it: it is short, and has
 * needed nothing `instances` times, one after the other; the last of them took region_ns.
 * returns: times that it was passed on before, and then came to need something. */
bool keel_worthwhile_pass(double region_ns, unsigned instances, unsigned returns);

#endif
