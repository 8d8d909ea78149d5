/* The cost of demand-driven migration and of self-scheduling by a master (PAPERS.md K3, K4, K6-K9).
 *
 *   throughputs, tasks, message costs -> [formulas] -> numbers of migrations, slow-downs
 *   throughputs -> cluster_tree.h -> [links]
 *   throughputs, tasks, message costs, links -> [simulation] -> each migration, finish times
 *   tasks, message costs, cost of each task -> [simulation] -> finish times under a master
 *
 * Pure. Throughputs are in tasks per s, or in any unit of work per s. Numbers are >= 0 and finite.
 */
#ifndef SCHEDULES_MODEL_MIGRATION_H
#define SCHEDULES_MODEL_MIGRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Average number of messages of the tree, for p workers with N tasks each (K6). ratio: r_max, the
 * largest slower/faster of all pairs at the lowest level, 0 .. 1.
 *
 * As printed: (p - 1) / (1 - log2 r_max) log2 N messages. By K5 it is 1 - log2(1 - r), for each
 * pair its own r: far fewer for pairs that are nearly equal. The paper's 84.7 (K8) is as printed
 * with r_max = 1; its 692/693 gives 84.5. */
double keel_migration_tree_messages(uint32_t workers, double tasks, double ratio);

/* K9: `tasks` in all, in equal shares for n workers, and for n + 1. */
struct keel_migration_anomaly {
    double without_s, with_s; /* INFINITY: a worker's throughput is 0 */
    double limit; /* n / (n + 1) of the slowest, in tasks/s: a slower addition lengthens the job */
};

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added);

/* An idle worker asks its partners in the order of links. */
struct keel_migration_link {
    uint32_t asker, partner; /* different workers */
};

/* Links along the paths of the cluster tree (K3), lower levels first: the faster side asks, and, if
 * both_ways, the slower one, too. Writes P - 1 links, or 2 (P - 1), and returns how many.
 * throughput: > 0; NULL: all equal. scratch: keel_migration_tree_scratch(P) bytes, aligned as by
 * malloc. */
uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, bool both_ways,
                                   struct keel_migration_link *link, void *scratch);

size_t keel_migration_tree_scratch(uint32_t workers);

/* --- demand-driven migration between partners ---
 *
 * The number of whole tasks that are handed over is that of schedules/balance/victim.h. */

/* Tasks are fluid: a worker's `tasks` can be divided anywhere, and requests are answered at once.
 * Or they are whole (cost != NULL): a worker answers when it has begun its next one, and hands on
 * the next ones of its queue; the task that it computes stays.
 *
 * A worker that has asked all its partners without success waits, and gets its part when one of
 * them gets tasks.
 *
 * K6 counts log2 N movements on a link. Here each movement across a link starts others on those
 * below it, which end when amounts get small: fewer than K6's for hundreds of tasks a worker, and
 * more for many thousands. */
struct keel_migration_simulation {
    uint32_t workers;         /* P >= 1 */
    const double *throughput; /* of each, > 0 */

    const double *tasks; /* fluid: of each worker at the beginning */

    const double *cost; /* whole: work of each task, dealt round-robin; NULL: fluid */
    uint32_t count;     /* whole: number of tasks */

    const struct keel_migration_link *link;
    uint32_t links;

    double request_s; /* until a request is with the partner; an answer without tasks takes none */
    double alpha_s;   /* until tasks are with the asker */
};

struct keel_migration_move {
    double time_s; /* when the partner handed them over */
    uint32_t from, to;
    double tasks;
};

struct keel_migration_result {
    double finish_s;   /* when the last task was done */
    double ideal_s;    /* all work over all throughput */
    uint64_t moves;    /* migrations in all */
    uint64_t requests; /* sent */
    double tasks;      /* migrated, those that moved twice counted twice */
};

/* Bytes of memory for keel_migration_simulate(), aligned as by malloc. */
size_t keel_migration_simulate_scratch(const struct keel_migration_simulation *simulation);

/* Runs the simulation. move: room for the first `capacity` migrations, in the order of time;
 * finish_s: room for P values, the end of each worker's last task (0: it had none). The same
 * arguments give the same result. O((tasks + requests) P). */
struct keel_migration_result
keel_migration_simulate(const struct keel_migration_simulation *simulation,
                        struct keel_migration_move *move, size_t capacity, double *finish_s,
                        void *scratch);

/* --- a master --- */

/* Self-scheduling by a master that hands out whole tasks (K6). */
struct keel_migration_master {
    double alpha_s;      /* time of the sender or receiver for each message */
    double beta_s;       /* and for each byte of it */
    double latency_s;    /* on its way; keeps no process busy */
    double task_bytes;   /* to the worker */
    double result_bytes; /* from the worker, with the request for the next one */
};

/* How many workers of this throughput, > 0 tasks per s, keep the master busy all the time; INFINITY
 * if it is never busy. */
double keel_migration_master_workers(const struct keel_migration_master *master, double throughput);

/* Simulates it: whole tasks of different cost (work of each, in the order in which they are given
 * out; throughput in work per s, > 0). Requests wait for the master in the order of their arrival,
 * those that arrive at once in that of workers. Writes the end of each worker's last task (0: it
 * had none) to finish_s, and returns the latest. request_s: room; P values each. O(count P). */
double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, double *request_s);

#endif
