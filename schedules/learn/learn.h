/* Learning from repeated loops: the cost of chunks, the certainty of measured values, the rate
 * filter, whether scheduling is worthwhile, and reasons of decisions.
 *
 *   timed chunks, instances -> [costs, speeds, filter, trials] -> parameters, weights, blocks.h
 *
 * Pure: times come from the caller. */
#ifndef SCHEDULES_LEARN_LEARN_H
#define SCHEDULES_LEARN_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/loop/schedule.h"

/* --- costs ---
 *
 * The cost of chunks: mean and deviation of an iteration's time, and the overhead of a claim.
 *
 * Feeds the parameters mu, sigma and overhead of schedules that want them. Chunks, not iterations,
 * are timed, so the deviation follows from that of chunk means: independent iterations give a chunk
 * of k a variance of k sigma^2. */

/* All zero at first. */
struct keel_cost {
    uint64_t chunks;
    uint64_t iterations;
    double time_ns;     /* sum of t, the time of a chunk              */
    double square_ns2;  /* sum of t^2 / k over chunks of k iterations */
    double overhead_ns; /* sum of the time between chunks             */
};

/* Adds one chunk of `iterations` >= 1 that ran for `time_ns` after `overhead_ns` spent on getting
 * it. */
void keel_cost_add(struct keel_cost *cost, uint64_t iterations, double time_ns, double overhead_ns);

/* Halves the weight of all that has been added before. */
void keel_cost_halve(struct keel_cost *cost);

/* Adds another thread's costs. */
void keel_cost_merge(struct keel_cost *cost, const struct keel_cost *other);

/* Mean time of an iteration, ns; 0 before the first chunk. */
double keel_cost_mean_ns(const struct keel_cost *cost);

/* Standard deviation of that time, ns: unbiased variance sum k (t/k - mean)^2 / (chunks - 1); 0
 * below two chunks. */
double keel_cost_deviation_ns(const struct keel_cost *cost);

/* Mean time to get a chunk, ns. */
double keel_cost_overhead_ns(const struct keel_cost *cost);

/* Sets the parameters that `spec` wants measured and was not given, within their ranges. */
void keel_cost_complete(const struct keel_cost *cost, struct keel_spec *spec);

/* --- certainty ---
 *
 * How far a measured value is believed, as a part of it may be chance.
 *
 * Follows the measurements and precedes every share that depends on them: blocks (blocks.h) and
 * weights. Pure. */

/* Differences up to this many standard errors may be chance. */
#define KEEL_CERTAINTY_ERRORS 2.0

/* The value between `equal` and `measured` that the measurement justifies. `error` >= 0 is the
 * standard error of `measured`. With d = measured - equal and e = KEEL_CERTAINTY_ERRORS error it is
 *
 *     equal + d max(0, 1 - e^2 / d^2)
 *
 * (the positive part of James & Stein 1961): `equal` as long as d is not beyond e, and nearly
 * `measured` as soon as it is several times e. */
double keel_certainty_shrink(double measured, double equal, double error);

/* How much a value varies from one measurement to the next by chance. {0} at first. */
struct keel_spread {
    double last;     /* the last value */
    double step;     /* from the one before to it */
    double variance; /* of single values; may be negative while little is known */
    double values;   /* in a row: 0, 1, or 2 for more */
    double products; /* in the variance; at most the 16 that it goes back */
};

/* Adds a finite value. The variance is the mean of -(b - a) (c - b) over three neighbours a, b, c,
 * the last 16 or so (Roll 1984): chance leads back to the earlier value, while a value that moves
 * on, at once or step by step, adds nothing. */
void keel_spread_add(struct keel_spread *spread, double value);

/* The next value is independent of the last one. */
void keel_spread_break(struct keel_spread *spread);

/* The standard error of a mean of `count` >= 1 of these values; 0 while fewer than three are known.
 */
double keel_spread_error(const struct keel_spread *spread, double count);

/* Measurements of threads of their own chunks, and the weights that follow.
 *
 * Feeds the schedules that learn: measured chunks -> [sample] -> pace -> weight -> share.
 * Pure: times come from the caller. */

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

/* A thread that was added with the pace before_ns > 0 now has the pace now_ns > 0. */
void keel_speeds_change(struct keel_speeds *speeds, double before_ns, double now_ns);

/* The weight of a thread with this pace among them: its speed over the mean speed. 1 if it has not
 * been measured. */
double keel_speeds_weight(const struct keel_speeds *speeds, double pace_ns);

/* Learning of weights: from a thread's timed chunks to its weight among the threads of its team.
 *
 *   timed chunk -> [learner] -> pace -> speeds of the team -> weight -> share (plan.h)
 *
 * Loops on threads (omp_ext/loop/modes.c), their forecasts (forecast/predict.c) and ranges that
 * teams share (claim/sizer.c) use it. One learner belongs to one thread. Pure: times come from the
 * caller. */

/* The weight of a thread whose pace is not known, if weights are learned within a loop: it gets a
 * small first chunk, as a large one can't be taken back. */
#define KEEL_LEARNER_FIRST_WEIGHT 0.125

/* Weights are not below this, nor above the number of threads. */
#define KEEL_LEARNER_WEIGHT_MIN (1.0 / 64)

/* One thread's, in one instance of a loop. */
struct keel_learner {
    struct keel_sample sample; /* its chunks; a known pace counts as the first one */
    double pace_ns;            /* time of an iteration; 0: not known */
    uint64_t batch;            /* of the team, at this thread's last keel_learner_take_batch() */
};

/* Begins with a pace from earlier instances, which counts as a first chunk of `share` iterations:
 * costs differ along a loop, and the pace of a single chunk would depend as much on its position as
 * on its thread. known_ns 0: not known. share 0: the pace counts until a chunk is measured. */
void keel_learner_begin(struct keel_learner *learner, double known_ns, uint64_t share);

/* Adds a chunk of `iterations` >= 1 that ran for time_ns, after overhead_ns to get it, as
 * `schedule` learns from it: ignored if weights are learned once per loop. */
void keel_learner_add(struct keel_learner *learner, const struct keel_schedule *schedule,
                      uint64_t iterations, double time_ns, double overhead_ns);

/* Whether the thread's weight is computed anew before its next chunk: after each chunk; or after
 * its first one and whenever the team has begun another batch since the last call. batch: the
 * team's present one; only KEEL_LEARNS_BATCHES uses it. */
bool keel_learner_take_batch(struct keel_learner *learner, enum keel_learning learns,
                             uint64_t batch);

/* The weight of a thread with this pace among `team`, its own included: its speed over the mean
 * speed, moved towards 1 by `error`, the standard error of that (0: none is known). Without any
 * pace to compare with: 1. A thread whose pace is not known: 1, or KEEL_LEARNER_FIRST_WEIGHT if it
 * is learned within the loop. Weights that are not learned: 1. */
double keel_learner_weight(enum keel_learning learns, double pace_ns,
                           const struct keel_speeds *team, double error);

/* --- the rate filter ---
 *
 * Follows lasting changes of a rate quickly and lets short ones pass.
 *
 * Between measured rates and every decision that is made from them. Pure: one step per measurement
 * (the rate filter, PAPERS.md S10, Siegell & Steenkiste 1997). */

/* The direction of the last rates: how often in a row down or up. */
enum keel_rate_state {
    KEEL_RATE_DOWN3,
    KEEL_RATE_DOWN2,
    KEEL_RATE_DOWN1,
    KEEL_RATE_CONSTANT,
    KEEL_RATE_UP1,
    KEEL_RATE_UP2,
    KEEL_RATE_UP3,
    KEEL_RATE_STATES
};

/* Begins as {0}: the first measurement is taken as it is. */
struct keel_rate_filter {
    double filtered; /* the filtered rate; 0 before the first measurement */
    enum keel_rate_state state;
};

/* Updates the filter with a measured rate (> 0, any unit that stays the same; others are ignored).
 * Returns the filtered one:
 *
 *     filtered' = (1 - h) rate + h filtered
 *
 * with h from the state and from whether `rate` is below the filtered rate before. */
double keel_rate_filter_update(struct keel_rate_filter *filter, double rate);

/* When blocks may move: hysteresis between measured rates and the bounds of blocks.
 *
 * Blocks that stay keep their caches and pages, so a small gain is not worth a move. But imbalance
 * just under the threshold would stay for ever; small adjustments are made from time to time (the
 * threshold, PAPERS.md S11). Pure. */

#define KEEL_GAIN_THRESHOLD 0.1 /* tfract, the threshold of PAPERS.md S11 */

/* An adjustment is due after this many calm instances; sooner in the first instances of a loop,
 * after half as many as have been learned from: the 2nd, 3rd, 5th, 9th, 17th, 25th ... */
#define KEEL_ADJUST_PERIOD 8

/* Gains up to this are never adjusted for. */
#define KEEL_ADJUST_GAIN 0.005

enum keel_blocks_decision {
    KEEL_BLOCKS_KEPT,     /* the gain is under the threshold */
    KEEL_BLOCKS_ADJUSTED, /* it is, but the periodic small adjustment was due */
    KEEL_BLOCKS_MOVED,    /* the gain is over the threshold */
};

/* The part by which the projected time falls when blocks that take `present` are replaced by blocks
 * that take `best`: rfract, 0 .. 1. */
double keel_threshold_gain(double present, double best);

/* Decides after an instance.
 *
 *   instances: learned from so far, this one included; the first one always moves blocks
 *   calm:      instances since blocks moved or were adjusted, this one included
 *   gain:      by the filtered rates
 *   calm_gain: by the means of these rates over the calm instances */
enum keel_blocks_decision keel_threshold_decide(uint64_t instances, uint64_t calm, double gain,
                                                double calm_gain);

/* --- whether scheduling is worthwhile ---
 *
 * Whether a loop is long enough to be scheduled at all.
 *
 * instances with static shares, timed -> [trials] -> [worthwhile] -> static shares, or the schedule
 *
 * Equal shares cost nothing, but their threads may end at different times. A schedule can at best
 * make them all end at the mean of these times; that is its largest gain. It costs its start, its
 * claims, and half of its last chunk, the distance between the ends of threads. Pure. */

#define KEEL_TRIALS 8 /* the last instances, which a judgement is based on */

/* The cost of scheduling an instance for each thread. Times not known are 0. */
struct keel_scheduling_cost {
    double start_ns; /* to start an instance, beyond that of static shares */
    double claim_ns; /* to get a chunk */
    double claims;   /* chunks of a thread in an instance */
    double chunk_ns; /* time of its last chunk */
};

/* Instances with static shares. {0} at first. */
struct keel_trials {
    unsigned count;               /* of all so far; the last KEEL_TRIALS of them are kept */
    double span_ns[KEEL_TRIALS];  /* from the first thread's beginning to the last one's end */
    double gain_ns[KEEL_TRIALS];  /* the last end less the mean of all threads' ends */
    double start_ns[KEEL_TRIALS]; /* to agree on them */
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

/* How long the loop is, ns: the median; or, if each of the last three trials took longer than four
 * times the shortest, the least of these three: then the loop itself takes longer now. */
double keel_trials_length_ns(const struct keel_trials *trials);

/* The cost of scheduling in all, ns. */
double keel_scheduling_cost_ns(const struct keel_scheduling_cost *scheduling);

/* --- whether a schedule is worth it --- */

/* Whether static shares are the better choice: scheduling costs more than 1/32 of the loop, and at
 * least its largest gain. Longer loops are scheduled even if there is nothing to gain today: the
 * cost is invisible, but the effect of another program on the machine is not. settled: static
 * shares were the answer before; they stay until the loop is twice as long as that or the gain
 * twice the cost. */
bool keel_worthwhile_static(const struct keel_scheduling_cost *scheduling,
                            const struct keel_trials *trials, bool settled);

/* Whether the region of this number, counted from 1, looks at settled loops again: one of 251 does.
 * That is prime, as programs repeat their regions in cycles, and each of a cycle has to have its
 * turn. */
bool keel_worthwhile_recheck(unsigned long region);

/* Whether a region that does not need Keel bypasses it: it is short, and has not needed Keel
 * `instances` times in a row; the last of them took region_ns. returns: how often it was bypassed
 * before and then needed Keel again. */
bool keel_worthwhile_pass(double region_ns, unsigned instances, unsigned returns);

/* --- reasons ---
 *
 * Why a decision about rows was made: the values that were compared.
 *
 *   decide.h, and the code that carries a decision out -> [reason] -> text, for reports and traces
 *
 * Pure. */

/* In brackets: the two numbers of the reason; times in s, gains are parts of the time, 0 .. 1. */
enum keel_cause {
    KEEL_CAUSE_NONE, /* nothing was decided */

    /* Rows stay. */
    KEEL_CAUSE_EARLY,    /* too short a time for rates (time since the last measurements, least) */
    KEEL_CAUSE_NO_WORK,  /* no rank has measured any computing */
    KEEL_CAUSE_NO_RATES, /* no rate is known */
    KEEL_CAUSE_LEVEL,    /* no other shares are better */
    KEEL_CAUSE_SMALL_GAIN, /* (gain, threshold) */
    KEEL_CAUSE_COST,       /* moving costs more than it saves (cost, saving) */
    KEEL_CAUSE_STAYS,      /* staying has lost least so far */
    KEEL_CAUSE_WHOLE_ROWS, /* the work that should move is less than a row */
    KEEL_CAUSE_FAILED,     /* they could not be moved (code of the error) */

    /* Rows move. */
    KEEL_CAUSE_GAIN,     /* (cost, saving) */
    KEEL_CAUSE_ANY_COST, /* the policy ignores costs */

    KEEL_CAUSE_CHANCE, /* the policy draws */
    KEEL_CAUSES
};

/* All fields have 64 bits, so that it can be sent in a message. */
struct keel_reason {
    uint64_t cause; /* enum keel_cause */
    double number[2];
};

#define KEEL_REASON_TEXT 120

/* Writes the reason as text: "gain 2 % is under the threshold of 5 %". No comma, so that it can be
 * a field of a line. moved: rows. Accepts any numbers. */
void keel_reason_text(const struct keel_reason *reason, uint64_t moved,
                      char text[KEEL_REASON_TEXT]);

#endif
