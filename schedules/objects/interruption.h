/* What of an object's time the processor was somebody else's.
 *
 *   the system's counts for a thread, before and after -> [interruption] -> s
 *
 * An object that is interrupted takes a time slice of another program longer: many times as long as
 * it takes by itself, where it is short. That says how fast its rank is, and nothing of the object:
 * the next time another one is interrupted. Pure. */
#ifndef SCHEDULES_OBJECTS_INTERRUPTION_H
#define SCHEDULES_OBJECTS_INTERRUPTION_H

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

#endif
