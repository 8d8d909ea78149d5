/* Migration on demand and self-scheduling for `keel model`, by schedules/model/migration/. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/models.h"
#include "omp_ext/command/model/kinds/speeds.h"
#include "schedules/balance/cluster_tree.h"
#include "schedules/model/migration/master.h"
#include "schedules/model/migration/migration.h"
#include "schedules/model/migration/simulate.h"
#include "schedules/model/migration/tree.h"

#define WORKERS_MAX 4096

enum {
    WORKERS,
    SPEEDS,
    TASKS,
    TASK,
    POLICY,
    GAMMA,
    BOTH_WAYS,
    ADDED,
    SERVICE,
    LATENCY,
    TASK_BYTES,
    RESULT_BYTES,
    STARTUP,
    PER_BYTE,
    PARAMETERS
};

enum { NONE, SELF, TREE };

static const char *policy_word(unsigned place)
{
    static const char *const words[] = {"none", "self", "tree"};

    return place <= TREE ? words[place] : NULL;
}

static const struct keel_model_parameter parameters[] = {
    [WORKERS] = KEEL_MODEL_A_COUNT("workers", "", 1, WORKERS_MAX, 16, "P"),
    [SPEEDS] = KEEL_MODEL_SPEEDS("of workers; a shorter list is repeated"),
    [TASKS] =
        KEEL_MODEL_A_REAL("tasks", "", 0, 1e9, 50, "N, of each worker at first; whole ones move"),
    [TASK] = KEEL_MODEL_A_REAL("task", "s", 1e-9, 1e9, 1, "a task at a speed of 1"),
    [POLICY] = KEEL_MODEL_A_WORD(
        "policy", policy_word, "none",
        "tasks stay, come from a master one by one, or move along the cluster tree",
        .chosen = true),
    [GAMMA] = KEEL_MODEL_A_REAL("gamma", "", 0, 1, 0,
                                "part of what a partner has left that is asked for; 0: by speeds",
                                .chosen = true),
    [BOTH_WAYS] = KEEL_MODEL_A_WORD("both-ways", keel_models_no_yes, "yes",
                                    "the slower partner may ask, too"),
    [ADDED] = KEEL_MODEL_A_REAL("added", "", 0, 1e6, 1, "speed of another worker, for K9"),
    [SERVICE] =
        KEEL_MODEL_A_REAL("service", "s", 0, 1e6, 0, "of the master for a task, beside messages"),
    [LATENCY] = KEEL_MODEL_A_REAL("latency", "s", 0, 1e6, 0,
                                  "of a message on its way, beside what keeps its ends busy"),
    [TASK_BYTES] = KEEL_MODEL_A_REAL("task-bytes", "B", 0, 1e12, 100, "of a task that moves"),
    [RESULT_BYTES] =
        KEEL_MODEL_A_REAL("result-bytes", "B", 0, 1e12, 0, "of what goes back to the master"),
    [STARTUP] =
        KEEL_MODEL_A_COST("startup", KEEL_MACHINE_MESSAGE_STARTUP, "alpha, an empty message"),
    [PER_BYTE] =
        KEEL_MODEL_A_COST("per-byte", KEEL_MACHINE_MESSAGE_BYTE, "what each byte adds to it"),
    [PARAMETERS] = {0},
};

enum {
    TIME,
    IDEAL,
    EFFICIENCY,
    MIGRATIONS,
    MOVED,
    AVERAGE,
    WORST,
    SELF_MESSAGES,
    AVERAGE_TIME,
    WORST_TIME,
    SELF_TIME,
    PAIR_TASKS,
    PAIR_MOVEMENTS,
    SATURATION,
    ADDED_LIMIT,
    ADDED_TIME,
    RESULTS
};

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "until the last task is done, under the policy"},
    [IDEAL] = {.name = "ideal", .unit = "s", .text = "all tasks by all speeds"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "ideal over time"},
    [MIGRATIONS] = {.name = "migrations", .unit = "", .text = "of a play along the tree"},
    [MOVED] = {.name = "moved", .unit = "", .text = "tasks in them"},
    [AVERAGE] = {.name = "average",
                 .unit = "",
                 .text = "migrations along the tree, by K6, average"},
    [WORST] = {.name = "worst", .unit = "", .text = "at worst"},
    [SELF_MESSAGES] = {.name = "self", .unit = "", .text = "messages of self-scheduling"},
    [AVERAGE_TIME] = {.name = "average-time", .unit = "s", .text = "overhead of the tree, by K6"},
    [WORST_TIME] = {.name = "worst-time", .unit = "s", .text = "at worst"},
    [SELF_TIME] = {.name = "self-time", .unit = "s", .text = "overhead of self-scheduling, by K6"},
    [PAIR_TASKS] = {.name = "pair-tasks", .unit = "", .text = "between slowest and fastest, by K5"},
    [PAIR_MOVEMENTS] = {.name = "pair-movements", .unit = "", .text = "in how many movements"},
    [SATURATION] = {.name = "saturation",
                    .unit = "",
                    .text = "workers that keep a master busy",
                    .endless = "never"},
    [ADDED_LIMIT] = {.name = "added-limit",
                     .unit = "",
                     .text = "speed below which another worker makes it slower (K9)"},
    [ADDED_TIME] = {.name = "added-time",
                    .unit = "s",
                    .text = "equal shares with the added worker (K9)",
                    .endless = "never"},
    [RESULTS] = {0},
};

/* --- memory --- */

struct room {
    double *throughput, *tasks;
    uint32_t *next;
    struct keel_tree_join *join;
    struct keel_migration_link *link;
    void *tree, *links, *play;
};

static bool make_room(struct room *room, size_t workers)
{
    struct keel_migration_simulation play = {.workers = (uint32_t)workers,
                                             .links = 2 * (uint32_t)workers};
    *room = (struct room){
        .throughput = calloc(workers, sizeof *room->throughput),
        .tasks = calloc(workers, sizeof *room->tasks),
        .next = calloc(workers, sizeof *room->next),
        .join = calloc(workers, sizeof *room->join),
        .link = calloc(2 * workers, sizeof *room->link),
        .tree = malloc(keel_cluster_tree_scratch((uint32_t)workers)),
        .links = malloc(keel_migration_tree_scratch((uint32_t)workers)),
        .play = malloc(keel_migration_simulate_scratch(&play)),
    };
    return room->throughput != NULL && room->tasks != NULL && room->next != NULL &&
           room->join != NULL && room->link != NULL && room->tree != NULL && room->links != NULL &&
           room->play != NULL;
}

static void give_back(struct room *room)
{
    free(room->throughput);
    free(room->tasks);
    free(room->next);
    free(room->join);
    free(room->link);
    free(room->tree);
    free(room->links);
    free(room->play);
}

/* --- the parts --- */

/* What K6 wants to know of the pairs at the lowest level; a single worker has none. */
struct pairs {
    double ratio, balance; /* r_max, B_max */
};

static struct pairs pairs_of(const struct room *room, uint32_t workers)
{
    struct pairs pairs = {0};
    uint32_t joins =
        keel_cluster_tree_joins(workers, room->throughput, room->next, room->join, room->tree);

    for (uint32_t i = 0; i < joins && room->join[i].level == 0; i++) {
        double a = room->throughput[room->join[i].left], b = room->throughput[room->join[i].right];
        pairs.ratio = fmax(pairs.ratio, fmin(a, b) / fmax(a, b));
        pairs.balance = fmax(pairs.balance, fabs(a - b) / (a + b));
    }
    return pairs;
}

static double beta_s(const struct keel_model_value *value)
{
    return value[PER_BYTE].number * value[TASK_BYTES].number;
}

static void take_formulas(const struct keel_model_value *value, const struct room *room,
                          double *result)
{
    uint32_t workers = (uint32_t)value[WORKERS].number;
    struct pairs pairs = pairs_of(room, workers);
    double tasks = value[TASKS].number, alpha = value[STARTUP].number, beta = beta_s(value);
    double slowest = INFINITY, fastest = 0;

    for (uint32_t i = 0; i < workers; i++) {
        slowest = fmin(slowest, room->throughput[i]);
        fastest = fmax(fastest, room->throughput[i]);
    }
    struct keel_migration_overhead average =
        keel_migration_tree_average(workers, tasks, pairs.ratio, pairs.balance, alpha, beta);
    struct keel_migration_overhead worst = keel_migration_tree_worst(workers, tasks, alpha, beta);
    struct keel_migration_overhead self =
        keel_migration_self_scheduling(workers, tasks, alpha, beta);
    result[AVERAGE] = average.messages;
    result[AVERAGE_TIME] = average.time_s;
    result[WORST] = worst.messages;
    result[WORST_TIME] = worst.time_s;
    result[SELF_MESSAGES] = self.messages;
    result[SELF_TIME] = self.time_s;
    result[PAIR_TASKS] = keel_migration_tasks(slowest, fastest, tasks);
    result[PAIR_MOVEMENTS] = keel_migration_movements(slowest, fastest, tasks);
}

static struct keel_migration_saturation saturation_of(const struct keel_model_value *value,
                                                      const struct room *room)
{
    const struct keel_migration_master master = {
        .tasks = value[TASKS].number * value[WORKERS].number,
        .service_s = value[SERVICE].number,
        .alpha_s = value[STARTUP].number,
        .beta_s = value[PER_BYTE].number,
        .latency_s = value[LATENCY].number,
        .task_bytes = value[TASK_BYTES].number,
        .result_bytes = value[RESULT_BYTES].number,
    };

    return keel_migration_master_saturate(&master, (uint32_t)value[WORKERS].number,
                                          room->throughput);
}

static struct keel_migration_result play_of(const struct keel_model_value *value,
                                            const struct room *room)
{
    uint32_t workers = (uint32_t)value[WORKERS].number;
    struct keel_migration_simulation play = {
        .workers = workers,
        .throughput = room->throughput,
        .tasks = room->tasks,
        .least = 1,
        .grain = 1,
        .link = room->link,
        .links = keel_migration_tree_links(workers, room->throughput, value[GAMMA].number,
                                           value[BOTH_WAYS].number == 1, room->link, room->links),
        .request_s = value[STARTUP].number + value[LATENCY].number,
        .alpha_s = value[STARTUP].number + value[LATENCY].number,
        .beta_s = beta_s(value),
    };

    return keel_migration_simulate(&play, NULL, 0, NULL, room->play);
}

static void take_added(const struct keel_model_value *value, const struct room *room,
                       double *result)
{
    struct keel_migration_anomaly anomaly = keel_migration_anomaly(
        (uint32_t)value[WORKERS].number, room->throughput,
        value[TASKS].number * value[WORKERS].number, value[ADDED].number / value[TASK].number);

    result[ADDED_LIMIT] = anomaly.limit * value[TASK].number;
    result[ADDED_TIME] = anomaly.with_s;
    if (value[POLICY].number == NONE) {
        result[TIME] = anomaly.without_s;
    }
}

static bool take_all(const struct keel_model_value *value, const struct room *room, double *result,
                     char *problem)
{
    struct keel_migration_result play = play_of(value, room);
    struct keel_migration_saturation saturation = saturation_of(value, room);

    if (!play.complete) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "tasks go to and fro for ever");
        return false;
    }
    take_formulas(value, room, result);
    result[TIME] = value[POLICY].number == SELF ? saturation.time_s : play.finish_s;
    take_added(value, room, result);
    result[IDEAL] = play.ideal_s;
    result[EFFICIENCY] = result[TIME] > 0 ? play.ideal_s / result[TIME] : 1;
    result[MIGRATIONS] = (double)play.moves;
    result[MOVED] = play.tasks;
    result[SATURATION] = saturation.workers;
    return true;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    const struct keel_model_value *value = input->value;
    uint32_t workers = (uint32_t)value[WORKERS].number;
    struct room room;
    bool good = make_room(&room, workers);

    if (good) {
        keel_speeds_read(value[SPEEDS].text, room.throughput, workers);
        for (uint32_t i = 0; i < workers; i++) {
            room.throughput[i] /= value[TASK].number;
            room.tasks[i] = value[TASKS].number;
        }
        good = take_all(value, &room, result, problem);
    } else {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory for so many workers");
    }
    give_back(&room);
    return good;
}

/* --- optimise --- */

static bool takes(const struct keel_model_value *value, unsigned parameter)
{
    return parameter != GAMMA || value[POLICY].number == TREE;
}

/* By speeds, then parts; all of it goes to and fro. */
static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    (void)input;
    (void)room; /* 1024 */
    if (parameter != GAMMA) {
        return 0;
    }
    for (int i = 0; i < 10; i++) {
        candidate[i].number = 0.1 * i;
    }
    return 10;
}

const struct keel_model keel_model_migration = {
    .name = "migration",
    .summary = "tasks that move on demand between partners, or come from a master",
    .source = "Kim & Purtilo 1996",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .evaluate = evaluate,
    .takes = takes,
    .candidates = candidates,
};
