/* Self-scheduling by a master that hands out whole tasks: when it is saturated, and a simulation
 * (self-scheduling, PAPERS.md K6).
 *
 *   tasks, message costs, throughputs -> [formula] -> what limits the job: master or workers
 *   the same, cost of each task       -> [simulation] -> finish times
 *
 * Pure. Times, throughputs and numbers of tasks that are not > 0 and finite count as 0. */
#ifndef SCHEDULES_MODEL_MIGRATION_MASTER_H
#define SCHEDULES_MODEL_MIGRATION_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_migration_master {
    double tasks;        /* all of them */
    double service_s;    /* master's time for a task, beside messages */
    double alpha_s;      /* what each message keeps its sender or receiver from doing else */
    double beta_s;       /* and each byte of it */
    double latency_s;    /* on its way; keeps nobody from anything */
    double task_bytes;   /* to the worker */
    double result_bytes; /* from the worker, with the request for the next one */
    bool computes;       /* worker 0 is the master, and answers between two of its tasks, which it
                            takes without messages; else the master is nobody of the workers.
                            In simulations only */
};

struct keel_migration_saturation {
    double master_s;  /* what the master is busy for: tasks * (service + 2 alpha + beta bytes) */
    double workers_s; /* what the workers need if never kept waiting:
                         tasks / sum of 1 / (1 / throughput + service + 2 alpha + beta bytes
                                             + 2 latency) */
    double time_s;    /* the larger one */
    double workers;   /* such workers, on average, that keep the master busy all the time; INFINITY:
                         it is never busy */
};

/* throughput: of each worker, tasks per s. No tasks: no time. */
struct keel_migration_saturation
keel_migration_master_saturate(const struct keel_migration_master *master, uint32_t workers,
                               const double *throughput);

/* Simulates it: whole tasks of different cost (work of each, in the order in which they are
 * given out; throughput in work per s). Requests wait for the master in the order in which they
 * come. master->tasks is not used. Writes when each worker has done its last task (0: it had none)
 * to finish_s, P values, and returns the latest; INFINITY: nobody computes anything. scratch: room
 * for keel_migration_master_scratch(P) bytes, aligned as of malloc. O(count log P). */
double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, void *scratch);

size_t keel_migration_master_scratch(uint32_t workers);

#endif
