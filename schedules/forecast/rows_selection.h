/* The choice of `auto` for rows: which policy the next decision follows.
 *
 *   work and filtered rates of all, what messages and rows cost, how long rates will last
 *        -> runs of the matrix iterative model (iterative.h), a policy each -> the quickest
 *        -> decide.h decides by it
 *
 * Pure. All workers that are told the same choose the same. */
#ifndef SCHEDULES_FORECAST_ROWS_SELECTION_H
#define SCHEDULES_FORECAST_ROWS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/model/iterative/iterative.h"

/* What is known at a decision. What is not > 0, or no number, counts as 0. */
struct keel_rows_outlook {
    uint32_t workers;   /* P >= 1 */
    const double *work; /* that each has in a phase, any unit */
    const double *rate; /* work per s; 0: not known */
    uint64_t rows;      /* of all workers */
    bool adjacent;      /* rows stay in blocks */
    double step_s;      /* from one decision to the next */
    double horizon_s;   /* how long rates will last, or the job; INFINITY: not known */
    double message_s;   /* what a message takes */
    double row_s;       /* what a row in it adds */
    double gain;        /* the least part of the time that is worth a movement (S11) */
};

/* A candidate: the rule of iterative.h and what carries it out. */
struct keel_rows_candidate {
    enum keel_decide_kind kind;
    enum keel_graph graph;
    const char *model; /* name of the policy in iterative.h */
};

/* rate first, which stays unless another is better. Random is none of them: what it does is a
 * matter of chance. */
#define KEEL_ROWS_CANDIDATES 4
extern const struct keel_rows_candidate keel_rows_candidates[KEEL_ROWS_CANDIDATES];

/* Another policy than rate has to save this part of the time. */
#define KEEL_ROWS_SELECTION_BETTER 0.02

/* The model looks no further ahead than so many decisions. Of more than 256 workers it makes fewer
 * and longer steps of them, so that choosing takes a few ms at most. */
#define KEEL_ROWS_SELECTION_STEPS 32

/* Which of keel_rows_candidates takes least time. time_s: KEEL_ROWS_CANDIDATES values, how long the
 * steps ahead take under each; NULL: not wanted. The first one, and no times (0), where no rate is
 * known, or sharing by rates would gain less than outlook->gain. scratch: room for
 * keel_rows_selection_scratch(P) bytes, aligned as of malloc. O(P log P) for each step. */
unsigned keel_rows_selection_choose(const struct keel_rows_outlook *outlook, double *time_s,
                                    void *scratch);

size_t keel_rows_selection_scratch(uint32_t workers);

#endif
