/* Costs of migration and of a master. */
#include "schedules/model/migration/migration.h"

#include <math.h>

#include "schedules/balance/cluster_tree.h"

/* --- formulas --- */

/* The cost of messages: PAPERS.md K6 */
double keel_migration_tree_messages(uint32_t workers, double tasks, double ratio)
{
    return (workers - 1.0) / (1 - log2(ratio)) * (tasks > 1 ? log2(tasks) : 0);
}

struct keel_migration_anomaly keel_migration_anomaly(uint32_t workers, const double *throughput,
                                                     double tasks, double added)
{
    double slowest = INFINITY, n = workers;

    for (uint32_t w = 0; w < workers; w++) {
        slowest = fmin(slowest, throughput[w]);
    }
    return (struct keel_migration_anomaly){
        .without_s = tasks / n / slowest,
        .with_s = tasks / (n + 1) / fmin(slowest, added),
        .limit = n / (n + 1) * slowest,
    };
}

/* --- links --- */

size_t keel_migration_tree_scratch(uint32_t workers)
{
    return keel_cluster_tree_scratch(workers) + workers * sizeof(struct keel_tree_join) +
           workers * sizeof(uint32_t);
}

uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, double gamma,
                                   bool both_ways, struct keel_migration_link *link, void *scratch)
{
    char *room = (char *)scratch + keel_cluster_tree_scratch(workers);
    struct keel_tree_join *join = (void *)room;
    uint32_t *next = (void *)(join + workers);
    uint32_t joins = keel_cluster_tree_joins(workers, throughput, next, join, scratch), links = 0;

    for (uint32_t j = 0; j < joins; j++) {
        link[links++] = (struct keel_migration_link){join[j].right, join[j].left_last, gamma};
        if (both_ways) {
            link[links++] = (struct keel_migration_link){join[j].left_last, join[j].right, gamma};
        }
    }
    return links;
}

/* --- a master --- */

/* What a task and its messages keep a master busy for. */
static double busy_time(const struct keel_migration_master *master)
{
    return 2 * master->alpha_s + master->beta_s * (master->task_bytes + master->result_bytes);
}

double keel_migration_master_workers(const struct keel_migration_master *master, double throughput)
{
    double busy_s = busy_time(master);

    return (1 / throughput + busy_s + 2 * master->latency_s) / busy_s;
}

/* Whose request comes to the master next. */
static uint32_t first_to_come(uint32_t workers, const double *request_s)
{
    uint32_t first = 0;

    for (uint32_t w = 1; w < workers; w++) {
        first = request_s[w] < request_s[first] ? w : first;
    }
    return first;
}

double keel_migration_master_simulate(const struct keel_migration_master *master, uint32_t workers,
                                      const double *throughput, const double *cost, uint32_t count,
                                      double *finish_s, double *request_s)
{
    double free_s = 0, last_s = 0;

    for (uint32_t w = 0; w < workers; w++) {
        request_s[w] = master->computes && w == 0 ? 0 : master->latency_s;
        finish_s[w] = 0;
    }
    for (uint32_t t = 0; t < count; t++) {
        uint32_t w = first_to_come(workers, request_s);
        bool is_master = master->computes && w == 0;
        double latency_s = is_master ? 0 : master->latency_s;
        free_s = fmax(free_s, request_s[w]) + (is_master ? 0 : busy_time(master));
        finish_s[w] = free_s + latency_s + cost[t] / throughput[w];
        request_s[w] = finish_s[w] + latency_s;
        free_s = is_master ? finish_s[w] : free_s;
        last_s = fmax(last_s, finish_s[w]);
    }
    return last_s;
}
