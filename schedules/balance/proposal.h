/* A proposal: which rows each worker would have, by a policy and the reports of all.
 *
 *   work and rates of all -> wanted work of each, by policy -> whole rows, and the work of these
 *                         -> messages and bytes of the movement
 *
 * Feeds decide.h, which accepts or rejects it. Pure. */
#ifndef SCHEDULES_BALANCE_PROPOSAL_H
#define SCHEDULES_BALANCE_PROPOSAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/moves.h"
#include "schedules/balance/neighbours.h"

enum keel_decide_kind {
    KEEL_DECIDE_BY_RATE,           /* in proportion to rates (SS97) */
    KEEL_DECIDE_BY_RANDOM,         /* neighbours.h, F3 */
    KEEL_DECIDE_BY_DIFFUSION,      /* F4 */
    KEEL_DECIDE_BY_REDISTRIBUTION, /* F5 */
    KEEL_DECIDE_BY_GRADIENT,       /* neighbours.h, Lin & Keller 1987 */
    KEEL_DECIDE_BY_TREE,           /* between the partners of the cluster tree (K1-K5) */
    KEEL_DECIDE_BY_SHAKE           /* at random, whatever it costs: for tests of programs */
};

/* "rate", "diffusion", ... */
const char *keel_decide_kind_name(enum keel_decide_kind kind);

struct keel_decide_rules {
    enum keel_decide_kind kind;
    enum keel_graph graph;   /* F3-F5 */
    double threshold, alpha; /* w* and alpha of F3-F5; 0: by keel_neighbours_set_best() */
    double gain;             /* tfract (S11), 0 .. 1; rate and tree */
    double greatly;          /* cancel if the cost exceeds this times the saving (S12), > 0;
                                INFINITY: never */
    bool published;          /* S12 as published: the rest of the run does not count */
    bool adjacent;           /* rows stay in blocks (moves.h) */
    uint64_t seed;           /* random, shake */
};

/* A worker. */
struct keel_decide_report {
    uint64_t rows;   /* present rows */
    double work;     /* sum of their weights, >= 0 */
    double rate;     /* work per s, filtered; 0: not known */
    double measured; /* the last one that went into it; 0: not known, `rate` replaces it */
};

/* The situation of all workers. */
struct keel_decide_situation {
    double now_s;       /* since the beginning; the same on all workers that decide */
    double remaining_s; /* of the run; INFINITY: not known */
    double row_bytes;   /* sent to move a row */
};

/* The cost of a movement of rows: messages and bytes of the worker that sends and receives most. */
struct keel_proposal_movement {
    double messages, bytes;
};

/* The arrays lie in the caller's scratch memory, but for the last two. P: workers. */
struct keel_proposal {
    /* set by the caller before keel_proposal_begin() */
    const struct keel_decide_rules *rules;
    const struct keel_decide_situation *situation;
    uint32_t workers;
    uint64_t decision;     /* number of this decision, from 1 */
    double *wanted;        /* P: work that each is to have */
    uint64_t *wanted_rows; /* P: rows of about that work */
    /* written by the functions below only */
    double *known;         /* P: reported rates, work per s; 0: not reported */
    double *rate;          /* P: the same, with a guess where none is reported */
    double *measured;      /* P: the last measured rates; `rate` where there are none */
    double *work;          /* P: work that each has */
    double *after;         /* P: work of wanted_rows */
    uint64_t *present;     /* P: rows that each has */
    uint64_t *first, *cut; /* P + 1: bounds of blocks, now and with wanted_rows */
    uint64_t *tasks;       /* P: work in whole tasks, see neighbours.h */
    void *list;            /* room for P moves, or for the cluster tree */
    struct keel_whole_rows rows;
    double all_work;
};

/* The rest of the run, s; INFINITY: not known. */
static inline double keel_proposal_remaining_s(const struct keel_proposal *proposal)
{
    double remaining_s = proposal->situation->remaining_s;

    return remaining_s >= 0 ? remaining_s : INFINITY;
}

/* Bytes of scratch memory for P workers, aligned as of malloc. */
size_t keel_proposal_scratch(uint32_t workers);

/* Takes in the reports, P of them. A worker without a rate counts as the mean of the others. False
 * if no rate is known. Work that is not a number counts as rows of the others' mean weight. */
bool keel_proposal_begin(struct keel_proposal *proposal, const struct keel_decide_report *report,
                         void *scratch);

/* Proposes by the policy, with these rates, P of them > 0. */
void keel_proposal_by_rates(struct keel_proposal *proposal, const double *rate);

/* Proposes random shares, the same ones for the same seed and decision. */
void keel_proposal_at_random(struct keel_proposal *proposal);

/* Proposes that each worker keeps its rows. */
void keel_proposal_withdraw(struct keel_proposal *proposal);

/* Whether the proposal is that each worker keeps its rows. */
bool keel_proposal_is_present(const struct keel_proposal *proposal);

/* Time of the latest worker with such work, s: the largest work[i] / rate[i]. */
double keel_proposal_time_s(const struct keel_proposal *proposal, const double *work,
                            const double *rate);

/* Messages and bytes of the movement. */
struct keel_proposal_movement keel_proposal_movement(struct keel_proposal *proposal);

#endif
