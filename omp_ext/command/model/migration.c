/* Migration on demand and self-scheduling for `keel model`, by schedules/model/migration/. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/model/migration/master.h"
#include "schedules/model/migration/migration.h"
#include "schedules/model/migration/simulate.h"
#include "schedules/model/migration/tree.h"

enum policy { NONE, SELF, TREE };

static const char *const policy_words[] = {"none", "self", "tree"}; /* as enum policy */

struct input {
    struct keel_migration_master master;
    enum policy policy;
    uint32_t workers;
    const char *speeds;
    double tasks, task, gamma, added;
    bool both_ways;
};

static const struct keel_model_parameter parameters[] = {
    COUNT("workers", "", 1, KEEL_MODEL_WORKERS_MAX, 16, workers, "P"),
    TEXT("speeds", keel_model_check_speeds, "1", speeds, "of workers; a shorter list is repeated"),
    REAL("tasks", "", 0, 1e9, 50, tasks, "N, of each worker at first; whole ones move"),
    REAL("task", "s", 1e-9, 1e9, 1, task, "a task at a speed of 1"),
    WORD("policy", policy_words, NONE, policy,
         "tasks stay, come from a master one by one, or move along the cluster tree",
         .chosen = true),
    REAL("gamma", "", 0, 1, 0, gamma,
         "part of what a partner has left that is asked for; 0: by speeds", .chosen = true,
         .tried = "0:0.9:9", .when = "policy=tree"),
    WORD("both-ways", keel_model_no_yes, 1, both_ways, "the slower partner may ask, too"),
    REAL("added", "", 0, 1e6, 1, added, "speed of another worker, for K9"),
    REAL("service", "s", 0, 1e6, 0, master.service_s, "of the master for a task, beside messages"),
    REAL("latency", "s", 0, 1e6, 0, master.latency_s,
         "of a message on its way, beside what keeps its ends busy"),
    REAL("task-bytes", "B", 0, 1e12, 100, master.task_bytes, "of a task that moves"),
    REAL("result-bytes", "B", 0, 1e12, 0, master.result_bytes, "of what goes back to the master"),
    COST("startup", KEEL_MODEL_STARTUP_S, master.alpha_s, "alpha, an empty message"),
    COST("per-byte", KEEL_MODEL_BYTE_S, master.beta_s, "what each byte adds to it"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "until the last task is done, under the policy"},
    {"ideal", "s", "all tasks by all speeds"},
    {"efficiency", "", "ideal over time"},
    {"migrations", "", "of a play along the tree"},
    {"moved", "", "tasks in them"},
    {"average", "", "migrations along the tree, by K6, average"},
    {"worst", "", "at worst"},
    {"self", "", "messages of self-scheduling"},
    {"average-time", "s", "overhead of the tree, by K6"},
    {"worst-time", "s", "at worst"},
    {"self-time", "s", "overhead of self-scheduling, by K6"},
    {"pair-tasks", "", "between slowest and fastest, by K5"},
    {"pair-movements", "", "in how many movements"},
    {"saturation", "", "workers that keep a master busy"},
    {"added-limit", "", "speed below which another worker makes it slower (K9)"},
    {"added-time", "s", "equal shares with the added worker (K9)"},
};

/* By worker; two links each. */
static double throughput[KEEL_MODEL_WORKERS_MAX], owned[KEEL_MODEL_WORKERS_MAX];
static uint32_t chain[KEEL_MODEL_WORKERS_MAX];
static struct keel_tree_join join[KEEL_MODEL_WORKERS_MAX];
static struct keel_migration_link links[2 * KEEL_MODEL_WORKERS_MAX];

static struct keel_migration_simulation simulation_of(const struct input *in)
{
    return (struct keel_migration_simulation){
        .workers = in->workers,
        .throughput = throughput,
        .tasks = owned,
        .least = 1,
        .grain = 1,
        .link = links,
        .links = 2 * in->workers,
        .request_s = in->master.alpha_s + in->master.latency_s,
        .alpha_s = in->master.alpha_s + in->master.latency_s,
        .beta_s = in->master.beta_s * in->master.task_bytes,
    };
}

/* What all steps below take, one after the other. */
static size_t scratch_size(const struct input *in)
{
    struct keel_migration_simulation simulation = simulation_of(in);
    size_t tree = keel_migration_tree_scratch(in->workers), /* > keel_cluster_tree_scratch() */
        run = keel_migration_simulate_scratch(&simulation);

    return tree > run ? tree : run;
}

static struct keel_migration_result play(const struct input *in, void *scratch)
{
    struct keel_migration_simulation simulation = simulation_of(in);

    simulation.links = keel_migration_tree_links(in->workers, throughput, in->gamma, in->both_ways,
                                                 links, scratch);
    return keel_migration_simulate(&simulation, NULL, 0, NULL, scratch);
}

/* K6's average wants r_max and B_max of the pairs at the lowest level; a single worker has none. */
static struct keel_migration_overhead average_of(const struct input *in, void *scratch)
{
    uint32_t joins = keel_cluster_tree_joins(in->workers, throughput, chain, join, scratch);
    double ratio = 0, balance = 0;

    for (uint32_t i = 0; i < joins && join[i].level == 0; i++) {
        double a = throughput[join[i].left], b = throughput[join[i].right];
        ratio = fmax(ratio, fmin(a, b) / fmax(a, b));
        balance = fmax(balance, fabs(a - b) / (a + b));
    }
    return keel_migration_tree_average(in->workers, in->tasks, ratio, balance, in->master.alpha_s,
                                       in->master.beta_s * in->master.task_bytes);
}

static bool predict(struct input *in, double *result, char *problem, void *scratch)
{
    uint32_t workers = in->workers;
    double alpha_s = in->master.alpha_s, beta_s = in->master.beta_s * in->master.task_bytes;
    double slowest = INFINITY, fastest = 0;

    keel_model_speeds(in->speeds, throughput, workers);
    for (uint32_t i = 0; i < workers; i++) {
        throughput[i] /= in->task;
        owned[i] = in->tasks;
        slowest = fmin(slowest, throughput[i]);
        fastest = fmax(fastest, throughput[i]);
    }
    struct keel_migration_result played = play(in, scratch);
    if (!played.complete) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "tasks go to and fro for ever");
        return false;
    }
    in->master.tasks = in->tasks * workers;
    struct keel_migration_saturation saturation =
        keel_migration_master_saturate(&in->master, workers, throughput);
    struct keel_migration_anomaly anomaly =
        keel_migration_anomaly(workers, throughput, in->master.tasks, in->added / in->task);
    struct keel_migration_overhead average = average_of(in, scratch);
    struct keel_migration_overhead worst =
        keel_migration_tree_worst(workers, in->tasks, alpha_s, beta_s);
    struct keel_migration_overhead self =
        keel_migration_self_scheduling(workers, in->tasks, alpha_s, beta_s);
    double time_s = in->policy == NONE   ? anomaly.without_s
                    : in->policy == SELF ? saturation.time_s
                                         : played.finish_s;
    const double all[] = {
        time_s,
        played.ideal_s,
        time_s > 0 ? played.ideal_s / time_s : 1,
        (double)played.moves,
        played.tasks,
        average.messages,
        worst.messages,
        self.messages,
        average.time_s,
        worst.time_s,
        self.time_s,
        keel_migration_tasks(slowest, fastest, in->tasks),
        keel_migration_movements(slowest, fastest, in->tasks),
        saturation.workers,
        anomaly.limit * in->task,
        anomaly.with_s,
    };
    memcpy(result, all, sizeof all);
    return true;
}

static bool evaluate(void *input, double *result, char *problem)
{
    void *scratch = malloc(scratch_size(input));

    if (scratch == NULL) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "no memory for so many workers");
        return false;
    }
    bool good = predict(input, result, problem, scratch);
    free(scratch);
    return good;
}

const struct keel_model keel_model_migration = {
    .name = "migration",
    .summary = "tasks that move on demand between partners, or come from a master",
    .source = "Kim & Purtilo 1996",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
};
