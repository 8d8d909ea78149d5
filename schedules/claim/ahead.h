/* Chunks that are handed out ahead, where a worker is answered late: the counter's owner is in a
 * long iteration, and who claims would wait for its end.
 *
 *   pace, time of an answer, what is left -> [ahead] -> how many iterations to claim at once
 *
 * Pure. */
#ifndef SCHEDULES_CLAIM_AHEAD_H
#define SCHEDULES_CLAIM_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/loop/schedule.h"

/* What a worker knows when it claims. */
struct keel_ahead {
    uint64_t left;          /* of the loop: iterations, or steps of a plan */
    uint64_t held;          /* that the worker has and has not begun, likewise */
    double since_ns;        /* since so much was left */
    double own_ns;          /* time that one of them takes the worker; 0: not known */
    struct keel_paces team; /* of those that are known, by iterations */
    double scale;           /* iterations of one in `left` */
    uint64_t workers;       /* P */
    double answer_ns;       /* how long an answer takes */
};

/* How many of `left` to claim so that they last until the answer after the next one: at most the
 * worker's share of what is left by the paces of all, and 3 or an eighth of an equal share, as
 * others may cost more. At least 1. */
uint64_t keel_ahead_amount(const struct keel_ahead *ahead);

/* The same where later chunks are smaller: so many that they last until the next answer, at most an
 * eighth of an equal share. At least 1. */
uint64_t keel_ahead_small_amount(const struct keel_ahead *ahead);

/* Whether the worker should claim before it is idle: not where its share of what is left by now is
 * less than half of one. Others that are faster would have to wait for it. */
bool keel_ahead_is_wanted(const struct keel_ahead *ahead);

/* How many steps of a plan, or chunks of one size, a worker claims at first: up to 3, and no more
 * than a sixth of an equal share of all `steps`. 0 where that is less than one. */
uint64_t keel_ahead_first(uint64_t steps, uint64_t workers);

#endif
