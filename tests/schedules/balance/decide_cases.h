/* Runs that are being steered, for tests of decisions. Comes after
 * <cmocka.h>. */
#ifndef TESTS_SCHEDULES_BALANCE_DECIDE_CASES_H
#define TESTS_SCHEDULES_BALANCE_DECIDE_CASES_H

#include <stdlib.h>

#include "schedules/balance/decide.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 12

/* A run that is being steered. */
struct steered {
    uint32_t workers;
    struct keel_decide_state *steering;
    struct keel_decide_rules rules;
    struct keel_decide_situation situation;
    struct keel_decide_report report[WORKERS_MAX];
    uint64_t rows[WORKERS_MAX];
    double work[WORKERS_MAX];
};

static inline struct steered begin(enum keel_decide_kind kind, uint32_t workers,
                                   const uint64_t *rows, const double *rate)
{
    struct steered run = {
        .workers = workers,
        .steering = malloc(keel_decide_size(workers)),
        .rules = {.kind = kind, .graph = KEEL_GRAPH_ALL, .gain = 0.1, .greatly = 1, .seed = 7},
        .situation = {.now_s = 100, .remaining_s = 1000, .row_bytes = 1000},
    };

    keel_decide_begin(run.steering, workers, 0);
    for (uint32_t w = 0; w < workers; w++) {
        run.report[w].rows = rows[w];
        run.report[w].work = (double)rows[w];
        run.report[w].rate = rate[w];
    }
    return run;
}

static inline struct keel_decision decide(struct steered *run)
{
    void *scratch = malloc(keel_decide_scratch(run->workers));
    struct keel_decision decision = keel_decide(run->steering, &run->rules, &run->situation,
                                                run->report, run->rows, run->work, scratch);

    free(scratch);
    return decision;
}

static inline void end(struct steered *run)
{
    free(run->steering);
}

static inline void assert_rows(const struct steered *run, const uint64_t *expected)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        assert_int_equal(run->rows[w], expected[w]);
    }
}

static inline void assert_kept(const struct steered *run)
{
    for (uint32_t w = 0; w < run->workers; w++) {
        assert_int_equal(run->rows[w], run->report[w].rows);
        assert_true(run->work[w] == run->report[w].work);
    }
}

#endif
