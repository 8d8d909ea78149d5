/* What demand-driven migration and self-scheduling cost: formulas (PAPERS.md K5, K6, K9).
 *
 *   throughputs, tasks, message costs -> [formulas] -> overheads, numbers of migrations
 *
 * The same simulated: simulate.h, and by a master: master.h. Pure. p workers have N tasks each.
 * Throughputs are in tasks per s, or in any unit of work per s; those that are not > 0 and finite
 * count as 0, as do numbers of tasks and times. */
#ifndef SCHEDULES_MODEL_MIGRATION_MIGRATION_H
#define SCHEDULES_MODEL_MIGRATION_MIGRATION_H

#include <stdint.h>

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

#endif
