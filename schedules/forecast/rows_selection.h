/* The choice of `auto` for rows: which policy the next decision follows, with which parameters, and
 * when the one after that is due.
 *
 *   work and filtered rates of all at each decision, what messages and rows cost
 *        -> lambda and mu (arrivals.h) -> runs of the matrix iterative model (rows_search.h)
 *        -> what policies have taken, beside what they were forecast to take -> the quickest
 *        -> decide.h decides by it
 *
 * Where work comes and goes by itself, all policies and parameters compete. Where it does not, the
 * present shares are levelled once, and rate, tree, diffusion and redistribution compete as they
 * are.
 *
 * Pure. All workers that are told the same choose the same. */
#ifndef SCHEDULES_FORECAST_ROWS_SELECTION_H
#define SCHEDULES_FORECAST_ROWS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/balance/decide.h"
#include "schedules/forecast/rows_search.h"
#include "schedules/model/iterative/arrivals.h"

/* What is known at a decision. What is not > 0, or no number, counts as 0. */
struct keel_rows_outlook {
    uint32_t workers;   /* P >= 1 */
    const double *work; /* that each has in a phase, any unit */
    const double *rate; /* work per s; 0: not known */
    uint64_t rows;      /* of all workers */
    bool adjacent;      /* rows stay in blocks */
    double step_s;      /* the shortest time from one decision to the next */
    double horizon_s;   /* how long rates will last, or the job; INFINITY: not known */
    double message_s;   /* what a message takes */
    double row_s;       /* what a row in it adds */
    double decision_s;  /* what an exchange of figures takes */
    double gain;        /* the least part of the time that is worth a movement (S11) */
    uint64_t seed;      /* of random */

    /* Since the decision before; 0 at the first one. */
    double time_s;     /* that has passed */
    double phase_s;    /* of a phase on average, without movements */
    double phases;     /* how many there were */
    double movement_s; /* what a movement took; 0: there was none */
};

/* What is chosen. */
struct keel_rows_choice {
    struct keel_rows_rule rule;
    bool arrives;                        /* work comes and goes: the forecast has weighed costs */
    double time_s[KEEL_ROWS_CANDIDATES]; /* how long the steps ahead take under each at its best,
                                            corrected by what was measured; 0: not asked */
    double rule_s;                       /* the same under the rule; 0 unless work arrives */
    double flow;                         /* work that comes somewhere, per s, of all work */
    double misjudged;                    /* by which part the rule followed so far has taken longer
                                            than the model said, lately; < 0: shorter */
    unsigned runs;                       /* of the model */
};

/* What a choice comes to, for reports and traces; all words of 64 bits. */
struct keel_rows_chosen {
    uint64_t arrives; /* 1: all policies competed, and the rule is followed */
    struct keel_rows_rule rule;
    double time_s, rate_s,
        stay_s;             /* forecasts for the steps ahead: of the rule, of rate at its best
                                      and of rows that stay; corrected */
    double flow, misjudged; /* as in struct keel_rows_choice */
};

struct keel_rows_chosen keel_rows_chosen_of(const struct keel_rows_choice *choice);

/* Another policy has to save this part of the time, and other parameters half of it. */
#define KEEL_ROWS_SELECTION_BETTER 0.02

/* The model looks no further ahead than so many decisions. Of more than 47 workers it looks less
 * far: KEEL_ROWS_SEARCH_RUNS runs then take so many steps times workers, 1 to 3 ms. Four steps are
 * the least. */
#define KEEL_ROWS_SELECTION_STEPS 32
#define KEEL_ROWS_SELECTION_WORK (1 << 16)

/* The state; written by the functions below only. */
struct keel_rows_selection;

/* Bytes that the state of `workers` >= 1 takes. */
size_t keel_rows_selection_size(uint32_t workers);

/* Nothing known. */
void keel_rows_selection_begin(struct keel_rows_selection *selection, uint32_t workers);

/* Chooses for the decision that is made now. The first candidate as it is, and no times (0), where
 * no rate is known; or where no work comes and goes and sharing by rates would gain less than
 * outlook->gain. scratch: room for keel_rows_selection_scratch(P) bytes, aligned as of malloc.
 * O(P log P) for each step of each run. */
struct keel_rows_choice keel_rows_selection_choose(struct keel_rows_selection *selection,
                                                   const struct keel_rows_outlook *outlook,
                                                   void *scratch);

/* What was decided: the work that each is to have; P values. */
void keel_rows_selection_decided(struct keel_rows_selection *selection, bool moves,
                                 const double *work);

/* Work and rates count in new units: what counted 1 for worker w counts factor[w] from now on, > 0
 * and finite; P values. No work has come or gone by that. */
void keel_rows_selection_scale(struct keel_rows_selection *selection, const double *factor);

const struct keel_arrivals *
keel_rows_selection_arrivals(const struct keel_rows_selection *selection);

size_t keel_rows_selection_scratch(uint32_t workers);

/* The rule as a person writes it: "diffusion:w=1.2,every=2". */
#define KEEL_ROWS_RULE_TEXT 64
void keel_rows_rule_text(const struct keel_rows_rule *rule, char text[KEEL_ROWS_RULE_TEXT]);

#endif
