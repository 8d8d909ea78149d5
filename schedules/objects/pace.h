/* How much of an object's time other programs had the processor, and the speeds of ranks.
 *
 *   the system's counts for a thread, before and after -> [interruption] -> s
 *
 * An interrupted object takes a time slice of another program longer: many times its own time, if
 * it is short. That shows the speed of its rank, and nothing of the object: the next time another
 * one is interrupted. Pure. */
#ifndef SCHEDULES_OBJECTS_PACE_H
#define SCHEDULES_OBJECTS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a thread, from some moment before the object to its end. */
struct keel_interruption_case {
    double took_s;            /* of the object, by the clock */
    double passed_s;          /* by the clock, >= took_s */
    double processor_s;       /* that the thread had */
    uint64_t taken, given_up; /* how often the processor was taken from it, and how often it gave it
                                 up itself: it waited for something */
};

/* 0 .. took_s. Returns 0 if the thread has given the processor up: an object that waits for
 * something has taken its full time. */
double keel_interruption_s(const struct keel_interruption_case *counts);

/* The speeds of ranks, apart from the weights of their objects.
 *
 *   weight, time of each object -> [work] -> rate of a rank, by its own weights
 *   times of moved objects, over the expected ones -> [speed] -> of its machine
 *   rates and speeds of two ranks -> [relative speed] -> schedules/objects/gift.h
 *
 * Objects without a weight count as equal at first, on each rank for itself: a rank that computes
 * few of them in a second has heavy ones, or is slow. Only objects that have moved show which: they
 * take longer than expected on a slow rank, and on no other. Until then ranks count as equally
 * fast, except for two measurements of each: threads, and the time that other programs have its
 * processor.
 *
 * A common second is a second on a machine of speed 1. Pure. */

/* Time of some kind of work. */
struct keel_work {
    double amount; /* weight, or messages */
    double stated; /* of that, weights that the program has set */
    double busy_s; /* of all threads */
    double own_s;  /* of that, without the time that other programs had the processor */
    double rank_s; /* the same time of the rank: divided by the threads that worked at a time */
};

/* Multiplies all sums by `part`, 0 .. 1. */
void keel_work_age(struct keel_work *work, double part);

/* The weight of an object that took own_s, by the rank's own measure; `before`, its weight, if
 * nothing has been done yet. */
double keel_work_weight(const struct keel_work *work, double own_s, double before);

/* Amount per s of the rank; 0 if nothing has been done. */
double keel_work_per_s(const struct keel_work *work);

/* The same with an object of weight `running`, > 0, that has begun running_s ago, as soon as it has
 * taken longer than expected, and a second: others are then expected to do so, too. */
struct keel_work keel_work_with(const struct keel_work *work, double running, double running_s,
                                unsigned threads);

/* Called before an object of that weight counts: reduces the earlier work to that weight, or to a
 * second. Neighbouring objects are often alike. */
void keel_work_smooth(struct keel_work *work, double weight);

/* Rest of a time that was expected to be expected_s and has run for running_s. If it takes longer
 * than expected, the rest is expected to be the excess so far. */
double keel_work_left_s(double expected_s, double running_s);

/* Time of a thread for `amount`, if nothing has been done, an object of weight `running`, > 0, has
 * begun running_s ago, and 0 was expected of it. */
double keel_work_expected_s(double amount, double running, double running_s);

/* Rest of an object of that weight, by the work done before it; 0 was expected if there is none.
 * The running object does not count itself: an average with it would be its time so far. */
double keel_work_running_left_s(const struct keel_work *work, double running, double running_s);

/* Whether it has taken longer than expected, if a time is expected. */
bool keel_work_is_overdue(const struct keel_work *work, double running, double running_s);

/* Times of objects that came from other ranks, and of others. Begins as {0}. */
struct keel_speed {
    double moved, moved_sum, moved_sum2; /* count; sum of the logarithms of the expected over the
                                            real time; of their squares */
    double own, own_sum2;                /* the same of the rank's own objects */
};

/* Records that an object of another rank took took_s > 0 of a thread; common_s > 0 was expected. */
void keel_speed_note_moved(struct keel_speed *speed, double common_s, double took_s);

/* Records that one of the rank's own objects took took_s, and expected_s was expected by others. */
void keel_speed_note_own(struct keel_speed *speed, double expected_s, double took_s);

void keel_speed_age(struct keel_speed *speed, double part);

/* Common seconds in a second of a thread: 1 if no object has moved, and close to it if few have and
 * objects differ much from their expected times. */
double keel_speed_of(const struct keel_speed *speed);

/* Common seconds for an object of that weight; 0 if nothing has been done. */
double keel_common_s(const struct keel_work *work, double speed, double weight);

/* The weight, by this rank's measure, of an object that takes common_s > 0; common_s if nothing has
 * been done here. */
double keel_common_weight(const struct keel_work *work, double speed, double common_s);

/* The speed of a rank, as it is sent to others. */
struct keel_rank_speed {
    double weight_s; /* weight of objects that it computes per s; 0: not known */
    double power;    /* common seconds per s, of all its threads; > 0 */
    double stated;   /* 1: all these weights were set by the program, so that ranks compare; or 0 */
};

/* threads: of the rank, >= 1; used until any work has been done. */
struct keel_rank_speed keel_rank_speed(const struct keel_work *work, double speed,
                                       unsigned threads);

/* Speed of `other` relative to `own`. */
double keel_relative_speed(const struct keel_rank_speed *own, const struct keel_rank_speed *other);

#endif
