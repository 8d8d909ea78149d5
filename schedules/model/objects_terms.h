/* Two classes of tasks in place of many weights (PAPERS.md R3, Barker & others 2005).
 *
 *   sorted weights -> [split] -> G light (beta) tasks and heavy (alpha) ones -> bounds
 *
 * Each class has the mean weight of its tasks, so work is preserved, and the split is where the sum
 * of squared errors is least. Pure. */
#ifndef SCHEDULES_MODEL_OBJECTS_TERMS_H
#define SCHEDULES_MODEL_OBJECTS_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_bimodal {
    uint64_t light, heavy;         /* tasks: G, N - G */
    double light_mean, heavy_mean; /* T_beta_task, T_alpha_task */
};

/* Splits `tasks` weights, rising, in any unit. The first of several equally good splits. All equal
 * (or N = 1): one class, light, G = N; heavy_mean is then light_mean. Returns false, and all 0,
 * without tasks, or if a weight is negative, not finite, or less than the one before it. O(N). */
bool keel_bimodal_split(const double *weight, uint64_t tasks, struct keel_bimodal *bimodal);

/* Over-decomposed objects: the parameters of a job, its forecast, and the terms that the published
 * model (objects_bounds.c) and the refined one (objects_simulate.c) share (PAPERS.md R4-R6).
 *
 * Times are in s, of one processor. Numbers are finite and >= 0. Pure; any thread. */

struct keel_objects {
    uint32_t processors;         /* P */
    struct keel_bimodal classes; /* weights in s; N = light + heavy */
    const double *weight;        /* s, of all N tasks in the order in which they are dealt, a block
                                    to each processor: refined; NULL: as published */
    uint32_t neighbourhood;      /* d, processors asked at a time: 1 .. P - 1; larger: clamped */
    uint32_t handshakes;         /* how often a migration waits for its source to poll: 1: the reply
                                    brings the task; 2: the reply is their number, and then one is
                                    asked for. 0 counts as 1 */
    bool early;                  /* refined: processors ask when they begin their last task, not at
                                    its end */
    /* polling */
    double quantum_s; /* between two polls; 0: requests are answered at once, and polls are free */
    double context_s; /* T_ctx: a switch of threads; two for each poll */
    double poll_s;    /* T_poll */
    /* messages */
    double message_s; /* startup */
    double byte_s;
    double request_bytes; /* of a request, and of a reply */
    double task_bytes;    /* of a task that migrates */
    double task_messages; /* that a task sends for the application */
    double task_message_bytes;
    /* migration of a task */
    double uninstall_s, pack_s, unpack_s, install_s;
    double decision_s; /* to select a partner */
    double request_s;  /* to process a request, or a reply */
    double overlap;    /* part of application_s, and of sending tasks, that overlaps with work */
};

/* T_total of one processor (R4): the sum of all but overlap_s, which is subtracted. */
struct keel_objects_terms {
    double tasks;         /* that it executes, own and migrated ones */
    double migrated;      /* that it gives, or gets */
    double work_s;        /* T_work */
    double thread_s;      /* T_thread: R6, of work */
    double application_s; /* T_comm_app */
    double request_s;     /* T_comm_lb: until tasks have been found; of the asker only */
    double migration_s;   /* T_migr_lb */
    double decision_s;    /* T_decision_lb */
    double overlap_s;     /* T_overlap */
    double total_s;
};

struct keel_objects_bound {
    double locate_s; /* T_locate, until a first task has been found; refined: 0 */
    double rounds;   /* of load balancing; refined: the most tasks that a processor gets */
    struct keel_objects_terms overloaded, underloaded; /* the latest one of each kind */
    double total_s;                                    /* the larger one of both */
};

struct keel_objects_forecast {
    uint32_t overloaded, underloaded; /* N_alpha, N_beta: processors; their sum is P. Refined: those
                                         that begin with more than the mean work, and all others */
    struct keel_objects_bound lower;  /* the first request finds a task; refined: each first one, in
                                         the fullest processor, or a quicker run by chance */
    struct keel_objects_bound upper;  /* all underloaded processors are asked before, and refined,
                                         the emptiest is found, or a slower run by chance. (If
                                         migrations don't pay it is the lower one.) */
    double average_s;                 /* mean of both; refined: of 16 runs by chance */
    double unbalanced_s;              /* without balancing or polling: the latest processor's own */
    double ideal_s;                   /* all work by P */
};

/* --- parts of the model --- */

/* A copy with neighbourhood and handshakes in their ranges. */
struct keel_objects keel_objects_valid(const struct keel_objects *objects);

/* Time to send a task that migrates, packed. */
double keel_objects_transport_s(const struct keel_objects *valid);

/* R6: overhead of polling in a second of work. */
double keel_objects_polling(const struct keel_objects *valid);

/* Time from asking a neighbourhood to its replies, if the slowest one waits `wait_s` for its poll
 * (on average quantum_s / 2); with the second handshake, if there is one. */
double keel_objects_turnaround_s(const struct keel_objects *valid, double wait_s);

/* Sets total_s from the other terms. */
void keel_objects_total(struct keel_objects_terms *terms);

/* --- objects_simulate.c ---
 *
 * The refinement of the bounds: processors begin with their real tasks.
 *
 *   weights of all tasks -> blocks -> [processors execute, ask, give] -> the latest of each kind
 *
 * Instead of rounds in which all processors of a class do the same, each has a clock. An idle one
 * asks one neighbourhood after the other, in random order and no processor twice; each of them
 * answers when its slowest busy member polls; the one with most tasks that have not begun gives its
 * last. All costs are those of the bounds. Besides random searches there is a best case, in which
 * every search finds the fullest processor at once, and a worst case, in which it asks all that
 * have none first, and finds the emptiest. */

#define KEEL_OBJECTS_SIMULATE_RUNS 16

size_t keel_objects_simulate_scratch(uint32_t processors);

/* As keel_objects_predict() with weights, at least one processor and one task. */
void keel_objects_simulate(const struct keel_objects *valid, struct keel_objects_forecast *forecast,
                           void *scratch);

/* --- bounds ---
 *
 * How long a job of over-decomposed objects takes under diffusion or work stealing with preemptive
 * polling (PAPERS.md R4-R6, Barker & others 2005).
 *
 *   two classes of tasks (objects_terms.h), machine, quantum -> terms of an overloaded and of an
 *   underloaded processor, for the best and the worst search -> lower, upper, average
 *
 * P processors begin with N / P tasks each. Those that finish first ask others for a task that has
 * not begun, one at a time; a polling thread answers every quantum, even in the middle of a task.
 *
 * As published, tasks are sorted: so all tasks of a processor are light (beta) or heavy (alpha),
 * and all processors of a kind do the same. This is too early by up to a task of the heaviest
 * processor, if weights within the classes differ: 12 % in the linear tests of R7 with 2 tasks per
 * processor. With the weights of all tasks the model is refined (objects_simulate.c): processors
 * begin with their real tasks, and sources are found by chance.
 *
 * Times are in s, of one processor. Pure. */

/* Bytes of memory for a forecast, aligned as by malloc; 0 as published. */
size_t keel_objects_scratch(const struct keel_objects *objects);

/* Returns false, and all 0, without processors or tasks. O(1) as published; refined: O((N +
 * requests) P). scratch: NULL selects the published model even with weights. */
bool keel_objects_predict(const struct keel_objects *objects,
                          struct keel_objects_forecast *forecast, void *scratch);

/* --- while a job runs ---
 *
 * Bounds of the time of a phase of objects, from measurements while a program runs, and the best
 * number of objects.
 *
 *   work that ranks begin with, their rates, costs -> [bounds] -> lower, upper
 *                                                  -> [advice] -> objects to make of one
 *
 * The terms are those of R4 and R5 (PAPERS.md), with the real shares of ranks in place of two kinds
 * of processors. Balanced work takes T_work; a rank with more gives the rest, m objects of all
 * ranks, to the N_beta ranks with less.
 *
 *   lower = T_work + max(T_migr of a giver, (a request - an object) + T_migr of a taker)
 *   upper = T_work + the longest object + T_migr + searches * ceil(N_beta / d) requests
 *
 * At best a request finds objects at once, and an idle rank has sent it when it began its last
 * object (T_overlap). At worst all ranks that have none are asked before (R4), each search brings
 * half of what a rank still lacks (K5), and the longest object is begun when all others end (Graham
 * 1966). Neither bound is above the time of ranks without balancing. Work is in units of weight,
 * rates in these per s; a rank's rate is of all its threads. Pure. */

struct keel_objects_rank {
    double begun; /* weight of the objects that it begins with, >= 0 */
    double rate;  /* weight per s, of all its threads; 0: not known, the mean of the others' */
};

/* Impossible numbers (negative, not finite) count as 0. */
struct keel_objects_known {
    uint32_t ranks;
    const struct keel_objects_rank *rank;
    uint64_t objects;       /* of all ranks */
    double mean_s;          /* of a thread, to compute an object */
    double longest_s;       /* of the object that takes longest */
    bool moves;             /* objects can move, and idle ranks ask */
    uint32_t neighbourhood; /* asked at a time, >= 1 */
    double request_s;       /* from a question to its answer */
    double give_s, take_s;  /* of the giver and of the taker of an object, for each */
    double visit_s;         /* of a rank for each object, besides computing it */
};

struct keel_objects_bounds {
    double ideal_s;      /* all work, by all ranks together */
    double unbalanced_s; /* each rank its own work: the latest */
    double lower_s, upper_s;
    uint32_t overloaded; /* ranks that begin with more than they can do in ideal_s */
    double moved;        /* objects that have to move so that all end together */
};

/* Returns false, and all 0, without ranks, objects, work, or a known rate. ideal_s <= lower_s <=
 * upper_s <= unbalanced_s + objects * visit_s. O(ranks). */
bool keel_objects_bounds(const struct keel_objects_known *known,
                         struct keel_objects_bounds *bounds);

#define KEEL_OBJECTS_PIECES_LOG 6     /* an object becomes 2^-6 .. 2^6 objects */
#define KEEL_OBJECTS_ADVICE_GAIN 0.01 /* part of the time: less is not worth a change */

struct keel_objects_advice {
    double pieces;   /* objects to make of one, all equal; < 1: to make one of several; 1: no change
                      */
    double gain;     /* part of the time that this saves, 0 .. 1; 0 if pieces is 1 */
    double per_rank; /* objects of a rank then, on average */
};

/* Returns the smallest change with at least nine tenths of the largest gain, by the mean of both
 * bounds; a rank has an object or more. pieces 1 and gain 0 if there are no bounds, or objects
 * stay. */
struct keel_objects_advice keel_objects_advise(const struct keel_objects_known *known);

#endif
