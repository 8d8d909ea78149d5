/* The best of several rules for an iterative job, and lists of such candidates.
 *
 *   job, candidates -> iterative.h for each -> [choice] -> the one that takes least time
 *
 * Feeds `keel model optimise` and the choice of `auto` for rows. Pure; any thread. */
#ifndef SCHEDULES_MODEL_ITERATIVE_CHOICE_H
#define SCHEDULES_MODEL_ITERATIVE_CHOICE_H

#include "schedules/model/iterative/iterative.h"

/* Runs `rules` >= 1 candidates, writes a forecast for each, and returns the first of those that
 * take least time. scratch: what the candidate that takes most needs. */
size_t keel_iterative_choice(const struct keel_iterative *iterative,
                             const struct keel_iterative_rule *rule, size_t rules,
                             struct keel_iterative_result *result, void *scratch);

/* The candidates of `auto`: every policy once, in the order above, with the paper's best parameters
 * (F8), and KEEL_DECIDE_GAIN (decide.h) as the least gain of rate and tree. Writes the first
 * `capacity`, returns how many there are. */
size_t keel_iterative_choice_auto(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity);

/* The candidates of `keel model optimise`: every policy with w* = 1.0, 1.1 .. 1.5 (F9), alpha =
 * 0.1, 0.2 .. 1.0 and gain = 0, 0.05, 0.1, as far as it has them. Likewise. */
size_t keel_iterative_choice_grid(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity);

#endif
