/* Two classes of tasks in place of many weights (PAPERS.md R3, Barker & others 2005).
 *
 *   sorted weights -> [split] -> G light (beta) tasks and heavy (alpha) ones -> objects_bounds.h
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

/* Splits `tasks` weights, rising, in any unit. The first of several equally good splits. All alike
 * (or N = 1): one class, light, G = N; heavy_mean is light_mean then. false, and all 0: no tasks,
 * or a weight that is negative, not finite, or less than the one before it. O(N). */
bool keel_bimodal_split(const double *weight, uint64_t tasks, struct keel_bimodal *bimodal);

/* Over-decomposed objects: what is known of a job, what is predicted, and the terms that the
 * published model (objects_bounds.c) and the refined one (objects_simulate.c) share (PAPERS.md
 * R4-R6).
 *
 * Times are in s, of one processor. Numbers are finite and >= 0. Pure; any thread. */

struct keel_objects {
    uint32_t processors;         /* P */
    struct keel_bimodal classes; /* weights in s; N = light + heavy */
    const double *weight;        /* s, of all N tasks in the order in which they are dealt, a block
                                    to each processor: refined; NULL: as published */
    uint32_t neighbourhood;      /* d, processors asked at a time: 1 .. P - 1; beyond: cut off */
    uint32_t handshakes;         /* how often a migration waits for its source to poll: 1: the reply
                                    brings the task; 2: it tells how many there are, and one is
                                    asked for then. 0 counts as 1 */
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
    double request_s;  /* to process a request, and likewise a reply */
    double overlap;    /* part of application_s, and of sending tasks, that goes on beside work */
};

/* T_total of one processor (R4): the sum of all but overlap_s, which is subtracted. */
struct keel_objects_terms {
    double tasks;         /* that it executes, own and migrated ones */
    double migrated;      /* that it gives, or gets */
    double work_s;        /* T_work */
    double thread_s;      /* T_thread: R6, of work */
    double application_s; /* T_comm_app */
    double request_s;     /* T_comm_lb: until tasks have been found; who is asked spends nothing */
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
    uint32_t overloaded, underloaded; /* N_alpha, N_beta: processors; their sum is P. Refined: who
                                         begins with more than the mean work, and all others */
    struct keel_objects_bound lower;  /* the first request finds a task; refined: each first one, in
                                         the fullest processor, or a quicker run by chance */
    struct keel_objects_bound upper;  /* all underloaded processors are asked before, and refined,
                                         the emptiest is found, or a slower run by chance. (Where
                                         migrations don't pay it is the lower one.) */
    double average_s;                 /* mean of both; refined: of 16 runs by chance */
    double unbalanced_s;              /* without balancing or polling: the latest processor's own */
    double ideal_s;                   /* all work by P */
};

/* --- parts of the model --- */

/* The same with neighbourhood and handshakes in their ranges. */
struct keel_objects keel_objects_valid(const struct keel_objects *objects);

/* Sending a task that migrates, packed. */
double keel_objects_transport_s(const struct keel_objects *valid);

/* R6: what polling adds to a second of work. */
double keel_objects_polling(const struct keel_objects *valid);

/* From asking a neighbourhood to knowing the replies, where the slowest one waits `wait_s` for its
 * poll (on average quantum_s / 2); with the second handshake, if there is one. */
double keel_objects_turnaround_s(const struct keel_objects *valid, double wait_s);

/* Sets total_s from the other terms. */
void keel_objects_total(struct keel_objects_terms *terms);

/* --- objects_simulate.c ---
 *
 * The refinement of objects_bounds.h: processors begin with the very tasks that they have.
 *
 *   weights of all tasks -> blocks -> [processors execute, ask, give] -> the latest of each kind
 *
 * Instead of rounds in which all processors of a class do the same, each has a clock. An idle one
 * asks one neighbourhood after the other, in an order by chance and nobody twice, each of which
 * answers when its slowest busy member polls; the one with most tasks that have not begun gives its
 * last. What anything takes is that of objects_bounds.h. Beside random searches there is a best
 * case, in which every search finds the fullest processor at once, and a worst case, in which it
 * asks all who have none first, and finds the emptiest. */

#define KEEL_OBJECTS_SIMULATE_RUNS 16

size_t keel_objects_simulate_scratch(uint32_t processors);

/* As keel_objects_predict() with weights; there are processors and tasks. */
void keel_objects_simulate(const struct keel_objects *valid, struct keel_objects_forecast *forecast,
                           void *scratch);

#endif
