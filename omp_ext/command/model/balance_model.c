/* The matrix iterative model for `keel model`: schedules/model/iterative.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/command_parts.h"
#include "schedules/model/iterative.h"

/* workers * steps of a run, the square of workers where all are neighbours */
#define WORK_MAX 1e9

enum begin { EVEN, LINEAR, FIRST, BY_SPEED };

static const char *const begin_words[] = {"even", "linear", "first", "by-speed"};
static const char *const graph_words[] = {"ring", "mesh", "all"}; /* as enum keel_graph */
/* As keel_iterative_policies. */
static const char *const policy_words[] = {"none",           "random", "diffusion",
                                           "redistribution", "rate",   "tree"};

struct input {
    struct keel_iterative job;
    struct keel_iterative_rule rule;
    const char *speeds, *policy;
    double tasks, leaving, bytes, pack_s, byte_s;
    enum begin begin;
};

static const struct keel_model_parameter parameters[] = {
    COUNT("workers", "", 1, KEEL_MODEL_WORKERS_MAX, 8, job.workers, "P"),
    TEXT("speeds", keel_model_check_speeds, "1", speeds,
         "C of workers; a shorter list is repeated"),
    COUNT("tasks", "", 0, 1e15, 1000, tasks, "in all"),
    WORD("begin", begin_words, LINEAR, begin,
         "who has them at first: all as many, worker i i parts, the first one all, each by its "
         "speed"),
    REAL("task", "s", 0, 1e9, 1e-3, job.task, "a task in one step, at a speed of 1"),
    COUNT("steps", "", 0, 1e9, 100, job.steps, "each with balancing at its end"),
    REAL("leaving", "", 0, 1, 0, leaving,
         "part of a worker's tasks that the application moves to neighbours in the graph, each "
         "step"),
    WORD("policy", policy_words, 0, policy, "how tasks are balanced", .chosen = true),
    REAL("threshold", "", 0, 100, 0, rule.threshold,
         "w* over the ideal share; 0: best in the paper", .chosen = true,
         .tried = "1,1.1,1.2,1.3,1.4,1.5", .when = "policy=random diffusion redistribution"),
    REAL("alpha", "", 0, 1, 0, rule.alpha,
         "part of what is beyond w* that is sent; 0: best in the paper", .chosen = true,
         .tried = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", .when = "policy=random"),
    REAL("gain", "", 0, 1, 0, rule.gain, "least part of a step's time that balancing has to save",
         .chosen = true, .tried = "0,0.05,0.1", .when = "policy=rate tree"),
    WORD("graph", graph_words, 0, rule.graph, "who are neighbours"),
    WORD("adjacent", keel_model_no_yes, 0, job.adjacent,
         "tasks lie in a line, and pass through all workers between"),
    REAL("bytes", "B", 0, 1e12, 1000, bytes, "of a task that moves"),
    COST("pack", KEEL_MODEL_PACK_S, pack_s, "a task, or to unpack it"),
    COST("startup", KEEL_MODEL_STARTUP_S, job.costs.message_s, "an empty message"),
    COST("per-byte", KEEL_MODEL_BYTE_S, byte_s, "what each byte adds to it"),
    COST("decision", 1e-4, job.costs.decision_s,
         "workers exchange their load, each step, under all policies but none"),
    REAL("activation", "s", 0, 1e3, 0, job.costs.activation_s,
         "each worker, in steps in which tasks move"),
    REAL("exchange", "s", 0, 1e9, 0, job.costs.exchange_s,
         "the application's own communication, each step"),
    COUNT("seed", "", 0, 1e15, 1, job.seed, "of chance"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "of all steps (F6)"},
    {"ideal", "s", "all tasks by all speeds, without any cost"},
    {"efficiency", "", "ideal over time"},
    {"application", "s", "time without that of balancing"},
    {"balancing", "s", "the rest"},
    {"speed-up", "", "against the first worker alone"},
    {"ideal-speed-up", "", "the same of the ideal"},
    {"limit", "", "all speeds over the first worker's"},
    {"imbalance", "%", "latest worker over the ideal, - 1"},
    {"moved", "", "tasks that balancing has moved"},
    {"transfers", "", "messages with tasks"},
    {"activations", "", "steps in which tasks moved"},
};

/* Part of all tasks that worker i has at first. */
static double part_of(enum begin begin, const double *speed, double speeds, uint32_t workers,
                      uint32_t i)
{
    double p = workers;

    switch (begin) {
    case LINEAR:
        return 2 * (i + 1.0) / (p * (p + 1));
    case FIRST:
        return i == 0 ? 1 : 0;
    case BY_SPEED:
        return speed[i] / speeds;
    case EVEN:
        break;
    }
    return 1 / p;
}

/* Whole tasks: bounds between workers are rounded, so that their sum stays. */
static void deal(const struct input *in, const double *speed, double speeds, uint64_t *tasks)
{
    uint32_t workers = in->job.workers;
    double before = 0;
    uint64_t dealt = 0;

    for (uint32_t i = 0; i < workers; i++) {
        before += part_of(in->begin, speed, speeds, workers, i);
        uint64_t bound = i + 1 == workers ? (uint64_t)in->tasks
                                          : (uint64_t)fmin(round(before * in->tasks), in->tasks);
        tasks[i] = bound - dealt;
        dealt = bound;
    }
}

static void run(const struct input *in, double *result)
{
    void *scratch = keel_command_memory(keel_iterative_scratch(in->job.workers, &in->rule), 1);
    struct keel_iterative_result run = keel_iterative_run(&in->job, &in->rule, NULL, scratch);
    const double all[] = {
        run.time_s,        run.ideal_s,     run.time_s > 0 ? run.ideal_s / run.time_s : 1,
        run.application_s, run.balancing_s, run.speedup,
        run.ideal_speedup, run.limit,       run.imbalance * 100,
        run.tasks_moved,   run.transfers,   run.activations,
    };
    free(scratch);
    memcpy(result, all, sizeof all);
}

static bool evaluate(void *input, double *result, char *problem)
{
    static double speed[KEEL_MODEL_WORKERS_MAX];
    static uint64_t tasks[KEEL_MODEL_WORKERS_MAX];
    struct input *in = input;
    double workers = in->job.workers, steps = (double)in->job.steps;
    struct keel_iterative_leaving leaving = {
        .part = in->leaving, .graph = in->rule.graph, .seed = in->job.seed};

    if (steps * workers * (in->rule.graph == KEEL_GRAPH_ALL ? workers : 1) > WORK_MAX) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "%.0f steps of %.0f workers are too many to play",
                 steps, workers);
        return false;
    }
    deal(in, speed, keel_model_speeds(in->speeds, speed, in->job.workers), tasks);
    in->job.power = speed;
    in->job.tasks = tasks;
    in->job.costs.task_s = in->pack_s + in->bytes * in->byte_s;
    if (leaving.part > 0) {
        in->job.dynamics =
            (struct keel_iterative_dynamics){keel_iterative_dynamics_leave, &leaving};
    }
    in->rule.policy = keel_iterative_policies_find(in->policy);
    run(in, result);
    return true;
}

const struct keel_model keel_model_balance = {
    .name = "balance",
    .summary = "an iterative job whose tasks are balanced after each step",
    .source = "Franklin & Govindan 1995",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
};
