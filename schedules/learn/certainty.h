/* How far a measured value is believed, given how much of it may be chance.
 *
 * Stands between what has been measured and every share that follows from it: blocks (blocks.h)
 * and weights. Pure. */
#ifndef SCHEDULES_LEARN_CERTAINTY_H
#define SCHEDULES_LEARN_CERTAINTY_H

/* Differences up to so many standard errors may be chance. */
#define KEEL_CERTAINTY_ERRORS 2.0

/* The value between `equal` and `measured` that the measurement is good for. `error` >= 0 is the
 * standard error of `measured`. With d = measured - equal and e = KEEL_CERTAINTY_ERRORS error it is
 *
 *     equal + d max(0, 1 - e^2 / d^2)
 *
 * (the positive part of James & Stein 1961): `equal` as long as d is not beyond e, and nearly
 * `measured` as soon as it is several times e. */
double keel_certainty_shrink(double measured, double equal, double error);

/* How much a value strays from one measurement to the next by chance. {0} at first. */
struct keel_spread {
    double last;     /* the last value */
    double step;     /* from the one before to it */
    double variance; /* of single values; may be negative while little is known */
    double values;   /* in a row: 0, 1, or 2 for more */
    double products; /* in the variance; counts no further than what that goes back */
};

/* Takes in a finite value. The variance is the mean of -(b - a) (c - b) over three neighbours a, b,
 * c, the last 16 or so (Roll 1984): chance leads back where it came from, while a value that goes
 * to another place, at once or step by step, adds nothing. */
void keel_spread_add(struct keel_spread *spread, double value);

/* The next value has nothing to do with the last one. */
void keel_spread_break(struct keel_spread *spread);

/* The standard error of a mean of `count` >= 1 of these values; 0 while fewer than three are known.
 */
double keel_spread_error(const struct keel_spread *spread, double count);

#endif
