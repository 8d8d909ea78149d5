/* A simulation of demand-driven migration between partners (PAPERS.md K4, K7, K8).
 *
 *   throughputs, tasks, message costs, links between workers -> [simulation] -> each migration,
 *                                                                               finish times
 *
 * Whom to ask comes from the caller (migration.h), how many whole tasks to hand over from
 * schedules/balance/amounts.h. Pure. Throughputs are in tasks per s, or in any unit of work per s.
 * Numbers are >= 0 and finite. */
#ifndef SCHEDULES_MODEL_MIGRATION_SIMULATE_H
#define SCHEDULES_MODEL_MIGRATION_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An idle worker asks its partners in the order of links. */
struct keel_migration_link {
    uint32_t asker, partner; /* different workers */
    double gamma; /* part of what the partner has left, as of keel_amounts_to_transfer(); 0:
                                by throughput: so that both end at the same time */
};

/* Tasks are fluid: a worker's `tasks` can be divided anywhere, and requests are answered at once.
 * Or they are whole (cost != NULL): a worker answers when it has begun its next one, and hands on
 * the next ones of its queue; what it computes stays.
 *
 * Who has asked all its partners in vain waits, and gets its part when one of them gets tasks.
 *
 * K6 counts log2 N movements on a link. Here each movement across a link starts others on those
 * below it, which end where amounts get smaller than `least`: with a task for that there
 * are fewer than K6's for hundreds of tasks a worker, and with many thousands there are more. */
struct keel_migration_simulation {
    uint32_t workers;         /* P >= 1 */
    const double *throughput; /* of each; a worker with 0 does nothing, and asks nobody */

    const double *tasks; /* fluid: of each worker at the beginning */
    double least;        /* fluid: smaller amounts are not handed over; 0: 1e-9 of all tasks */

    const double *cost;    /* whole: work of each task; NULL: fluid */
    uint32_t count;        /* whole: how many */
    const uint32_t *owner; /* whole: who has each at first, 0 .. P - 1; NULL: round-robin */

    const struct keel_migration_link *link;
    uint32_t links;

    double request_s; /* until a request is with the partner; an answer without tasks takes none */
    double alpha_s;   /* until tasks are with the asker ... */
    double beta_s;    /* ... and for each of them */
};

/* No simulation goes on for more events than this (gamma of 1 can hand tasks to and fro for
 * ever). */
#define KEEL_MIGRATION_EVENTS_MAX 10000000

struct keel_migration_move {
    double time_s; /* when the partner handed them over */
    uint32_t from, to;
    double tasks;
};

struct keel_migration_result {
    double finish_s;   /* when the last task was done; INFINITY: some never are */
    double ideal_s;    /* all work over all throughput */
    uint64_t moves;    /* migrations in all */
    uint64_t requests; /* sent */
    double tasks;      /* migrated, those that moved twice counted twice */
    bool complete;     /* false: the events were too many; the rest is as of then */
};

/* Bytes of room that keel_migration_simulate() takes, aligned as of malloc. */
size_t keel_migration_simulate_scratch(const struct keel_migration_simulation *simulation);

/* Runs the simulation. move: room for the first `capacity` migrations, in the order of time;
 * finish_s: room for P values, when each worker had done its last task (0: it had none), or NULL.
 * The same arguments give the same result. O((tasks + requests) P). */
struct keel_migration_result
keel_migration_simulate(const struct keel_migration_simulation *simulation,
                        struct keel_migration_move *move, size_t capacity, double *finish_s,
                        void *scratch);

#endif
