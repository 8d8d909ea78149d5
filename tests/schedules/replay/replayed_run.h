/* Decisions by replay, one after the other, on rates that a test sets. */
#ifndef TESTS_SCHEDULES_REPLAY_REPLAYED_RUN_H
#define TESTS_SCHEDULES_REPLAY_REPLAYED_RUN_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/replay/replay.h"
#include "tests/support/unit.h"

#define WORKERS_MAX 12

struct run {
    uint32_t workers;
    struct keel_replay *replay;
    struct keel_profit_cost cost;
    struct keel_decide_situation situation;
    struct keel_replay_span span;
    uint64_t has[WORKERS_MAX], rows[WORKERS_MAX];
    double rate[WORKERS_MAX], work[WORKERS_MAX];
    double weight[WORKERS_MAX]; /* of a row there */
    unsigned movements;
};

/* 100 rows each, of 1000 bytes; a byte takes byte_s. A decision every second. */
static inline struct run begin(uint32_t workers, double byte_s)
{
    struct run run = {.workers = workers,
                      .replay = malloc(keel_replay_size(workers)),
                      .situation = {.remaining_s = 1000, .row_bytes = 1000},
                      .span = {.time_s = 1, .phase_s = 0}};

    keel_replay_begin(run.replay, workers, false, 0);
    keel_profit_cost_note(&run.cost, 1, 0, 1e-6);
    keel_profit_cost_note(&run.cost, 1, 1e6, 1e-6 + 1e6 * byte_s);
    for (uint32_t w = 0; w < workers; w++) {
        run.has[w] = 100;
        run.rate[w] = 10;
        run.weight[w] = 1;
    }
    return run;
}

static inline void end(struct run *run)
{
    free(run->replay);
}

/* Decides, and moves rows if that was decided. */
static inline struct keel_replay_decision decide(struct run *run)
{
    struct keel_decide_report report[WORKERS_MAX];
    void *scratch = malloc(keel_replay_scratch(run->workers));

    for (uint32_t w = 0; w < run->workers; w++) {
        double weight = run->weight[w];
        report[w] = (struct keel_decide_report){run->has[w], (double)run->has[w] * weight,
                                                run->rate[w] * weight, run->rate[w] * weight};
    }
    run->situation.now_s += 1;
    run->situation.remaining_s -= 1;
    struct keel_replay_decision made =
        keel_replay_decide(run->replay, &run->cost, &run->situation, &run->span, report, run->rows,
                           run->work, scratch);
    free(scratch);
    if (made.decision.verdict == KEEL_DECISION_MOVE) {
        run->movements++;
        memcpy(run->has, run->rows, sizeof run->has);
    }
    return made;
}

static inline void assert_has(const struct run *run, uint64_t first, uint64_t second)
{
    assert_int_equal(run->has[0], first);
    assert_int_equal(run->has[1], second);
}

#endif
