/* The analytic model of over-decomposed objects for `keel model`: schedules/model/{bimodal,
 * objects}.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/models.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/model/objects.h"

#define PROCESSORS_MAX 4096
#define TASKS_MAX 1e6

enum {
    PROCESSORS,
    TASKS,
    WORK,
    WEIGHTS,
    RATIO,
    HEAVY,
    FORM,
    QUANTUM,
    NEIGHBOURHOOD,
    HANDSHAKES,
    EARLY,
    CONTEXT,
    POLL,
    STARTUP,
    PER_BYTE,
    REQUEST_BYTES,
    TASK_BYTES,
    TASK_MESSAGES,
    TASK_MESSAGE_BYTES,
    UNINSTALL,
    PACK,
    UNPACK,
    INSTALL,
    DECISION,
    REQUEST,
    OVERLAP,
    PARAMETERS
};

enum { EVEN, LINEAR, STEP, TRACED };
enum { REFINED, PUBLISHED };

static const char *weights_word(unsigned place)
{
    static const char *const words[] = {"even", "linear", "step", "trace"};

    return place <= TRACED ? words[place] : NULL;
}

static const char *form_word(unsigned place)
{
    static const char *const words[] = {"refined", "published"};

    return place <= PUBLISHED ? words[place] : NULL;
}

static const struct keel_model_parameter parameters[] = {
    [PROCESSORS] = KEEL_MODEL_A_COUNT("processors", "", 1, PROCESSORS_MAX, 64, "P"),
    [TASKS] =
        KEEL_MODEL_A_COUNT("tasks", "", 1, 10000, 8, "per processor at first", .chosen = true),
    [WORK] = KEEL_MODEL_A_REAL("work", "s", 0, 1e9, 60,
                               "per processor, in the mean; cut into so many tasks"),
    [WEIGHTS] =
        KEEL_MODEL_A_WORD("weights", weights_word, "linear",
                          "of tasks: all alike, rising evenly, or some heavy ones", .traced = true),
    [RATIO] = KEEL_MODEL_A_REAL("ratio", "", 1, 1e6, 2, "the heaviest over the lightest"),
    [HEAVY] =
        KEEL_MODEL_A_REAL("heavy", "", 0, 1, 0.25, "part of all tasks that are heavy, of a step"),
    [FORM] = KEEL_MODEL_A_WORD("form", form_word, "refined",
                               "with the weights of all tasks, or of two classes, as in the paper"),
    [QUANTUM] =
        KEEL_MODEL_A_REAL("quantum", "s", 0, 1e6, 0.5,
                          "between two polls; 0: requests are answered at once", .chosen = true),
    [NEIGHBOURHOOD] = KEEL_MODEL_A_COUNT("neighbourhood", "", 1, PROCESSORS_MAX, 4,
                                         "processors that are asked at a time", .chosen = true),
    [HANDSHAKES] = KEEL_MODEL_A_COUNT("handshakes", "", 1, 2, 1,
                                      "how often a migration waits for its source to poll"),
    [EARLY] = KEEL_MODEL_A_WORD("early", keel_models_no_yes, "no",
                                "who begins its last task asks for more"),
    [CONTEXT] = KEEL_MODEL_A_COST("context", KEEL_MACHINE_CONTEXT_SWITCH,
                                  "a switch of threads, two for each poll"),
    [POLL] = KEEL_MODEL_A_COST("poll", KEEL_MACHINE_POLL, "a look for messages"),
    [STARTUP] = KEEL_MODEL_A_COST("startup", KEEL_MACHINE_MESSAGE_STARTUP, "an empty message"),
    [PER_BYTE] =
        KEEL_MODEL_A_COST("per-byte", KEEL_MACHINE_MESSAGE_BYTE, "what each byte adds to it"),
    [REQUEST_BYTES] =
        KEEL_MODEL_A_REAL("request-bytes", "B", 0, 1e12, 64, "of a request, and of a reply"),
    [TASK_BYTES] = KEEL_MODEL_A_REAL("task-bytes", "B", 0, 1e12, 10000, "of a task that migrates"),
    [TASK_MESSAGES] =
        KEEL_MODEL_A_REAL("task-messages", "", 0, 1e9, 0, "that a task sends for the application"),
    [TASK_MESSAGE_BYTES] = KEEL_MODEL_A_REAL("message-bytes", "B", 0, 1e12, 0, "of each of them"),
    [UNINSTALL] = KEEL_MODEL_A_REAL("uninstall", "s", 0, 1e6, 0, "a task that migrates"),
    [PACK] = KEEL_MODEL_A_COST("pack", KEEL_MACHINE_PACK_ROW, "it"),
    [UNPACK] = KEEL_MODEL_A_COST("unpack", KEEL_MACHINE_UNPACK_ROW, "it"),
    [INSTALL] = KEEL_MODEL_A_REAL("install", "s", 0, 1e6, 0, "it"),
    [DECISION] = KEEL_MODEL_A_REAL("decision", "s", 0, 1e6, 0, "to select a partner"),
    [REQUEST] = KEEL_MODEL_A_REAL("request", "s", 0, 1e6, 0, "to process a request, or a reply"),
    [OVERLAP] =
        KEEL_MODEL_A_REAL("overlap", "", 0, 1, 0, "part of communication that goes on beside work"),
    [PARAMETERS] = {0},
};

enum { TIME, LOWER, UPPER, UNBALANCED, IDEAL, GAIN, EFFICIENCY, OVERLOADED, RESULTS };

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "average of the bounds, or of runs by chance"},
    [LOWER] = {.name = "lower", .unit = "s", .text = "bound: the first request finds a task"},
    [UPPER] = {.name = "upper", .unit = "s", .text = "bound: all underloaded are asked before"},
    [UNBALANCED] = {.name = "unbalanced", .unit = "s", .text = "without balancing, and polling"},
    [IDEAL] = {.name = "ideal", .unit = "s", .text = "all work by P"},
    [GAIN] = {.name = "gain", .unit = "%", .text = "part of the unbalanced time that is saved"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "ideal over time"},
    [OVERLOADED] = {.name = "overloaded", .unit = "", .text = "processors, at first"},
    [RESULTS] = {0},
};

/* --- weights --- */

struct weights {
    size_t count;
    double weight[]; /* s, as they are dealt */
};

/* Of task i of n, relative: rising. */
static double relative(const struct keel_model_value *value, size_t i, size_t n)
{
    double ratio = value[RATIO].number;

    switch ((int)value[WEIGHTS].number) {
    case LINEAR:
        return n > 1 ? 1 + (ratio - 1) * (double)i / (double)(n - 1) : 1;
    case STEP:
        return (double)i < round((1 - value[HEAVY].number) * (double)n) ? 1 : ratio;
    default:
        return 1;
    }
}

/* With the mean that the work of a processor and the number of its tasks say. */
static void make_weights(const struct keel_model_value *value, double *weight, size_t count)
{
    double sum = 0, all_s = value[WORK].number * value[PROCESSORS].number;

    for (size_t i = 0; i < count; i++) {
        weight[i] = relative(value, i, count);
        sum += weight[i];
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] *= all_s / sum;
    }
}

static bool take_trace(const struct keel_recorded *trace, const char *loop,
                       struct keel_model_traced *traced, char *problem)
{
    struct weights *weights = malloc(sizeof *weights + trace->count * sizeof *weights->weight);

    if (weights == NULL || loop != NULL || trace->count > TASKS_MAX) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
                 loop != NULL ? "no loops in it, just weights" : "too many tasks");
        free(weights);
        return false;
    }
    weights->count = trace->count;
    for (size_t i = 0; i < trace->count; i++) {
        const struct keel_recorded_line *line = &trace->line[i];
        if (!keel_recorded_number(line, line->fields - 1, 0, 1e9, &weights->weight[i], problem)) {
            free(weights);
            return false;
        }
    }
    traced->trace = weights;
    traced->value[WEIGHTS] =
        (struct keel_model_value){.number = TRACED, .text = weights_word(TRACED)};
    traced->taken[WEIGHTS] = true;
    return true;
}

/* --- evaluating --- */

static struct keel_objects objects_of(const struct keel_model_value *value)
{
    return (struct keel_objects){
        .processors = (uint32_t)value[PROCESSORS].number,
        .neighbourhood = (uint32_t)value[NEIGHBOURHOOD].number,
        .handshakes = (uint32_t)value[HANDSHAKES].number,
        .early = value[EARLY].number == 1,
        .quantum_s = value[QUANTUM].number,
        .context_s = value[CONTEXT].number,
        .poll_s = value[POLL].number,
        .message_s = value[STARTUP].number,
        .byte_s = value[PER_BYTE].number,
        .request_bytes = value[REQUEST_BYTES].number,
        .task_bytes = value[TASK_BYTES].number,
        .task_messages = value[TASK_MESSAGES].number,
        .task_message_bytes = value[TASK_MESSAGE_BYTES].number,
        .uninstall_s = value[UNINSTALL].number,
        .pack_s = value[PACK].number,
        .unpack_s = value[UNPACK].number,
        .install_s = value[INSTALL].number,
        .decision_s = value[DECISION].number,
        .request_s = value[REQUEST].number,
        .overlap = value[OVERLAP].number,
    };
}

static void take_results(const struct keel_objects_forecast *forecast, double *result)
{
    double time_s = forecast->average_s, unbalanced_s = forecast->unbalanced_s;

    result[TIME] = time_s;
    result[LOWER] = forecast->lower.total_s;
    result[UPPER] = forecast->upper.total_s;
    result[UNBALANCED] = unbalanced_s;
    result[IDEAL] = forecast->ideal_s;
    result[GAIN] = unbalanced_s > 0 ? 100 * (1 - time_s / unbalanced_s) : 0;
    result[EFFICIENCY] = time_s > 0 ? forecast->ideal_s / time_s : 1;
    result[OVERLOADED] = forecast->overloaded;
}

/* weight: as dealt; sorted: room for as many. */
static bool predict(const struct keel_model_value *value, const double *weight, double *sorted,
                    size_t count, double *result)
{
    struct keel_objects objects = objects_of(value);
    struct keel_objects_forecast forecast;

    memcpy(sorted, weight, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_reals);
    keel_bimodal_split(sorted, count, &objects.classes);
    objects.weight = value[FORM].number == REFINED ? weight : NULL;
    size_t size = keel_objects_scratch(&objects);
    void *scratch = size > 0 ? malloc(size) : NULL;
    if (size > 0 && scratch == NULL) {
        return false;
    }
    keel_objects_predict(&objects, &forecast, scratch);
    free(scratch);
    take_results(&forecast, result);
    return true;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    const struct keel_model_value *value = input->value;
    const struct weights *traced = input->trace;
    bool from_trace = value[WEIGHTS].number == TRACED;
    double tasks = value[TASKS].number * value[PROCESSORS].number;

    if (from_trace && traced == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "weights 'trace' need --trace");
        return false;
    }
    if (!from_trace && tasks > TASKS_MAX) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "%.0f tasks in all, more than %.0f", tasks,
                 TASKS_MAX);
        return false;
    }
    size_t count = from_trace ? traced->count : (size_t)tasks;
    double *weight = malloc(2 * count * sizeof *weight);
    if (weight != NULL && from_trace) {
        memcpy(weight, traced->weight, count * sizeof *weight);
    } else if (weight != NULL) {
        make_weights(value, weight, count);
    }
    bool good = weight != NULL && predict(value, weight, weight + count, count, result);
    free(weight);
    if (!good) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory for so many tasks");
    }
    return good;
}

/* --- optimise --- */

static bool takes(const struct keel_model_value *value, unsigned parameter)
{
    int weights = (int)value[WEIGHTS].number;

    switch (parameter) {
    case TASKS:
    case WORK:
        return weights != TRACED;
    case RATIO:
        return weights == LINEAR || weights == STEP;
    case HEAVY:
        return weights == STEP;
    case EARLY:
        return value[FORM].number == REFINED;
    default:
        return true;
    }
}

static size_t by_factor(struct keel_model_value *candidate, double low, double high, double factor)
{
    size_t count = 0;

    for (; low <= high; low *= factor) {
        candidate[count++].number = low;
    }
    return count;
}

static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    (void)room; /* 1024 */
    switch (parameter) {
    case TASKS:
        return by_factor(candidate, 1, 32, 2);
    case QUANTUM:
        return by_factor(candidate, 1e-3, 10, sqrt(10));
    case NEIGHBOURHOOD:
        return by_factor(candidate, 1, fmin(64, fmax(1, input->value[PROCESSORS].number - 1)), 4);
    case WEIGHTS:
        break;
    default:
        return 0;
    }
    for (unsigned i = 0; i <= TRACED; i++) {
        candidate[i] = (struct keel_model_value){.number = i, .text = weights_word(i)};
    }
    return input->trace != NULL ? TRACED + 1 : TRACED;
}

const struct keel_model keel_model_objects = {
    .name = "objects",
    .summary = "more tasks than processors, which ask each other for some when they run out",
    .source = "Barker & others 2005",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .trace = "lines with the weight of a task in s as the last or only value, in the order in "
             "which tasks are dealt, a block to each processor",
    .evaluate = evaluate,
    .take_trace = take_trace,
    .takes = takes,
    .candidates = candidates,
};
