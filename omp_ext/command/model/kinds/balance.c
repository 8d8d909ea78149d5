/* The matrix iterative model for `keel model`: schedules/model/iterative/iterative.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/models.h"
#include "omp_ext/command/model/kinds/speeds.h"
#include "schedules/model/iterative/choice.h"
#include "schedules/model/iterative/dynamics.h"
#include "schedules/model/iterative/iterative.h"

#define WORKERS_MAX 4096
#define WORK_MAX 1e9 /* workers * steps of a run, the square of workers where all are neighbours */
#define TASKS_MAX 1e15

enum {
    WORKERS,
    SPEEDS,
    TASKS,
    BEGIN,
    TASK,
    STEPS,
    LEAVING,
    POLICY,
    THRESHOLD,
    ALPHA,
    GAIN,
    GRAPH,
    ADJACENT,
    BYTES,
    PACK,
    STARTUP,
    PER_BYTE,
    DECISION,
    ACTIVATION,
    EXCHANGE,
    SEED,
    PARAMETERS
};

enum { EVEN, LINEAR, FIRST, BY_SPEED, TRACED };

static const char *policy_word(unsigned place)
{
    return place < keel_iterative_policies_count ? keel_iterative_policies[place].name : NULL;
}

static const char *graph_word(unsigned place)
{
    static const char *const words[] = {"ring", "mesh", "all"}; /* as enum keel_graph */

    return place <= KEEL_GRAPH_ALL ? words[place] : NULL;
}

static const char *begin_word(unsigned place)
{
    static const char *const words[] = {"even", "linear", "first", "by-speed", "trace"};

    return place <= TRACED ? words[place] : NULL;
}

static const struct keel_model_parameter parameters[] = {
    [WORKERS] = KEEL_MODEL_A_COUNT("workers", "", 1, WORKERS_MAX, 8, "P", .traced = true),
    [SPEEDS] = KEEL_MODEL_SPEEDS("C of workers; a shorter list is repeated"),
    [TASKS] = KEEL_MODEL_A_COUNT("tasks", "", 0, TASKS_MAX, 1000, "in all", .traced = true),
    [BEGIN] = KEEL_MODEL_A_WORD("begin", begin_word, "linear",
                                "who has them at first: all as many, worker i i parts, the first "
                                "one all, each by its speed",
                                .traced = true),
    [TASK] = KEEL_MODEL_A_REAL("task", "s", 0, 1e9, 1e-3, "a task in one step, at a speed of 1"),
    [STEPS] = KEEL_MODEL_A_COUNT("steps", "", 0, 1e9, 100, "each with balancing at its end",
                                 .traced = true),
    [LEAVING] = KEEL_MODEL_A_REAL("leaving", "", 0, 1, 0,
                                  "part of a worker's tasks that the application moves to "
                                  "neighbours in the graph, each step"),
    [POLICY] =
        KEEL_MODEL_A_WORD("policy", policy_word, "none", "how tasks are balanced", .chosen = true),
    [THRESHOLD] =
        KEEL_MODEL_A_REAL("threshold", "", 0, 100, 0,
                          "w* over the ideal share; 0: best in the paper", .chosen = true),
    [ALPHA] = KEEL_MODEL_A_REAL("alpha", "", 0, 1, 0,
                                "part of what is beyond w* that is sent; 0: best in the paper",
                                .chosen = true),
    [GAIN] =
        KEEL_MODEL_A_REAL("gain", "", 0, 1, 0,
                          "least part of a step's time that balancing has to save", .chosen = true),
    [GRAPH] = KEEL_MODEL_A_WORD("graph", graph_word, "ring", "who are neighbours"),
    [ADJACENT] = KEEL_MODEL_A_WORD("adjacent", keel_models_no_yes, "no",
                                   "tasks lie in a line, and pass through all workers between"),
    [BYTES] = KEEL_MODEL_A_REAL("bytes", "B", 0, 1e12, 1000, "of a task that moves"),
    [PACK] = KEEL_MODEL_A_COST("pack", KEEL_MACHINE_PACK_ROW, "a task, or to unpack it"),
    [STARTUP] = KEEL_MODEL_A_COST("startup", KEEL_MACHINE_MESSAGE_STARTUP, "an empty message"),
    [PER_BYTE] =
        KEEL_MODEL_A_COST("per-byte", KEEL_MACHINE_MESSAGE_BYTE, "what each byte adds to it"),
    [DECISION] =
        KEEL_MODEL_A_COST("decision", KEEL_MACHINE_INTERACTION,
                          "workers tell each other, each step, under all policies but none"),
    [ACTIVATION] = KEEL_MODEL_A_REAL("activation", "s", 0, 1e3, 0,
                                     "each worker, in steps in which tasks move"),
    [EXCHANGE] = KEEL_MODEL_A_REAL("exchange", "s", 0, 1e9, 0,
                                   "the application's own communication, each step"),
    [SEED] = KEEL_MODEL_A_COUNT("seed", "", 0, 1e15, 1, "of chance"),
    [PARAMETERS] = {0},
};

enum {
    TIME,
    IDEAL,
    EFFICIENCY,
    APPLICATION,
    BALANCING,
    SPEED_UP,
    IDEAL_SPEED_UP,
    LIMIT,
    IMBALANCE,
    MOVED,
    TRANSFERS,
    ACTIVATIONS,
    RESULTS
};

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "of all steps (F6)"},
    [IDEAL] = {.name = "ideal", .unit = "s", .text = "all tasks by all speeds, without any cost"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "ideal over time"},
    [APPLICATION] = {.name = "application", .unit = "s", .text = "time without that of balancing"},
    [BALANCING] = {.name = "balancing", .unit = "s", .text = "the rest"},
    [SPEED_UP] = {.name = "speed-up", .unit = "", .text = "against the first worker alone"},
    [IDEAL_SPEED_UP] = {.name = "ideal-speed-up", .unit = "", .text = "the same of the ideal"},
    [LIMIT] = {.name = "limit", .unit = "", .text = "all speeds over the first worker's"},
    [IMBALANCE] = {.name = "imbalance", .unit = "%", .text = "latest worker over the ideal, - 1"},
    [MOVED] = {.name = "moved", .unit = "", .text = "tasks that balancing has moved"},
    [TRANSFERS] = {.name = "transfers", .unit = "", .text = "messages with tasks"},
    [ACTIVATIONS] = {.name = "activations", .unit = "", .text = "steps in which tasks moved"},
    [RESULTS] = {0},
};

/* --- traces: step,worker,tasks --- */

struct recorded {
    uint32_t workers;
    uint64_t *tasks; /* at first; P */
    struct keel_iterative_recorded flows;
};

enum { STEP_FIELD, WORKER_FIELD, TASKS_FIELD, FIELDS };

struct size {
    double steps, workers;
};

static bool read_line(const struct keel_recorded_line *line, double number[FIELDS], char *problem)
{
    if (line->fields != FIELDS) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "line %zu: %u fields, not step,worker,tasks",
                 line->number, line->fields);
        return false;
    }
    return keel_recorded_count(line, STEP_FIELD, 0, 1e9, &number[STEP_FIELD], problem) &&
           keel_recorded_count(line, WORKER_FIELD, 0, WORKERS_MAX - 1, &number[WORKER_FIELD],
                               problem) &&
           keel_recorded_count(line, TASKS_FIELD, 0, TASKS_MAX / WORKERS_MAX, &number[TASKS_FIELD],
                               problem);
}

static bool find_size(const struct keel_recorded *trace, struct size *size, char *problem)
{
    *size = (struct size){0};
    for (size_t i = 0; i < trace->count; i++) {
        double number[FIELDS];
        if (!read_line(&trace->line[i], number, problem)) {
            return false;
        }
        size->steps = fmax(size->steps, number[STEP_FIELD] + 1);
        size->workers = fmax(size->workers, number[WORKER_FIELD] + 1);
    }
    if (size->steps * size->workers != (double)trace->count) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
                 "%zu lines, not one for each of %.0f steps and %.0f workers", trace->count,
                 size->steps, size->workers);
    }
    return size->steps * size->workers == (double)trace->count;
}

/* What came and went between steps: tasks of step k + 1 less those of step k. */
static void take_flows(const uint64_t *tasks, uint64_t steps, uint32_t workers, uint64_t *arriving,
                       uint64_t *leaving)
{
    for (uint64_t i = 0; i + workers < steps * workers; i++) {
        uint64_t before = tasks[i], after = tasks[i + workers];
        arriving[i] = after > before ? after - before : 0;
        leaving[i] = before > after ? before - after : 0;
    }
}

/* Enters each line in its place; `seen` has a place for each, all 0. */
static bool enter(const struct keel_recorded *trace, const struct size *size, uint64_t *tasks,
                  uint64_t *seen, char *problem)
{
    for (size_t i = 0; i < trace->count; i++) {
        double number[FIELDS];
        read_line(&trace->line[i], number, problem);
        size_t place = (size_t)(number[STEP_FIELD] * size->workers + number[WORKER_FIELD]);
        if (seen[place]++ > 0) {
            snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
                     "line %zu: step %.0f of worker %.0f stands there twice", trace->line[i].number,
                     number[STEP_FIELD], number[WORKER_FIELD]);
            return false;
        }
        tasks[place] = (uint64_t)number[TASKS_FIELD];
    }
    return true;
}

/* One block: the record, tasks of all steps, what comes, what goes. NULL, and what is wrong. */
static struct recorded *record(const struct keel_recorded *trace, const struct size *size,
                               char *problem)
{
    size_t cells = trace->count;
    struct recorded *recorded = calloc(1, sizeof *recorded + 3 * cells * sizeof(uint64_t));

    if (recorded == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory");
        return NULL;
    }
    uint64_t *tasks = (uint64_t *)(recorded + 1), *arriving = tasks + cells,
             *leaving = arriving + cells;
    if (!enter(trace, size, tasks, leaving, problem)) {
        free(recorded);
        return NULL;
    }
    memset(leaving, 0, cells * sizeof *leaving);
    take_flows(tasks, (uint64_t)size->steps, (uint32_t)size->workers, arriving, leaving);
    recorded->workers = (uint32_t)size->workers;
    recorded->tasks = tasks;
    recorded->flows = (struct keel_iterative_recorded){
        .steps = (uint64_t)size->steps - 1, .arriving = arriving, .leaving = leaving};
    return recorded;
}

static void set_from_trace(struct keel_model_traced *traced, unsigned parameter, double number,
                           const char *text)
{
    traced->value[parameter] = (struct keel_model_value){.number = number, .text = text};
    traced->taken[parameter] = true;
}

static bool take_trace(const struct keel_recorded *trace, const char *loop,
                       struct keel_model_traced *traced, char *problem)
{
    struct size size;
    double tasks = 0;

    if (loop != NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no loops in it: --loop '%.60s'", loop);
        return false;
    }
    if (!find_size(trace, &size, problem)) {
        return false;
    }
    struct recorded *recorded = record(trace, &size, problem);
    if (recorded == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < recorded->workers; i++) {
        tasks += (double)recorded->tasks[i];
    }
    traced->trace = recorded;
    set_from_trace(traced, WORKERS, size.workers, NULL);
    set_from_trace(traced, STEPS, size.steps, NULL);
    set_from_trace(traced, TASKS, tasks, NULL);
    set_from_trace(traced, BEGIN, TRACED, begin_word(TRACED));
    return true;
}

/* --- the situation --- */

/* Part of all tasks that worker i has at first. */
static double part_of(int begin, const double *speed, uint32_t workers, uint32_t worker)
{
    double p = workers;

    switch (begin) {
    case LINEAR:
        return 2 * (worker + 1.0) / (p * (p + 1));
    case FIRST:
        return worker == 0 ? 1 : 0;
    case BY_SPEED: {
        double sum = 0;
        for (uint32_t i = 0; i < workers; i++) {
            sum += speed[i];
        }
        return speed[worker] / sum;
    }
    default:
        return 1 / p;
    }
}

/* Whole tasks: bounds between workers are rounded, so that their sum stays. */
static void deal(const struct keel_model_value *value, const double *speed, uint64_t *tasks)
{
    uint32_t workers = (uint32_t)value[WORKERS].number;
    double all = value[TASKS].number, before = 0;
    uint64_t dealt = 0;

    for (uint32_t i = 0; i < workers; i++) {
        before += part_of((int)value[BEGIN].number, speed, workers, i);
        uint64_t bound =
            i + 1 == workers ? (uint64_t)all : (uint64_t)fmin(round(before * all), all);
        tasks[i] = bound - dealt;
        dealt = bound;
    }
}

static struct keel_iterative_rule rule_of(const struct keel_model_value *value)
{
    return (struct keel_iterative_rule){
        .policy = &keel_iterative_policies[(int)value[POLICY].number],
        .graph = (enum keel_graph)value[GRAPH].number,
        .threshold = value[THRESHOLD].number,
        .alpha = value[ALPHA].number,
        .gain = value[GAIN].number,
    };
}

static struct keel_iterative_costs costs_of(const struct keel_model_value *value)
{
    return (struct keel_iterative_costs){
        .decision_s = value[DECISION].number,
        .activation_s = value[ACTIVATION].number,
        .message_s = value[STARTUP].number,
        .task_s = value[PACK].number + value[BYTES].number * value[PER_BYTE].number,
        .exchange_s = value[EXCHANGE].number,
    };
}

/* --- evaluating --- */

static void take_results(const struct keel_iterative_result *run, double *result)
{
    result[TIME] = run->time_s;
    result[IDEAL] = run->ideal_s;
    result[EFFICIENCY] = run->time_s > 0 ? run->ideal_s / run->time_s : 1;
    result[APPLICATION] = run->application_s;
    result[BALANCING] = run->balancing_s;
    result[SPEED_UP] = run->speedup;
    result[IDEAL_SPEED_UP] = run->ideal_speedup;
    result[LIMIT] = run->limit;
    result[IMBALANCE] = run->imbalance * 100;
    result[MOVED] = run->tasks_moved;
    result[TRANSFERS] = run->transfers;
    result[ACTIVATIONS] = run->activations;
}

struct memory {
    double *speed;
    uint64_t *tasks;
    void *scratch;
};

static struct keel_iterative iterative_of(const struct keel_model_value *value,
                                          const struct memory *memory)
{
    return (struct keel_iterative){
        .workers = (uint32_t)value[WORKERS].number,
        .power = memory->speed,
        .tasks = memory->tasks,
        .task = value[TASK].number,
        .steps = (uint64_t)value[STEPS].number,
        .seed = (uint64_t)value[SEED].number,
        .adjacent = value[ADJACENT].number == 1,
        .costs = costs_of(value),
    };
}

static void run(const struct keel_model_input *input, const struct keel_iterative_rule *rule,
                const struct memory *memory, double *result)
{
    const struct keel_model_value *value = input->value;
    const struct recorded *recorded = input->trace;
    struct keel_iterative iterative = iterative_of(value, memory);
    struct keel_iterative_leaving leaving = {
        .part = value[LEAVING].number, .graph = rule->graph, .seed = iterative.seed};

    keel_speeds_read(value[SPEEDS].text, memory->speed, iterative.workers);
    if (value[BEGIN].number == TRACED) {
        memcpy(memory->tasks, recorded->tasks, iterative.workers * sizeof *memory->tasks);
        iterative.dynamics =
            (struct keel_iterative_dynamics){keel_iterative_dynamics_replay, &recorded->flows};
    } else {
        deal(value, memory->speed, memory->tasks);
    }
    if (value[BEGIN].number != TRACED && leaving.part > 0) {
        iterative.dynamics =
            (struct keel_iterative_dynamics){keel_iterative_dynamics_leave, &leaving};
    }
    struct keel_iterative_result done = keel_iterative_run(&iterative, rule, NULL, memory->scratch);
    take_results(&done, result);
}

static bool check(const struct keel_model_input *input, char *problem)
{
    const struct keel_model_value *value = input->value;
    const struct recorded *recorded = input->trace;
    double workers = value[WORKERS].number, steps = value[STEPS].number;
    bool dense = (int)value[GRAPH].number == KEEL_GRAPH_ALL;

    if (value[BEGIN].number == TRACED && (recorded == NULL || recorded->workers != workers)) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
                 recorded == NULL ? "begin 'trace' needs --trace"
                                  : "the trace is of %u workers, not of %.0f",
                 recorded == NULL ? 0 : recorded->workers, workers);
        return false;
    }
    if (steps * workers * (dense ? workers : 1) > WORK_MAX) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "%.0f steps of %.0f workers are too many to play",
                 steps, workers);
        return false;
    }
    return true;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    struct keel_iterative_rule rule = rule_of(input->value);
    size_t workers = (size_t)input->value[WORKERS].number;

    if (!check(input, problem)) {
        return false;
    }
    struct memory memory = {
        .speed = malloc(workers * sizeof *memory.speed),
        .tasks = malloc(workers * sizeof *memory.tasks),
        .scratch = malloc(keel_iterative_scratch((uint32_t)workers, &rule)),
    };
    bool good = memory.speed != NULL && memory.tasks != NULL && memory.scratch != NULL;
    if (good) {
        run(input, &rule, &memory, result);
    } else {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory for so many workers");
    }
    free(memory.speed);
    free(memory.tasks);
    free(memory.scratch);
    return good;
}

/* --- optimise --- */

static bool takes(const struct keel_model_value *value, unsigned parameter)
{
    unsigned has = keel_iterative_policies[(int)value[POLICY].number].parameters;
    bool traced = value[BEGIN].number == TRACED;

    switch (parameter) {
    case THRESHOLD:
        return (has & KEEL_ITERATIVE_THRESHOLD) != 0;
    case ALPHA:
        return (has & KEEL_ITERATIVE_ALPHA) != 0;
    case GAIN:
        return (has & KEEL_ITERATIVE_GAIN) != 0;
    case GRAPH:
        return (has & KEEL_ITERATIVE_GRAPH) != 0 || (!traced && value[LEAVING].number > 0);
    case TASKS:
    case LEAVING:
        return !traced;
    default:
        return true;
    }
}

static size_t steps_of(struct keel_model_value *candidate, double low, double step, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        candidate[i].number = low + step * (double)i;
    }
    return count;
}

/* Those of keel_iterative_choice_grid(). */
static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    (void)room; /* 1024 */
    switch (parameter) {
    case THRESHOLD:
        return steps_of(candidate, 1, 0.1, 6);
    case ALPHA:
        return steps_of(candidate, 0.1, 0.1, 10);
    case GAIN:
        return steps_of(candidate, 0, 0.05, 3);
    case BEGIN:
        break;
    default:
        return 0;
    }
    for (unsigned i = 0; i <= TRACED; i++) {
        candidate[i] = (struct keel_model_value){.number = i, .text = begin_word(i)};
    }
    return input->trace != NULL ? TRACED + 1 : TRACED;
}

const struct keel_model keel_model_balance = {
    .name = "balance",
    .summary = "an iterative job whose tasks are balanced after each step",
    .source = "Franklin & Govindan 1995",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .trace = "lines step,worker,tasks of a run without balancing, each step and worker once, "
             "counted from 0",
    .evaluate = evaluate,
    .take_trace = take_trace,
    .takes = takes,
    .candidates = candidates,
};
