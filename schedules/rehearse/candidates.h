/* The candidates: ways to balance that are rehearsed beside each other.
 *
 *   rows that a candidate has, estimates of rates (estimates.h), costs of movements (profit.h)
 *        -> [the candidate's rule] -> rows that it has next, and what moving to them costs
 *
 * The published methods are among them to the letter. The others weigh costs against savings, by
 * different estimates: those that fall at once and rise slowly suit loads that come back before
 * moving for them would pay. Pure; O(P log P). */
#ifndef SCHEDULES_REHEARSE_CANDIDATES_H
#define SCHEDULES_REHEARSE_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/balance/profit.h"
#include "schedules/balance/proposal.h"
#include "schedules/learn/reason.h"
#include "schedules/rehearse/estimates.h"

/* When a candidate moves to the shares that it wants. */
enum keel_candidate_rule {
    KEEL_CANDIDATE_STAYS,     /* never */
    KEEL_CANDIDATE_PUBLISHED, /* over a threshold, and unless it costs greatly more than it saves
                                 (S11, S12) */
    KEEL_CANDIDATE_MOVES,     /* whatever it costs */
    KEEL_CANDIDATE_WEIGHS     /* over a threshold, and where it pays while rates stay */
};

/* How long rates stay, for those that weigh. */
enum keel_candidate_outlook {
    KEEL_CANDIDATE_LASTING, /* as long as such rates have lasted before */
    KEEL_CANDIDATE_DOUBLED, /* estimates that follow slowly: as long as the job has run */
    KEEL_CANDIDATE_PAUSE    /* foreseen ones: as long as rates last between two changes */
};

struct keel_candidate {
    const char *name;
    const char *summary;
    enum keel_candidate_rule rule;
    enum keel_decide_kind kind; /* of shares */
    enum keel_estimate estimate;
    double threshold; /* the least part of the time that a movement has to save */
    enum keel_candidate_outlook outlook;
};

/* Places in the table that are referred to. */
enum {
    KEEL_CANDIDATE_STAY,
    KEEL_CANDIDATE_PAPER,
    KEEL_CANDIDATE_AT_ONCE,
    KEEL_CANDIDATE_TREE,
    KEEL_CANDIDATE_DIFFUSION,
    KEEL_CANDIDATE_STEADY, /* followed before anything is known */
    KEEL_CANDIDATE_FORESEEN = 13,
    KEEL_CANDIDATES
};

extern const struct keel_candidate keel_candidates[KEEL_CANDIDATES];

/* What all candidates are told at a decision. */
struct keel_candidates_scene {
    const struct keel_decide_situation *situation;
    const struct keel_profit_cost *cost;
    const double *estimates; /* estimates.h */
    uint32_t workers;
    bool adjacent;
    uint64_t decision; /* its number, from 1 */
    double by_chance;  /* part of the time that rates which scatter as these do seem to gain */
    double elapsed_s;  /* since the job began */
    double lasting_s;  /* how long the last rates are likely to stay */
    double stable_s;   /* the same as the paper has it (keel_profit_changes_stable) */
};

/* Room for a candidate's decision: P values each, and keel_proposal_scratch(P) bytes. */
struct keel_candidates_room {
    struct keel_decide_report *report;
    double *wanted_work;
    void *scratch;
};

/* A candidate's decision. Without shares that are better, all is 0 but the reason. */
struct keel_candidates_step {
    bool moves;
    struct keel_reason reason;
    double gain;             /* part of a phase's time that moving saves, by its estimate */
    double cost_s, saving_s; /* of the movement that it considers */
    double messages, bytes;
};

/* Decides for a candidate that has `rows`, and so much work. wanted: P values, gets the rows that
 * it has next, the same where it does not move. */
struct keel_candidates_step keel_candidates_decide(const struct keel_candidates_scene *scene,
                                                   unsigned candidate, const uint64_t *rows,
                                                   const double *work, uint64_t *wanted,
                                                   const struct keel_candidates_room *room);

#endif
