/* Costs of migration: formulas. */
#include "schedules/model/migration/migration.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- sound arguments --- */

static double part(double value)
{
    return fmin(1, value > 0 ? value : 0);
}

/* Of amounts that may overflow. */
static double times(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

/* --- formulas --- */

/* log2 N, 0 for less than two tasks. */
static double halvings(double tasks)
{
    return tasks > 1 && isfinite(tasks) ? log2(tasks) : 0;
}

static double all_tasks(uint32_t workers, double tasks)
{
    return workers * finite_amount(tasks);
}

double keel_migration_tasks(double slower, double faster, double tasks)
{
    double a = finite_amount(slower), b = finite_amount(faster), most = fmax(a, b);

    return most > 0 ? fabs(b / most - a / most) / (a / most + b / most) * finite_amount(tasks) : 0;
}

double keel_migration_movements(double slower, double faster, double tasks)
{
    double a = finite_amount(slower), b = finite_amount(faster), most = fmax(a, b);

    /* each leaves so much of the one before: (1 - r) / 2 */
    return most > 0 ? halvings(tasks) / (1 - log2(1 - fmin(a, b) / most)) : 0;
}

static struct keel_migration_overhead overhead(double messages, double tasks, double alpha_s,
                                               double beta_s)
{
    double time_s = times(messages, finite_amount(alpha_s)) + times(tasks, finite_amount(beta_s));

    return (struct keel_migration_overhead){messages, tasks, time_s};
}

struct keel_migration_overhead keel_migration_self_scheduling(uint32_t workers, double tasks,
                                                              double alpha_s, double beta_s)
{
    double all = all_tasks(workers, tasks);

    return overhead(all, all, alpha_s, beta_s);
}

/* The cost of messages: PAPERS.md K6 */
struct keel_migration_overhead keel_migration_tree_average(uint32_t workers, double tasks,
                                                           double ratio, double balance,
                                                           double alpha_s, double beta_s)
{
    double links = workers > 0 ? workers - 1.0 : 0;
    double messages = links / (1 - log2(part(ratio))) * halvings(tasks);

    return overhead(messages, times(part(balance) * links, finite_amount(tasks)), alpha_s, beta_s);
}

struct keel_migration_overhead keel_migration_tree_worst(uint32_t workers, double tasks,
                                                         double alpha_s, double beta_s)
{
    double hops = workers * fmax(0, workers - 1.0) / 2;

    return overhead(hops * halvings(tasks), times(hops, finite_amount(tasks)), alpha_s, beta_s);
}

/* --- equal shares --- */

static double quotient(double tasks, double throughput)
{
    return tasks > 0 ? tasks / throughput : 0;
}

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added)
{
    double slowest = workers > 0 ? INFINITY : 0, n = workers;

    for (uint32_t w = 0; w < workers; w++) {
        slowest = fmin(slowest, finite_amount(throughput[w]));
    }
    double share = finite_amount(tasks) / n, less = finite_amount(tasks) / (n + 1);
    double all_slowest = workers > 0 ? fmin(slowest, finite_amount(added)) : finite_amount(added);
    return (struct keel_migration_anomaly){
        .without_s = quotient(share, slowest),
        .with_s = quotient(less, all_slowest),
        .limit = n / (n + 1) * slowest,
    };
}
