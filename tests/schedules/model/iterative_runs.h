/* Runs of the matrix iterative model for its tests. Comes after <cmocka.h>. */
#ifndef TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H
#define TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/decide.h"
#include "schedules/model/iterative/dynamics.h"
#include "schedules/model/iterative/iterative.h"

#define WORKERS_MAX 20
#define POLICIES 6

static inline struct keel_iterative_rule rule_of(const char *name, enum keel_graph graph,
                                                 double threshold)
{
    const struct keel_iterative_policy *policy = keel_iterative_policies_find(name);

    assert_non_null(policy);
    return (struct keel_iterative_rule){.policy = policy, .graph = graph, .threshold = threshold};
}

static inline struct keel_iterative_result
run(const struct keel_iterative *iterative, const struct keel_iterative_rule *rule, uint64_t *last)
{
    void *scratch = malloc(keel_iterative_scratch(iterative->workers, rule));
    struct keel_iterative_result result = keel_iterative_run(iterative, rule, last, scratch);

    free(scratch);
    return result;
}

/* Every policy once, with the gain of decide.h. */
static inline void run_all(const struct keel_iterative *iterative, enum keel_graph graph,
                           double decision_s, struct keel_iterative_result *result)
{
    assert_int_equal(keel_iterative_policies_count, POLICIES);
    for (size_t i = 0; i < POLICIES; i++) {
        const struct keel_iterative_rule rule = {.policy = &keel_iterative_policies[i],
                                                 .graph = graph,
                                                 .gain = KEEL_DECIDE_GAIN,
                                                 .decision_s = decision_s};
        result[i] = run(iterative, &rule, NULL);
    }
}

/* What was recorded: steps x P values each, a step after the other. Nothing happens after the last
 * step. */
struct recorded {
    uint64_t steps;
    const uint64_t *arriving, *leaving; /* NULL: none */
};

static inline void replay(const void *recorded, uint32_t workers, uint64_t step,
                          const uint64_t *tasks, uint64_t *arriving, uint64_t *leaving)
{
    const struct recorded *record = recorded;
    size_t bytes = workers * sizeof(uint64_t);

    (void)tasks;
    if (step < record->steps && record->arriving != NULL) {
        memcpy(arriving, record->arriving + step * workers, bytes);
    }
    if (step < record->steps && record->leaving != NULL) {
        memcpy(leaving, record->leaving + step * workers, bytes);
    }
}

#endif
