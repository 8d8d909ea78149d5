/* What demand-driven migration and self-scheduling cost (PAPERS.md K5, K6, K9), and a simulation
 * of migration between partners (K4, K7, K8).
 *
 *   throughputs, tasks, message costs -> [formulas] -> overheads, numbers of migrations
 *   the same and links between workers -> [simulation] -> each migration, finish times
 *
 * Whom to ask comes from schedules/balance/cluster_tree.h, how many whole tasks to hand over from
 * schedules/balance/amounts.h. Pure. Throughputs are in tasks per s, or in any unit of work per
 * s; those that are not > 0 and finite count as 0, as do numbers of tasks and times. */
#ifndef SCHEDULES_MODEL_MIGRATION_H
#define SCHEDULES_MODEL_MIGRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- formulas: p workers with N tasks each --- */

/* Tasks that move between two workers with N tasks each: the balance ratio (K2) times N. The order
 * does not matter. Both 0: 0. */
double keel_migration_tasks(double slower, double faster, double tasks);

/* In how many movements, if each is half of what the slower has left, until that is one task (K5):
 * log of 1/N to the base (1 - slower/faster) / 2. Alike, or N <= 1: 0. */
double keel_migration_movements(double slower, double faster, double tasks);

/* Messages and tasks that are moved, and the time it takes: alpha and beta of a message with m
 * tasks, which takes alpha + beta m. */
struct keel_migration_overhead {
    double messages, tasks, time_s;
};

/* Self-scheduling: a message per task (K6). */
struct keel_migration_overhead keel_migration_self_scheduling(uint32_t workers, double tasks,
                                                              double alpha_s, double beta_s);

/* The tree, on average (K6). ratio: r_max, the largest slower/faster of all pairs at the lowest
 * level, 0 .. 1; balance: B_max, their largest balance ratio, 0 .. 1.
 *
 * As printed: (p - 1) / (1 - log2 r_max) log2 N messages. By K5 it is 1 - log2(1 - r), for each
 * pair its own r: far fewer for pairs that are nearly alike. The paper's 84.7 (K8) is as printed
 * with r_max = 1; its 692/693 gives 84.5. */
struct keel_migration_overhead keel_migration_tree_average(uint32_t workers, double tasks,
                                                           double ratio, double balance,
                                                           double alpha_s, double beta_s);

/* At worst, one worker being far faster than all others (K6). */
struct keel_migration_overhead keel_migration_tree_worst(uint32_t workers, double tasks,
                                                         double alpha_s, double beta_s);

/* K9: `tasks` in all, in equal shares for n workers, and for these and another one. */
struct keel_migration_anomaly {
    double without_s, with_s; /* INFINITY: a worker's throughput is 0 */
    double limit; /* n / (n + 1) of the slowest: a slower one makes it take longer; in tasks/s */
};

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added);

/* Self-scheduling by a master. */
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
                            Plays only */
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
struct keel_migration_saturation keel_migration_saturate(const struct keel_migration_master *master,
                                                         uint32_t workers,
                                                         const double *throughput);

/* The same, played: whole tasks of different cost (work of each, in the order in which they are
 * given out; throughput in work per s). Requests wait for the master in the order in which they
 * come. master->tasks is not used. Writes when each worker has done its last task (0: it had none)
 * to finish_s, P values, and returns the latest; INFINITY: nobody computes anything. scratch: room
 * for keel_migration_master_scratch(P) bytes, aligned as of malloc. O(count log P). */
double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, void *scratch);

size_t keel_migration_master_scratch(uint32_t workers);

/* --- simulation --- */

/* A worker that runs dry asks its partners in the order of links. */
struct keel_migration_link {
    uint32_t asker, partner; /* different workers */
    double gamma;            /* part of what the partner has left, 0 .. 1; 0: by throughput: so that
                                both end at the same time */
};

/* Tasks are fluid: a worker's `tasks` can be divided anywhere, and requests are answered at once.
 * Or they are whole (cost != NULL): a worker answers when it has begun its next one, and hands on
 * the next ones of its queue; what it computes stays.
 *
 * Who has asked all its partners in vain waits, and gets its part when one of them gets tasks.
 *
 * K6 counts log2 N movements on a link. Here each movement across a link starts others on those
 * below it, which end where amounts get smaller than `least` or `grain`: with a task for that there
 * are fewer than K6's for hundreds of tasks a worker, and with many thousands there are more. */
struct keel_migration_simulation {
    uint32_t workers;         /* P >= 1 */
    const double *throughput; /* of each; a worker with 0 does nothing, and asks nobody */

    const double *tasks; /* fluid: of each worker at the beginning */
    double least;        /* fluid: smaller amounts are not handed over; 0: 1e-9 of all tasks */
    double grain;        /* fluid: multiples of it are; 0: any amounts */

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

/* Bytes of room that keel_migration_simulation() takes, aligned as of malloc. */
size_t keel_migration_scratch(const struct keel_migration_simulation *simulation);

/* Plays it. move: room for the first `capacity` migrations, in the order of time; finish_s: room
 * for P values, when each worker had done its last task (0: it had none), or NULL. The same
 * arguments give the same result. O((tasks + requests) log P). */
struct keel_migration_result
keel_migration_simulation(const struct keel_migration_simulation *simulation,
                          struct keel_migration_move *move, size_t capacity, double *finish_s,
                          void *scratch);

/* Links along the paths of the cluster tree (K3), lower levels first: the faster side asks, and,
 * if both_ways, the slower one, too. Writes P - 1 links, or 2 (P - 1), and returns how many.
 * throughput: > 0 and finite; NULL: all alike. scratch: room for
 * keel_migration_tree_scratch(P) bytes, aligned as of malloc. */
uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, double gamma,
                                   bool both_ways, struct keel_migration_link *link, void *scratch);

size_t keel_migration_tree_scratch(uint32_t workers);

#endif
