/* What a phase of objects takes at least and at most, by what is measured while a program runs, and
 * how many objects would be best.
 *
 *   work that ranks begin with, their rates, costs -> [bounds] -> lower, upper
 *                                                  -> [advice] -> objects to make of one
 *
 * The terms are those of R4 and R5 (PAPERS.md), with the shares that ranks really have in place of
 * two kinds of processors. Balanced work takes T_work; a rank that has more gives the rest, m
 * objects of all ranks, to the N_beta ranks that have less.
 *
 *   lower = T_work + max(T_migr of a giver, (a request - an object) + T_migr of a taker)
 *   upper = T_work + the longest object + T_migr + searches * ceil(N_beta / d) requests
 *
 * At best a request finds objects at once, and an idle rank has sent it when it began its last
 * object (T_overlap). At worst all ranks that have none are asked before (R4), each search brings
 * half of what a rank still lacks (K5), and the longest object is begun when all others end (Graham
 * 1966). Neither bound is above what ranks would take without balancing. Work is in units of
 * weight, rates in these per s; a rank's rate is of all its threads. Pure. */
#ifndef SCHEDULES_MODEL_OBJECTS_ONLINE_H
#define SCHEDULES_MODEL_OBJECTS_ONLINE_H

#include <stdbool.h>
#include <stdint.h>

struct keel_objects_rank {
    double begun; /* weight of the objects that it begins with, >= 0 */
    double rate;  /* weight per s; 0: not known, and counts as the mean of the others' */
};

/* Numbers that can't be (negative, not finite) count as 0. */
struct keel_objects_known {
    uint32_t ranks;
    const struct keel_objects_rank *rank;
    uint64_t objects;       /* of all ranks */
    double mean_s;          /* of a thread, to compute an object */
    double longest_s;       /* of the object that takes longest */
    bool moves;             /* objects can move, and idle ranks ask */
    uint32_t neighbourhood; /* asked at a time, >= 1 */
    double request_s;       /* from a question to its answer */
    double give_s, take_s;  /* of who gives and who takes an object, for each */
    double visit_s;         /* of a rank for each object, beside computing it */
};

struct keel_objects_bounds {
    double ideal_s;      /* all work, by all ranks together */
    double unbalanced_s; /* each rank its own work: the latest */
    double lower_s, upper_s;
    uint32_t overloaded; /* ranks that begin with more than they do by ideal_s */
    double moved;        /* objects that have to move so that all end together */
};

/* False, and all 0: no ranks or no objects, no work, or no rate is known. ideal_s <= lower_s <=
 * upper_s <= unbalanced_s + objects * visit_s. O(ranks). */
bool keel_objects_bounds(const struct keel_objects_known *known,
                         struct keel_objects_bounds *bounds);

#define KEEL_OBJECTS_PIECES_LOG 6     /* an object becomes 2^-6 .. 2^6 objects */
#define KEEL_OBJECTS_ADVICE_GAIN 0.01 /* part of the time: less is not worth a change */

struct keel_objects_advice {
    double pieces; /* objects to make of one, all alike; < 1: to make one of several; 1: as it is */
    double gain;   /* part of the time that this saves, 0 .. 1; 0 where pieces is 1 */
    double per_rank; /* objects of a rank then, on average */
};

/* Of the numbers that bring nine tenths of what can be gained the one that changes least, by the
 * mean of both bounds; a rank has an object or more. pieces 1 and gain 0 where there are no bounds,
 * or objects stay. */
struct keel_objects_advice keel_objects_advise(const struct keel_objects_known *known);

#endif
