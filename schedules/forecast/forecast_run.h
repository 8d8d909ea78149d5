/* One run of a forecast: an event simulation whose events are the claims of a team's threads, by
 * the code that threads run.
 *
 *   spec, workload, costs of claims -> [chunk by chunk] -> clocks of the threads -> predict.h
 *
 * What is not simulated, predict.h estimates. Pure; any thread. */
#ifndef SCHEDULES_FORECAST_FORECAST_RUN_H
#define SCHEDULES_FORECAST_FORECAST_RUN_H

#include "schedules/claim/claim.h"
#include "schedules/claim/team.h"
#include "schedules/forecast/estimate.h"
#include "schedules/forecast/workload.h"
#include "schedules/learn/learner.h"

/* A thread of a weighted schedule. */
struct keel_forecast_weighted {
    struct keel_learner learner;
    double weight;
};

/* Runs of one forecast. P: threads. Written by the functions below only. */
struct keel_forecast_run {
    /* the same in all runs */
    struct keel_spec spec;
    const struct keel_workload *workload;
    uint64_t iterations, threads;
    double deviation_ns, wobble, speed_sum;
    double claim_ns; /* time to get a chunk */
    double start_ns; /* time to begin the instance, on each thread */
    struct keel_workload_costs costs;
    struct keel_plan plan; /* without a table: one walk serves the whole team, as steps, and
                              positions, are claimed in increasing order */
    uint64_t smallest;     /* chunk, iterations */

    /* in the caller's memory */
    struct keel_forecast_worker *worker;     /* P; [0, running) is a heap by clock */
    struct keel_forecast_weighted *weighted; /* weighted: P */
    struct keel_team *team;                  /* sized, blocks */
    struct keel_team_worker *team_worker;    /* P */
    uint64_t *first;                         /* learned blocks: P + 1 */

    /* of the present run */
    unsigned number;  /* of chance.h */
    uint64_t running; /* threads that still ask for chunks */
    struct keel_claims claims;
    struct keel_cursor cursor;
    struct keel_speeds speeds;
    uint64_t chunks;
    uint64_t claimed;    /* iterations */
    uint64_t last_chunk; /* iterations */
    double work_ns;      /* of the claimed iterations on an average thread, without random part */
    double random_ns;    /* random part of that; > 0: longer */
    double end_ns;       /* of what was not simulated */
};

/* Sets what is the same in all runs. spec: parameters complete, of a schedule that wants no list of
 * costs; N and P >= 1. */
void keel_forecast_run_begin(struct keel_forecast_run *run, const struct keel_spec *spec,
                             const struct keel_workload *workload, double claim_ns,
                             double start_ns);

/* Divides memory, aligned to 64, among the arrays. NULL: counts only. Returns how many bytes they
 * take. */
size_t keel_forecast_run_lay_out(struct keel_forecast_run *run, void *memory, uint64_t threads);

/* Whether steps belong to threads beforehand. */
bool keel_forecast_run_is_dealt(const struct keel_forecast_run *run);

/* Simulates run `number` (chance.h), `most` chunks of it. */
void keel_forecast_run_walk(struct keel_forecast_run *run, unsigned number, uint64_t most);

#endif
