/* Runs of the matrix iterative model for its tests. Comes after <cmocka.h>. */
#ifndef TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H
#define TESTS_SCHEDULES_MODEL_ITERATIVE_RUNS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/decide.h"
#include "schedules/model/iterative.h"
#include "tests/support/unit.h"

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
                           struct keel_iterative_result *result)
{
    assert_int_equal(keel_iterative_policies_count, POLICIES);
    for (size_t i = 0; i < POLICIES; i++) {
        const struct keel_iterative_rule rule = {
            .policy = &keel_iterative_policies[i], .graph = graph, .gain = KEEL_DECIDE_GAIN};
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

/* --- F1 as it stands --- */

/* next = w + M^T A w. M: P x P, row i what worker i sends; A: its diagonal. */
static inline void step_by_matrix(uint32_t workers, const double *w, const double *M,
                                  const double *A, double *next)
{
    for (uint32_t i = 0; i < workers; i++) {
        next[i] = w[i];
        for (uint32_t j = 0; j < workers; j++) {
            next[i] += M[(size_t)j * workers + i] * A[j] * w[j];
        }
    }
}

/* M and A that stand for transfers of `tasks`: M_ij the part of its tasks that i sends to j, M_ii
 * minus their sum; A_i 1 where i sends any, else 0. */
static inline void set_matrix(uint32_t workers, const uint64_t *tasks,
                              const struct keel_transfer *transfer, size_t transfers, double *M,
                              double *A)
{
    memset(M, 0, (size_t)workers * workers * sizeof *M);
    memset(A, 0, workers * sizeof *A);
    for (size_t t = 0; t < transfers; t++) {
        uint32_t from = transfer[t].from;
        double *row = M + (size_t)from * workers;
        double part = (double)transfer[t].tasks / (double)tasks[from];
        A[from] = 1;
        row[transfer[t].to] += part;
        row[from] -= part;
    }
}

#endif
