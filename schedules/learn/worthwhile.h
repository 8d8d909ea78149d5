/* Whether a loop is long enough to be scheduled at all.
 *
 * instances with static shares, timed -> trials.h -> [worthwhile] -> static shares, or the schedule
 *
 * Equal shares cost nothing, but their threads may end at different times. A schedule can at best
 * make them all end at the mean of these times; that is what it can gain. It costs its start, its
 * claims, and half of its last chunk, by which threads still end apart. Pure. */
#ifndef SCHEDULES_LEARN_WORTHWHILE_H
#define SCHEDULES_LEARN_WORTHWHILE_H

#include "schedules/learn/trials.h"

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
 * needed nothing `instances` times, one after the other; the quickest of them took region_ns.
 * returns: times that it was passed on before, and then came to need something. */
bool keel_worthwhile_pass(double region_ns, unsigned instances, unsigned returns);

#endif
