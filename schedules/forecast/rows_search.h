/* The search of `auto` for rows: which policy, with which parameters and how often, takes least
 * time by the matrix iterative model.
 *
 *   situation (iterative.h), what is known to be misjudged -> [search] -> the best rule of each
 *   policy, and its time -> rows_selection.h
 *
 * Not the whole grid is run, which would take some hundred runs: first every policy with the
 * parameters that were its best ones the last time, under every period; then the parameters of the
 * two best, one after the other. So it takes KEEL_ROWS_SEARCH_RUNS runs at most, and as decisions
 * follow each other, parameters get to where they should be.
 *
 * Pure: the number of runs does not depend on a clock, so that all workers find the same. */
#ifndef SCHEDULES_FORECAST_ROWS_SEARCH_H
#define SCHEDULES_FORECAST_ROWS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/model/iterative/iterative.h"

/* A candidate: a policy of iterative.h and what carries it out. */
struct keel_rows_candidate {
    enum keel_decide_kind kind;
    enum keel_graph graph;
    const char *model; /* name of the policy in iterative.h */
};

enum {
    KEEL_ROWS_BY_RATE, /* stays unless another is better */
    KEEL_ROWS_BY_TREE,
    KEEL_ROWS_BY_DIFFUSION,
    KEEL_ROWS_BY_REDISTRIBUTION,
    KEEL_ROWS_BY_RANDOM,
    KEEL_ROWS_STAY, /* by rate, with a threshold that no gain reaches */
    KEEL_ROWS_CANDIDATES
};

extern const struct keel_rows_candidate keel_rows_candidates[KEEL_ROWS_CANDIDATES];

/* A candidate with parameters; those that it has not are 0. */
struct keel_rows_rule {
    uint64_t candidate;
    double threshold; /* w*, relative to the ideal */
    double alpha;     /* of random */
    double gain;      /* of rate and tree */
    uint64_t every;   /* decides after so many periods, >= 1 */
};

/* The grid: w* = 1.0, 1.1 .. 1.5 (F9), alpha = 0.1, 0.3 .. 0.9, gain = 0, 0.02, 0.05, 0.1, every 1,
 * 2, 4, 8. */
#define KEEL_ROWS_SEARCH_THRESHOLDS 6
#define KEEL_ROWS_SEARCH_ALPHAS 5
#define KEEL_ROWS_SEARCH_GAINS 4
#define KEEL_ROWS_SEARCH_PERIODS 4

/* At first five policies under each period and one without; then twice, w* and alpha at most. */
#define KEEL_ROWS_SEARCH_RUNS \
    (5 * KEEL_ROWS_SEARCH_PERIODS + 1 + 2 * (KEEL_ROWS_SEARCH_THRESHOLDS + KEEL_ROWS_SEARCH_ALPHAS))

struct keel_rows_search {
    const struct keel_iterative *situation;
    uint64_t every_most;  /* longer periods are left out; >= 1 */
    const double *factor; /* KEEL_ROWS_CANDIDATES: by how much the model misjudges each; NULL: 1 */
    bool brief;           /* a quarter of the runs: periods 1 and 4, parameters of the best alone */
    bool all;             /* the whole grid: to compare with */

    /* In and out: the best rule of each candidate. */
    struct keel_rows_rule *best;
    /* Out: KEEL_ROWS_CANDIDATES: time of it in s, with the factor. */
    double *time_s;
    unsigned runs;
};

/* The parameters to begin with: the paper's best (F8), for so many workers. */
void keel_rows_search_begin(uint32_t workers, struct keel_rows_rule *best);

/* Searches. scratch: room for keel_rows_search_scratch(P) bytes, aligned as of malloc. */
void keel_rows_search_run(struct keel_rows_search *search, void *scratch);

/* What the model expects under one rule. */
struct keel_iterative_result keel_rows_search_expect(const struct keel_iterative *situation,
                                                     const struct keel_rows_rule *rule,
                                                     void *scratch);

size_t keel_rows_search_scratch(uint32_t workers);

#endif
