/* Which objects a rank gives to one that asks.
 *
 *   pending objects of the giver, work and rates of both, costs of moving -> [gift] -> the objects
 *
 * Those go with which both end together: much pending work and few bytes first. An object goes only
 * if the later of the two ends earlier for it, with what moving costs counted: the receiver waits
 * for the message, and the giver packs.
 *
 * That alone leaves heavy objects to the end, where ranks with nothing but light ones ask as these
 * are done: the job then ends a heavy object later. So a rank asks before that for one that is
 * heavier than the one that it would begin next. It goes first; the light ones behind it are what
 * others, who are done, can still take. It is heaviest first (Graham 1969), as far as ranks can
 * have it that know only what their own objects take.
 *
 * Both count on others: ranks that are known to be done soon (schedules/objects/news.h). Where
 * there are many, what waits behind a heavy object finds one surely. And where there is one for
 * each object that is left, the receiver gets one alone: with two it ends later than any of them.
 *
 * Times are in s on the giver. Pure. */
#ifndef SCHEDULES_OBJECTS_GIFT_H
#define SCHEDULES_OBJECTS_GIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_gift_object {
    double work_s;  /* time of its pending work on the giver, >= 0 */
    double bytes;   /* when packed, >= 0 */
    uint64_t place; /* the caller's own */
};

struct keel_gift_case {
    double giver_s;    /* until the giver has done all its pending work, the objects' included */
    double receiver_s; /* the same of the receiver, by its own time */
    double speed;      /* of the receiver, relative to the giver's: work takes work_s / speed there;
                          > 0 and finite */
    double message_s;  /* until a message is there, >= 0 */
    double byte_s;     /* more for each byte, >= 0 */
    double packing_s;  /* for each byte, of the giver's time, >= 0 */
    double object_s;   /* for each object, of the giver's time, >= 0 */
    double helpers;    /* other ranks that are done before the receiver could begin a second
                          object, >= 0 */
};

/* Brings the objects that go to the front, in the order in which they are to go, and returns how
 * many these are. One alone, if it takes longer than a message, where gift->helpers are as many as
 * there are objects beside it. O(n log n). */
size_t keel_gift_choose(const struct keel_gift_case *gift, struct keel_gift_object *object,
                        size_t count);

/* The receiver's own, by its own time. */
struct keel_gift_waiting {
    double begins_s; /* until the object that it computes is done, >= 0 */
    double waits_s;  /* of those behind it, >= 0 */
    double next_s;   /* of the first of them */
    double helpers;  /* for each of them, other ranks that could have done it before the giver is
                        done, >= 0 */
};

/* What is lost is sure where nobody takes what waits, what is gained is not: that has to be so many
 * times as much, if nobody is known who could. */
#define KEEL_GIFT_CAUTION 10

/* The same where so many could take it. Of one it is expected in 1 of KEEL_GIFT_CAUTION + 1 cases,
 * by which what is gained and what is lost come to the same on average; of each of the others as
 * well, whatever the rest does. */
double keel_gift_caution(double helpers);

/* Whether an object that takes so long goes before one that takes other_s. */
bool keel_gift_goes_first(double work_s, double other_s);

/* The same, for a rank that has objects left to begin: returns 0 or 1. That one goes which is
 * heavier than the next one there, if it ends earlier there than here behind those that are as
 * heavy, where others take the lighter ones of both: by KEEL_GIFT_CAUTION times of what moving it
 * costs, and keel_gift_caution() times of what is lost where nobody takes them. O(n log n). */
size_t keel_gift_choose_first(const struct keel_gift_case *gift,
                              const struct keel_gift_waiting *waiting,
                              struct keel_gift_object *object, size_t count);

/* --- looking ---
 *
 * How present a rank is on its processor while it waits for others.
 *
 *   time from each look for messages to the next -> [presence] -> how long until one is seen
 *                                                              -> how long to look on
 *
 * Where another program computes on the same processor, a rank that leaves the processor comes back
 * after a time slice of the system: some ms, in which it sees nothing. Pure. */

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

/* When a rank asks others for objects: so early that an answer is there as it has done with its
 * own, and no earlier.
 *
 *   work left, time between looks, time of answers -> [need] -> ask now?
 *
 * What is taken early cannot go where it is needed more, as that shows later: others that are idle
 * first have taken from whoever they met, and the rank with most work keeps it. Heavier objects
 * than a rank's own are another matter (schedules/objects/gift.h). Pure. */

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

/* How many ranks an idle rank looks at, at a time.
 *
 *   what a look costs, how long answers take, how many ranks have nothing -> [neighbourhood] -> d
 *
 * Looks at a neighbourhood of d ranks are sent one after the other, and their answers come together
 * after a wait (PAPERS.md R4, section 4.4 of the paper). The first neighbourhood has a rank with
 * objects at best; at worst all N_beta ranks that have none are looked at before. On average of
 * both bounds a search takes
 *
 *   T(d) = (1 + ceil(N_beta / d)) / 2 * (d * message_s + wait_s)
 *
 * so that neighbourhoods are small where looks cost much, and large where answers are late or few
 * ranks have objects. Pure. */

struct keel_neighbourhood_case {
    uint32_t others;  /* P - 1 */
    double empty;     /* part of the ranks looked at so far that had nothing to give, 0 .. 1 */
    double message_s; /* to send a look, and to answer it */
    double wait_s;    /* until an answer comes, beside that: the asked rank computes */
};

/* 1 .. min(most, others), and 1 where there are no others: where T(d) is least, the first of
 * several. `otherwise`, within these bounds, where a cost is not known: it is not positive or not
 * finite. most >= 1. */
uint32_t keel_neighbourhood(const struct keel_neighbourhood_case *measured, uint32_t most,
                            uint32_t otherwise);

/* How often a thread looks for requests of other ranks while its rank computes on objects.
 *
 *   what a look takes, how long the rank has worked, requests so far -> [quantum] -> s
 *
 * Looks of a rank that works for T_work cost T_work / T_quantum (2 T_ctx + T_poll), and a request
 * waits for T_quantum / 2 (PAPERS.md R6). With n requests, both together are least at
 *
 *   T_quantum = sqrt(2 T_work (2 T_ctx + T_poll) / n)
 *
 * Pure. */

struct keel_quantum_case {
    double look_s;     /* 2 T_ctx + T_poll, measured; <= 0: not known */
    double work_s;     /* T_work, of the phase so far or of one like it */
    uint64_t requests; /* in that time; 0 counts as 1, as the next one is not known */
};

#define KEEL_QUANTUM_COST 0.01 /* most of the work's time that looks may take */

/* At least look_s / KEEL_QUANTUM_COST. Where that does not rule, a request waits for 1 % of the
 * work or less on average. `otherwise_s` where a look's time is not known. */
double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s);

#endif
