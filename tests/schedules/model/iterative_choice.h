/* For tests of the matrix iterative model: the best of several rules, lists of rules, and changes
 * of tasks that were recorded. */
#ifndef TESTS_SCHEDULES_MODEL_ITERATIVE_CHOICE_H
#define TESTS_SCHEDULES_MODEL_ITERATIVE_CHOICE_H

#include "schedules/model/iterative/iterative.h"

/* Runs `rules` >= 1 candidates, writes a forecast for each, and returns the first of those that
 * take least time. scratch: what the candidate that takes most needs. */
size_t keel_iterative_choice(const struct keel_iterative *iterative,
                             const struct keel_iterative_rule *rule, size_t rules,
                             struct keel_iterative_result *result, void *scratch);

/* Every policy once, in the order above, with the paper's best parameters
 * (F8), and KEEL_DECIDE_GAIN (decide.h) as the least gain of rate and tree. Writes the first
 * `capacity`, returns how many there are. */
size_t keel_iterative_choice_auto(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity);

/* Every policy with w* = 1.0, 1.1 .. 1.5 (F9), alpha =
 * 0.1, 0.2 .. 1.0 and gain = 0, 0.05, 0.1, as far as it has them. Likewise. */
size_t keel_iterative_choice_grid(enum keel_graph graph, struct keel_iterative_rule *rule,
                                  size_t capacity);

/* What was recorded: steps x P values each, a step after the other. Nothing happens after the last
 * step. */
struct keel_iterative_recorded {
    uint64_t steps;
    const uint64_t *arriving, *leaving; /* NULL: none */
};

/* Of the type of struct keel_iterative_dynamics.change. */
void keel_iterative_dynamics_replay(const void *recorded, uint32_t workers, uint64_t step,
                                    const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving);

#endif
