/* How present a rank is on its processor while it waits for others.
 *
 *   time from each look for messages to the next -> [presence] -> how long until one is seen
 *                                                              -> how long to look on
 *
 * Where another program computes on the same processor, a rank that leaves the processor comes back
 * after a time slice of the system: some ms, in which it sees nothing. Pure. */
#ifndef SCHEDULES_OBJECTS_PRESENCE_H
#define SCHEDULES_OBJECTS_PRESENCE_H

/* Begins as {0}; written by keel_presence_note() only. Times in s. */
struct keel_presence {
    double watched_s; /* of waiting, lately */
    double unseen_s2; /* sum of half squares of the times in it without a look */
};

#define KEEL_PRESENCE_GAP_S 500e-6 /* shorter times without a look are a rank's own pauses */
#define KEEL_PRESENCE_MEMORY_S 0.1 /* after so much waiting what was before counts half */

/* A look comes gap_s after the one before. Gaps < 0 and infinite ones are not counted. */
void keel_presence_note(struct keel_presence *presence, double gap_s);

/* How long a message that comes at any time waits on average until it is seen, as far as the rank
 * was kept away: of a time g without a look, g / 2, and g / watched_s of all messages come then. 0:
 * that was never so. */
double keel_presence_unseen_s(const struct keel_presence *presence);

#define KEEL_PRESENCE_PART 16           /* see below */
#define KEEL_PRESENCE_PATIENCE_S 250e-6 /* at most */

/* How long to look for messages before the processor is left again, after it was left for away_s:
 * that part of it. Most answers come in less than that, and giving way for each would cost a time
 * slice each. With up to so many ranks on a processor that wait for each other and compute nothing,
 * the times get shorter from turn to turn. */
double keel_presence_patience_s(double away_s);

#endif
