/* When a rank asks others for objects: so early that an answer is there as it has done with its
 * own, and no earlier.
 *
 *   work left, time between looks, time of answers -> [need] -> ask now?
 *
 * What is taken early cannot go where it is needed more, as that shows later: others that are idle
 * first have taken from whoever they met, and the rank with most work keeps it. Heavier objects
 * than a rank's own are another matter (schedules/objects/gift.h). Pure. */
#ifndef SCHEDULES_OBJECTS_NEED_H
#define SCHEDULES_OBJECTS_NEED_H

#include <stdbool.h>

/* Times from each look for messages to the next, while a rank works. Begins as {0}. */
struct keel_looks {
    double sum_s, sum_s2; /* of times, and of their squares; lately */
    unsigned count;
};

#define KEEL_LOOKS_MEMORY 64 /* after so many, what was before counts half */

/* A look comes gap_s after the one before. Gaps < 0 and infinite ones are not counted. */
void keel_looks_note(struct keel_looks *looks, double gap_s);

/* The length of the time between two looks that a moment lies in, on average; 0: not known. */
double keel_looks_gap_s(const struct keel_looks *looks);

struct keel_need_case {
    double left_s;   /* until the rank has done with its own objects; the one that it computes
                        included; 0: nothing is left */
    double gap_s;    /* until it looks next; 0: not known, or at once */
    double answer_s; /* until others answer, on average; 0: not known */
    unsigned trips;  /* answers for one gift, >= 1 */
};

/* Whether to ask at this look. Answers come after up to twice their mean where others look at
 * regular times; the next look may be too late for that. Before the first answer, gap_s stands for
 * the mean: who has most left then is slower than this rank, or has heavier objects, and looks less
 * often. */
bool keel_need_is_due(const struct keel_need_case *need);

/* How long to wait for answers before a rank begins its last object, which takes last_s, where it
 * could not ask before. Meanwhile it loses time, and gains at most as much as that object takes, by
 * beginning a heavier one before: it waits a tenth of that (KEEL_GIFT_CAUTION), and not at all, 0,
 * where answers to a look and to a question may come later, as others look every gap_s. */
double keel_need_patience_s(double last_s, double gap_s);

#endif
