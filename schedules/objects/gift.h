/* Which objects a rank gives to one that asks.
 *
 *   pending objects of the giver, work and rates of both, costs of moving -> [gift] -> the objects
 *
 * The chosen objects let both end together: much pending work and few bytes first. An object is
 * given only if the later of the two then ends earlier, the cost of moving included: the receiver
 * waits for the message, and the giver packs.
 *
 * That alone leaves heavy objects to the end, when ranks with only light ones ask as these are
 * done: the job then ends a heavy object later. So a rank asks before that for an object that is
 * heavier than its next one. It computes that first; the light ones behind it can still be taken by
 * ranks that are done. This is heaviest first (Graham 1969), as far as possible for ranks that know
 * only the times of their own objects.
 *
 * Both count on others: ranks that are known to be done soon (schedules/objects/news.h). If there
 * are many, the objects behind a heavy one surely find one. And if there is one for each object
 * that is left, the receiver gets only one: with two it ends later than any of them.
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
    uint64_t place; /* for the caller's use */
};

struct keel_gift_case {
    double giver_s;    /* until the giver has done all its pending work, the objects' included */
    double receiver_s; /* the same of the receiver, by its own time */
    double speed;      /* of the receiver, relative to the giver's: work takes work_s / speed there;
                          > 0 and finite */
    double message_s;  /* until a message arrives, >= 0 */
    double byte_s;     /* and for each byte, >= 0 */
    double packing_s;  /* for each byte, of the giver's time, >= 0 */
    double object_s;   /* for each object, of the giver's time, >= 0 */
    double helpers;    /* other ranks that are done before the receiver could begin a second
                          object, >= 0 */
};

/* Moves the objects to give to the front, in the order in which they are to go. Returns their
 * number. A second one that takes longer than a message is given only if gift->helpers are fewer
 * than the objects left. O(n log n). */
size_t keel_gift_choose(const struct keel_gift_case *gift, struct keel_gift_object *object,
                        size_t count);

/* The receiver's own objects, by its own time. */
struct keel_gift_waiting {
    double begins_s; /* until its present object is done, >= 0 */
    double waits_s;  /* of those behind it, >= 0 */
    double next_s;   /* of the first of them */
    double helpers;  /* for each of them, other ranks that could have done it before the giver is
                        done, >= 0 */
};

/* If no rank takes the waiting objects, the loss is certain, and the gain is not: the gain has to
 * be this many times the loss, if no rank is known that could take them. */
#define KEEL_GIFT_CAUTION 10

/* The same if `helpers` ranks could take them. One of them is expected to do so in 1 of
 * KEEL_GIFT_CAUTION + 1 cases, by which gain and loss are equal on average; each of the others as
 * well, independently. */
double keel_gift_caution(double helpers);

/* Whether an object that takes work_s goes before one that takes other_s. */
bool keel_gift_goes_first(double work_s, double other_s);

/* As keel_gift_choose(), for a rank that has objects left to begin: returns 0 or 1. Gives an object
 * that is heavier than the receiver's next one, if it ends earlier there than here behind those
 * that are as heavy, while others take the lighter ones of both: by KEEL_GIFT_CAUTION times the
 * cost of moving it, and keel_gift_caution() times the loss if no rank takes them. O(n log n). */
size_t keel_gift_choose_first(const struct keel_gift_case *gift,
                              const struct keel_gift_waiting *waiting,
                              struct keel_gift_object *object, size_t count);

/* --- looking ---
 *
 * The presence of a rank on its processor while it waits for others.
 *
 *   time from each look for messages to the next -> [presence] -> time until a message is found
 *                                                              -> how long to keep looking
 *
 * If another program computes on the same processor, a rank that leaves the processor comes back
 * after a time slice of the system: some ms, in which it finds no message. Pure. */

/* Begins as {0}; written by keel_presence_note() only. Times in s. */
struct keel_presence {
    double waited_s;  /* recent waiting time */
    double unseen_s2; /* sum of half squares of the times in it without a look */
};

#define KEEL_PRESENCE_GAP_S 500e-6 /* shorter times without a look are a rank's own pauses */
#define KEEL_PRESENCE_MEMORY_S 0.1 /* after this waiting time, earlier values count half */

/* Records a look gap_s after the one before. Gaps < 0 and infinite ones are ignored. */
void keel_presence_note(struct keel_presence *presence, double gap_s);

/* How long a message that arrives at a random time waits on average until it is found, because the
 * rank was off its processor: for a time g without a look, g / 2, and a part g / waited_s of all
 * messages arrive in it. 0 if that has never happened. */
double keel_presence_unseen_s(const struct keel_presence *presence);

#define KEEL_PRESENCE_PART 16           /* see below */
#define KEEL_PRESENCE_PATIENCE_S 250e-6 /* at most */

/* How long to look for messages before the processor is left again, after it was left for away_s: a
 * KEEL_PRESENCE_PART-th of that. Most answers arrive in less than that, and yielding for each would
 * cost a time slice each. With up to KEEL_PRESENCE_PART ranks on a processor that wait for each
 * other and compute nothing, the times get shorter from turn to turn. */
double keel_presence_patience_s(double away_s);

/* When a rank asks others for objects: so early that an answer arrives when its own objects are
 * done, and no earlier.
 *
 *   work left, time between looks, time of answers -> [need] -> ask now?
 *
 * Objects that are taken early cannot go to a rank that needs them more, as that shows later: ranks
 * that are idle first have taken from any rank they met, and the rank with most work keeps its own.
 * Objects heavier than a rank's own are different (schedules/objects/gift.h). Pure. */

/* Times from each look for messages to the next, while a rank works. Begins as {0}. */
struct keel_looks {
    double sum_s, sum_s2; /* of times, and of their squares; lately */
    unsigned count;
};

#define KEEL_LOOKS_MEMORY 64 /* after this number, earlier values count half */

/* Records a look gap_s after the one before. Gaps < 0 and infinite ones are ignored. */
void keel_looks_note(struct keel_looks *looks, double gap_s);

/* The mean length of the time between two looks that contains a random moment; 0: not known. */
double keel_looks_gap_s(const struct keel_looks *looks);

struct keel_need_case {
    double left_s;   /* until the rank's own objects are done, the present one included; 0: none
                        is left */
    double gap_s;    /* until its next look; 0: not known, or at once */
    double answer_s; /* until others answer, on average; 0: not known */
    unsigned trips;  /* answers for one gift, >= 1 */
};

/* Whether to ask at this look. Answers come after up to twice their mean if others look at regular
 * times; the next look may be too late for that. Before the first answer, gap_s replaces the mean:
 * the rank with most left is then slower than this one, or has heavier objects, and looks less
 * often. */
bool keel_need_is_due(const struct keel_need_case *need);

/* How long to wait for answers before a rank begins its last object, which takes last_s, if it
 * could not ask before. Meanwhile it loses time, and gains at most the time of that object, by
 * beginning a heavier one before: it waits a tenth of that (KEEL_GIFT_CAUTION), and 0 if answers to
 * a look and to a question may come later, as others look every gap_s. */
double keel_need_patience_s(double last_s, double gap_s);

/* How many ranks an idle rank looks at, at a time.
 *
 *   cost of a look, time of answers, part of the ranks without objects -> [neighbourhood] -> d
 *
 * Looks at a neighbourhood of d ranks are sent one after the other, and their answers come together
 * after a wait (PAPERS.md R4, section 4.4 of the paper). At best the first neighbourhood has a rank
 * with objects; at worst all N_beta ranks that have none are looked at before. On average of both
 * bounds a search takes
 *
 *   T(d) = (1 + ceil(N_beta / d)) / 2 * (d * message_s + wait_s)
 *
 * so that neighbourhoods are small if looks cost much, and large if answers are late or few ranks
 * have objects. Pure. */

struct keel_neighbourhood_case {
    uint32_t others;  /* P - 1 */
    double empty;     /* part of the ranks looked at so far that had nothing to give, 0 .. 1 */
    double message_s; /* to send a look, and to answer it */
    double wait_s;    /* until an answer comes, besides that: the asked rank computes */
};

/* Returns the d in 1 .. min(most, others) with the least T(d), the first of several; 1 without
 * others. Returns `otherwise`, within these bounds, if a cost is not known: not positive or not
 * finite. most >= 1. */
uint32_t keel_neighbourhood(const struct keel_neighbourhood_case *measured, uint32_t most,
                            uint32_t otherwise);

/* How often a thread looks for requests of other ranks while its rank computes on objects.
 *
 *   time of a look, working time of the rank, requests so far -> [quantum] -> s
 *
 * Looks of a rank that works for T_work cost T_work / T_quantum (2 T_ctx + T_poll), and a request
 * waits for T_quantum / 2 (PAPERS.md R6). With n requests, the sum of both is least at
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

/* At least look_s / KEEL_QUANTUM_COST. If this minimum does not apply, a request waits for at most
 * 1 % of the work on average. Returns `otherwise_s` if a look's time is not known. */
double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s);

#endif
