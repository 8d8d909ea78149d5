/* The loop model for `keel model`: schedules/forecast/predict.h, which `auto` chooses by. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/loop_trace.h"
#include "omp_ext/command/model/kinds/models.h"
#include "omp_ext/command/model/kinds/speeds.h"
#include "schedules/arithmetic/chance.h"
#include "schedules/claim/grain.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define BINS KEEL_PROFILE_BINS

enum {
    ITERATIONS,
    THREADS,
    SCHEDULE,
    MEAN,
    SHAPE,
    SKEW,
    DEVIATION,
    SPEEDS,
    WOBBLE,
    STEP,
    OWN,
    WEIGHTED,
    TIMED,
    START,
    PARAMETERS
};

enum { EVEN, INCREASING, DECREASING, IRREGULAR, TRACED };

static const char *const shapes[] = {"even", "increasing", "decreasing", "irregular", "trace"};

/* --- the schedule --- */

static bool check_schedule(const char *text, char *problem)
{
    struct keel_spec spec;
    enum keel_spec_result read = keel_spec_read(text, strlen(text), &spec, problem);

    if (read == KEEL_SPEC_GOOD && spec.schedule->chooses) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
                 "it runs others, by what is measured; see `keel model optimise loop'");
        return false;
    }
    return read == KEEL_SPEC_GOOD;
}

/* Variance of the cost along the profile, relative to the square of the mean. */
static double profile_variance(const struct keel_profile *profile)
{
    double sum = 0, squares = 0;

    for (int b = 0; b < BINS; b++) {
        sum += profile->cost[b];
        squares += profile->cost[b] * profile->cost[b];
    }
    return sum > 0 ? fmax(0, squares * BINS / (sum * sum) - 1) : 0;
}

/* What Keel would measure, which sees no profile, only times of iterations. */
static void complete_spec(struct keel_spec *spec, const struct keel_workload *workload,
                          const struct keel_claim_costs *costs)
{
    double profile_ns2 =
        workload->iteration_ns * workload->iteration_ns * profile_variance(workload->profile);
    const double measured[KEEL_PARAMETERS] = {
        [KEEL_MU] = workload->iteration_ns,
        [KEEL_SIGMA] = sqrt(workload->deviation_ns * workload->deviation_ns + profile_ns2),
        [KEEL_OVERHEAD] = costs->step_ns,
    };
    unsigned wanted = keel_spec_unmeasured(spec);

    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (wanted & KEEL_BIT(i)) {
            spec->value[i].real = measured[i];
            spec->given |= KEEL_BIT(i);
        }
    }
}

/* --- the profile --- */

/* Cost of bin b of 64, relative; from 1 to `skew`. */
static double cost_of(int shape, double skew, int b)
{
    double place = (b + 0.5) / BINS;

    switch (shape) {
    case INCREASING:
        return 1 + (skew - 1) * place;
    case DECREASING:
        return 1 + (skew - 1) * (1 - place);
    case IRREGULAR:
        return pow(skew, ldexp((double)(keel_chance_mix((uint64_t)b + 1) >> 11), -53));
    default:
        return 1;
    }
}

static void make_profile(struct keel_profile *profile, int shape, double skew)
{
    double sum = 0;

    for (int b = 0; b < BINS; b++) {
        profile->cost[b] = cost_of(shape, skew, b);
        sum += profile->cost[b];
    }
    for (int b = 0; b < BINS; b++) {
        profile->cost[b] *= BINS / sum;
    }
}

/* --- evaluating --- */

static struct keel_claim_costs claim_costs(const struct keel_model_value *value)
{
    return (struct keel_claim_costs){
        .step_ns = value[STEP].number * 1e9,
        .own_ns = value[OWN].number * 1e9,
        .weighted_ns = value[WEIGHTED].number * 1e9,
        .timed_ns = value[TIMED].number * 1e9,
        .start_ns = value[START].number * 1e9,
    };
}

enum { TIME, IDEAL, EFFICIENCY, SPEED_UP, CHUNKS, IMBALANCE, RESULTS };

/* speed_sum: of the speeds as they are stated. */
static void take_results(const struct keel_workload *workload, const struct keel_forecast *forecast,
                         double speed_sum, double *result)
{
    double ideal_ns = keel_predict_ideal_ns(workload);
    double efficiency = forecast->time_ns > 0 ? ideal_ns / forecast->time_ns : 1;

    result[TIME] = forecast->time_ns / 1e9;
    result[IDEAL] = ideal_ns / 1e9;
    result[EFFICIENCY] = efficiency;
    result[SPEED_UP] = efficiency * speed_sum;
    result[CHUNKS] = forecast->chunks;
    result[IMBALANCE] = forecast->imbalance * 100;
}

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "from the first thread's start to the last end"},
    [IDEAL] = {.name = "ideal", .unit = "s", .text = "all work over all speeds"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "ideal over time"},
    [SPEED_UP] = {.name = "speed-up", .unit = "", .text = "against a thread of speed 1"},
    [CHUNKS] = {.name = "chunks", .unit = "", .text = "handed out in all"},
    [IMBALANCE] = {.name = "imbalance", .unit = "%", .text = "busiest thread over the mean, - 1"},
    [RESULTS] = {0},
};

/* An iteration takes `mean` at a speed of 1; the model wants speeds with a mean of 1. */
/* The workload in units of the grain; what all of it takes stays the same. */
static struct keel_workload in_units(const struct keel_workload *workload, uint64_t grain)
{
    struct keel_workload units = *workload;

    if (grain > 1 && workload->iterations > 0) {
        units.iterations = keel_grain_units(workload->iterations, grain);
        double length = (double)workload->iterations / (double)units.iterations;
        units.iteration_ns *= length;
        units.deviation_ns *= sqrt(length);
    }
    return units;
}

static void run(const struct keel_model_input *input, const struct keel_profile *profile,
                double *speed, double *result)
{
    const struct keel_model_value *value = input->value;
    size_t threads = (size_t)value[THREADS].number;
    double mean_speed = keel_speeds_fill(value[SPEEDS].text, speed, threads);
    struct keel_workload workload = {
        .iterations = (uint64_t)value[ITERATIONS].number,
        .threads = threads,
        .profile = profile,
        .iteration_ns = value[MEAN].number * 1e9 / mean_speed,
        .deviation_ns = value[DEVIATION].number * 1e9 / mean_speed,
        .speed = speed,
        .wobble = value[WOBBLE].number,
        .weights = speed,
    };
    struct keel_claim_costs costs = claim_costs(value);
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    keel_spec_read(value[SCHEDULE].text, strlen(value[SCHEDULE].text), &spec, problem);
    const struct keel_workload divided = in_units(&workload, keel_grain_of(&spec));
    spec = keel_grain_spec(&spec);
    complete_spec(&spec, &divided, &costs);
    struct keel_forecast forecast = keel_predict(&spec, &divided, &costs);
    take_results(&workload, &forecast, mean_speed * (double)threads, result);
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    int shape = (int)input->value[SHAPE].number;
    const struct keel_loop_trace *trace = input->trace;
    struct keel_profile made;

    if (shape == TRACED && trace == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "shape 'trace' needs --trace");
        return false;
    }
    make_profile(&made, shape, input->value[SKEW].number);
    double *speed = malloc((size_t)input->value[THREADS].number * sizeof *speed);
    if (speed == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory for so many threads");
        return false;
    }
    run(input, shape == TRACED ? &trace->profile : &made, speed, result);
    free(speed);
    return true;
}

/* --- optimise and traces --- */

/* Every schedule once, but for one that runs others, and those that want costs: these are not in
 * the model. */
static size_t schedule_candidates(struct keel_model_value *candidate, size_t room)
{
    size_t count = 0;

    for (const struct keel_schedule *const *schedule = keel_registry;
         *schedule != NULL && count < room; schedule++) {
        if (!(*schedule)->chooses && !(*schedule)->wants_costs) {
            candidate[count++].text = (*schedule)->name;
        }
    }
    return count;
}

static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    if (parameter == SCHEDULE) {
        return schedule_candidates(candidate, room);
    }
    if (parameter != SHAPE) {
        return 0;
    }
    size_t count = input->trace != NULL ? TRACED + 1 : TRACED;
    for (size_t i = 0; i < count; i++) {
        candidate[i] = (struct keel_model_value){.number = (double)i, .text = shapes[i]};
    }
    return count;
}

static bool takes(const struct keel_model_value *value, unsigned parameter)
{
    int shape = (int)value[SHAPE].number;

    return parameter != SKEW || (shape != EVEN && shape != TRACED);
}

static void set_from_trace(struct keel_model_traced *traced, unsigned parameter, double number,
                           const char *text)
{
    traced->value[parameter] = (struct keel_model_value){.number = number, .text = text};
    traced->taken[parameter] = true;
}

/* The profile, and behind it the speeds as a list. */
struct kept {
    struct keel_loop_trace taken;
    char speeds[KEEL_SPEEDS_TEXT_MAX];
};

static bool take_trace(const struct keel_recorded *trace, const char *loop,
                       struct keel_model_traced *traced, char *problem)
{
    struct kept *kept = malloc(sizeof *kept);

    if (kept == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory");
        return false;
    }
    if (!keel_loop_trace_read(trace, loop, &kept->taken, problem)) {
        free(kept);
        return false;
    }
    traced->trace = kept;
    set_from_trace(traced, ITERATIONS, kept->taken.iterations, NULL);
    set_from_trace(traced, MEAN, kept->taken.mean_ns / 1e9, NULL);
    set_from_trace(traced, DEVIATION, kept->taken.deviation_ns / 1e9, NULL);
    set_from_trace(traced, SHAPE, TRACED, shapes[TRACED]);
    if (kept->taken.threads > 0) {
        set_from_trace(traced, THREADS, kept->taken.threads, NULL);
        keel_speeds_write(kept->taken.speed, kept->taken.threads, kept->speeds);
        set_from_trace(traced, SPEEDS, 0, kept->speeds);
    }
    return true;
}

static const char *shape_word(unsigned place)
{
    return place <= TRACED ? shapes[place] : NULL;
}

static const struct keel_model_parameter parameters[] = {
    [ITERATIONS] = KEEL_MODEL_A_COUNT("iterations", "", 0, 1e15, 10000, "N", .traced = true),
    [THREADS] =
        KEEL_MODEL_A_COUNT("threads", "", 1, KEEL_LOOP_TRACE_THREADS_MAX, 4, "P", .traced = true),
    [SCHEDULE] = {.name = "schedule",
                  .unit = "",
                  .text = "any of `keel list' but auto, with its parameters: tss,100,10",
                  .kind = KEEL_MODEL_TEXT,
                  .standard = {.text = "static"},
                  .chosen = true,
                  .check = check_schedule},
    [MEAN] = KEEL_MODEL_A_REAL("mean", "s", 0, 1e6, 1e-6, "time of an iteration, at a speed of 1",
                               .traced = true),
    [SHAPE] = KEEL_MODEL_A_WORD("shape", shape_word, "even", "how costs go along the loop",
                                .traced = true),
    [SKEW] = KEEL_MODEL_A_REAL("skew", "", 1, 1e6, 10, "costliest over cheapest part of the loop"),
    [DEVIATION] =
        KEEL_MODEL_A_REAL("deviation", "s", 0, 1e6, 0,
                          "standard deviation of single iterations around that", .traced = true),
    [SPEEDS] = KEEL_MODEL_SPEEDS(
        "of threads, 1,1,2,2; a shorter list is repeated; also the weights of wf2", .traced = true),
    [WOBBLE] =
        KEEL_MODEL_A_REAL("wobble", "", 0, 1, 0.02, "deviation of speeds between runs, relative"),
    [STEP] = KEEL_MODEL_A_COST("claim-step", KEEL_MACHINE_CLAIM_STEP,
                               "a chunk by a counter of the team"),
    [OWN] = KEEL_MODEL_A_COST("claim-own", KEEL_MACHINE_CLAIM_OWN,
                              "a chunk that nobody else could get"),
    [WEIGHTED] = KEEL_MODEL_A_COST("claim-weighted", KEEL_MACHINE_CLAIM_WEIGHTED,
                                   "a chunk by weights or of a block"),
    [TIMED] = KEEL_MODEL_A_COST("claim-timed", KEEL_MACHINE_CLAIM_TIMED, "a chunk that is timed"),
    [START] = KEEL_MODEL_A_COST("claim-start", KEEL_MACHINE_CLAIM_START,
                                "of a loop whose chunks are timed"),
    [PARAMETERS] = {0},
};

const struct keel_model keel_model_loop = {
    .name = "loop",
    .summary = "a loop on a team of threads under a schedule",
    .source = "the schedules of `keel list', run over a cost profile",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .trace = "lines with the cost of an iteration in s as the last or only value, or what "
             "KEEL_TRACE writes (loop,instance,thread,first,last,time_ns)",
    .evaluate = evaluate,
    .take_trace = take_trace,
    .takes = takes,
    .candidates = candidates,
};
