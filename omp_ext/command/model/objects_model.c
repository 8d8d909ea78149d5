/* The analytic model of over-decomposed objects for `keel model`: schedules/model/{bimodal,
 * objects}.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/command_parts.h"
#include "schedules/model/objects_terms.h"

#define TASKS_MAX 1000000

enum weights { EVEN, LINEAR, STEP };

static const char *const weights_words[] = {"even", "linear", "step"}; /* as enum weights */
static const char *const form_words[] = {"refined", "published"};

struct input {
    struct keel_objects job;
    double tasks, work_s, ratio, heavy;
    enum weights weights;
    bool published;
};

static const struct keel_model_parameter parameters[] = {
    COUNT("processors", "", 1, KEEL_MODEL_WORKERS_MAX, 64, job.processors, "P"),
    COUNT("tasks", "", 1, 10000, 8, tasks, "per processor at first", .chosen = true,
          .tried = "1,2,4,8,16,32"),
    REAL("work", "s", 0, 1e9, 60, work_s, "per processor, in the mean; cut into so many tasks"),
    WORD("weights", weights_words, LINEAR, weights,
         "of tasks: all alike, rising evenly, or some heavy ones"),
    REAL("ratio", "", 1, 1e6, 2, ratio, "the heaviest over the lightest",
         .when = "weights=linear step"),
    REAL("heavy", "", 0, 1, 0.25, heavy, "part of all tasks that are heavy, of a step",
         .when = "weights=step"),
    WORD("form", form_words, 0, published,
         "with the weights of all tasks, or of two classes, as in the paper"),
    REAL("quantum", "s", 0, 1e6, 0.5, job.quantum_s,
         "between two polls; 0: requests are answered at once", .chosen = true,
         .tried = "0.001,0.003,0.01,0.03,0.1,0.3,1,3,10"),
    COUNT("neighbourhood", "", 1, KEEL_MODEL_WORKERS_MAX, 4, job.neighbourhood,
          "processors that are asked at a time", .chosen = true),
    COUNT("handshakes", "", 1, 2, 1, job.handshakes,
          "how often a migration waits for its source to poll"),
    WORD("early", keel_model_no_yes, 0, job.early, "who begins its last task asks for more",
         .when = "form=refined"),
    COST("context", 2e-6, job.context_s, "a switch of threads, two for each poll"),
    COST("poll", 2e-7, job.poll_s, "a look for messages"),
    COST("startup", KEEL_MODEL_STARTUP_S, job.message_s, "an empty message"),
    COST("per-byte", KEEL_MODEL_BYTE_S, job.byte_s, "what each byte adds to it"),
    REAL("request-bytes", "B", 0, 1e12, 64, job.request_bytes, "of a request, and of a reply"),
    REAL("task-bytes", "B", 0, 1e12, 10000, job.task_bytes, "of a task that migrates"),
    REAL("task-messages", "", 0, 1e9, 0, job.task_messages,
         "that a task sends for the application"),
    REAL("message-bytes", "B", 0, 1e12, 0, job.task_message_bytes, "of each of them"),
    REAL("uninstall", "s", 0, 1e6, 0, job.uninstall_s, "a task that migrates"),
    COST("pack", KEEL_MODEL_PACK_S, job.pack_s, "it"),
    COST("unpack", KEEL_MODEL_PACK_S, job.unpack_s, "it"),
    REAL("install", "s", 0, 1e6, 0, job.install_s, "it"),
    REAL("decision", "s", 0, 1e6, 0, job.decision_s, "to select a partner"),
    REAL("request", "s", 0, 1e6, 0, job.request_s, "to process a request, or a reply"),
    REAL("overlap", "", 0, 1, 0, job.overlap, "part of communication that goes on beside work"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "average of the bounds, or of runs by chance"},
    {"lower", "s", "bound: the first request finds a task"},
    {"upper", "s", "bound: all underloaded are asked before"},
    {"unbalanced", "s", "without balancing, and polling"},
    {"ideal", "s", "all work by P"},
    {"gain", "%", "part of the unbalanced time that is saved"},
    {"efficiency", "", "ideal over time"},
    {"overloaded", "", "processors, at first"},
};

/* Of task i of n, relative: rising. */
static double weight_of(const struct input *in, size_t i, size_t n)
{
    switch (in->weights) {
    case LINEAR:
        return n > 1 ? 1 + (in->ratio - 1) * (double)i / (double)(n - 1) : 1;
    case STEP:
        return (double)i < round((1 - in->heavy) * (double)n) ? 1 : in->ratio;
    case EVEN:
        break;
    }
    return 1;
}

/* With the mean that the work of a processor and the number of its tasks say. */
static void make_weights(const struct input *in, double *weight, size_t count)
{
    double sum = 0, all_s = in->work_s * in->job.processors;

    for (size_t i = 0; i < count; i++) {
        weight[i] = weight_of(in, i, count);
        sum += weight[i];
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] *= all_s / sum;
    }
}

static bool evaluate(void *input, double *result, char *problem)
{
    static double weight[TASKS_MAX];
    struct input *in = input;
    struct keel_objects_forecast forecast;
    double tasks = in->tasks * in->job.processors;

    if (tasks > TASKS_MAX) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "%.0f tasks in all, more than %d", tasks, TASKS_MAX);
        return false;
    }
    make_weights(in, weight, (size_t)tasks);
    keel_bimodal_split(weight, (size_t)tasks, &in->job.classes);
    in->job.weight = in->published ? NULL : weight;
    void *scratch = keel_command_memory(keel_objects_scratch(&in->job), 1);
    keel_objects_predict(&in->job, &forecast, scratch);
    free(scratch);
    double time_s = forecast.average_s, unbalanced_s = forecast.unbalanced_s;
    const double all[] = {
        time_s,
        forecast.lower.total_s,
        forecast.upper.total_s,
        unbalanced_s,
        forecast.ideal_s,
        unbalanced_s > 0 ? 100 * (1 - time_s / unbalanced_s) : 0,
        time_s > 0 ? forecast.ideal_s / time_s : 1,
        forecast.overloaded,
    };
    memcpy(result, all, sizeof all);
    return true;
}

static size_t candidates(void *input, const char *parameter, struct keel_model_value *candidate)
{
    double others = fmax(1, ((const struct input *)input)->job.processors - 1.0);
    size_t count = 0;

    for (double number = 1; number <= fmin(64, others); number *= 4) {
        candidate[count++].number = number;
    }
    return strcmp(parameter, "neighbourhood") == 0 ? count : 0;
}

const struct keel_model keel_model_objects = {
    .name = "objects",
    .summary = "more tasks than processors, which ask each other for some when they run out",
    .source = "Barker & others 2005",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
    .candidates = candidates,
};
