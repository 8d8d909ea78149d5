/* What of an object's time the processor was somebody else's.
 *
 *   the system's counts for a thread, before and after -> [interruption] -> s
 *
 * An object that is interrupted takes a time slice of another program longer: many times as long as
 * it takes by itself, where it is short. That says how fast its rank is, and nothing of the object:
 * the next time another one is interrupted. Pure. */
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
                                 up by itself: it waited for something */
};

/* 0 .. took_s. An object that waits for something has taken what it took: where the thread has
 * given the processor up, it is 0. */
double keel_interruption_s(const struct keel_interruption_case *counts);

/* How fast ranks are, apart from how heavy their objects are.
 *
 *   weight, time of each object -> [work] -> rate of a rank, by its own weights
 *   time that moved objects took, beside what was expected -> [speed] -> of its machine
 *   rates and speeds of two ranks -> [relative speed] -> schedules/objects/gift.h
 *
 * Objects that say nothing of their weight count as alike at first, on each rank for itself: a rank
 * that computes few of them in a second has heavy ones, or is slow. Which of both, only objects
 * show that have moved: they take longer than expected on a slow rank, and on no other. Until then
 * ranks count as equally fast, but for what is measured of each by itself: threads, and time that
 * other programs have its processor.
 *
 * A common second is what a second is on a machine of speed 1. Pure. */

/* Time of some kind of work. */
struct keel_work {
    double amount; /* weight, or messages */
    double stated; /* of that, weights that the program has stated */
    double busy_s; /* of all threads */
    double own_s;  /* of that, without what other programs had the processor */
    double rank_s; /* the same time of the rank: divided by the threads that worked at a time */
};

/* So much of what was before counts: 0 .. 1. */
void keel_work_age(struct keel_work *work, double part);

/* What an object weighs that took own_s, by the rank's own measure; `before`, its weight, where
 * nothing was done yet. */
double keel_work_weight(const struct keel_work *work, double own_s, double before);

/* Of the rank, amount per s; 0: nothing was done. */
double keel_work_per_s(const struct keel_work *work);

/* The same, with an object of weight `running`, > 0, that has begun running_s ago, as soon as it
 * has taken longer than expected, and a second: others are expected to do so, too. */
struct keel_work keel_work_with(const struct keel_work *work, double running, double running_s,
                                unsigned threads);

/* Before an object of that weight counts: what was done counts no more than that, or than a second
 * of it. Objects that lie together are often alike. */
void keel_work_smooth(struct keel_work *work, double weight);

/* Time that is left of what was expected to take expected_s and has run for running_s. What takes
 * longer than expected is expected to take as much longer as it has by now. */
double keel_work_left_s(double expected_s, double running_s);

/* Time of a thread that `amount` takes, where nothing was done but `running`, > 0, has begun
 * running_s ago, and 0 was expected of that. */
double keel_work_expected_s(double amount, double running, double running_s);

/* The same for an object of that weight, by what was done before it; 0 was expected where nothing
 * was. What runs does not count by itself: an average with it is what it has taken by now. */
double keel_work_running_left_s(const struct keel_work *work, double running, double running_s);

/* Whether it has taken longer than expected, where something is. */
bool keel_work_is_overdue(const struct keel_work *work, double running, double running_s);

/* What objects took that came from other ranks, and others. Begins as {0}. */
struct keel_speed {
    double moved, moved_sum, moved_sum2; /* count; of logarithms of what was expected by what it
                                            took; of their squares */
    double own, own_sum2;                /* the same of the rank's own objects */
};

/* An object from another rank took took_s of a thread, and common_s was expected; both > 0. */
void keel_speed_note_moved(struct keel_speed *speed, double common_s, double took_s);

/* One of the rank's own objects took took_s, and expected_s was expected by its others. */
void keel_speed_note_own(struct keel_speed *speed, double expected_s, double took_s);

void keel_speed_age(struct keel_speed *speed, double part);

/* Common seconds in a second of a thread: 1 where nothing has moved, and close to it where few have
 * and objects differ much from what is expected of them. */
double keel_speed_of(const struct keel_speed *speed);

/* Common seconds that an object of that weight takes; 0: nothing was done. */
double keel_common_s(const struct keel_work *work, double speed, double weight);

/* The weight, by this rank's measure, of an object that takes common_s > 0. Where nothing was done
 * here, that is the measure. */
double keel_common_weight(const struct keel_work *work, double speed, double common_s);

/* What a rank tells others of itself. */
struct keel_rank_speed {
    double weight_s; /* weight of objects that it computes per s; 0: not known */
    double power;    /* common seconds per s, of all its threads; > 0 */
    double stated; /* 1: all these weights were stated, so that they compare with others; else 0 */
};

/* threads: of the rank, >= 1, as long as nothing was done. */
struct keel_rank_speed keel_rank_speed(const struct keel_work *work, double speed,
                                       unsigned threads);

/* Of `other`, relative to `own`. */
double keel_relative_speed(const struct keel_rank_speed *own, const struct keel_rank_speed *other);

#endif
