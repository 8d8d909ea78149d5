/* Runs of the matrix iterative model, and choices among rules, for its tests. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H
#define TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H

#include <stddef.h>
#include <stdlib.h>

#include "schedules/model/iterative/dynamics.h"
#include "schedules/model/iterative/iterative.h"
#include "tests/schedules/model/iterative_choice.h"

#define WORKERS_MAX 20
#define RULES_MAX 100

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

static inline size_t choose(const struct keel_iterative *iterative,
                            const struct keel_iterative_rule *rule, size_t rules,
                            struct keel_iterative_result *result)
{
    size_t size = 0;

    for (size_t i = 0; i < rules; i++) {
        size_t bytes = keel_iterative_scratch(iterative->workers, &rule[i]);
        size = bytes > size ? bytes : size;
    }
    void *scratch = malloc(size);
    size_t best = keel_iterative_choice(iterative, rule, rules, result, scratch);
    free(scratch);
    return best;
}

#endif
