/* The loop model for `keel model`: schedules/forecast/predict.h, which `auto` chooses by.
 *
 *   chunks of KEEL_TRACE --> profile, deviation, speeds of threads --> workload of predict.h */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/trace/trace.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

#define BINS KEEL_PROFILE_BINS
#define THREADS_MAX KEEL_MODEL_WORKERS_MAX
#define SPEEDS_TEXT_MAX (THREADS_MAX * 16)
#define ROUNDS 4 /* speeds by the profile, then the profile by speeds: they settle quickly */

enum shape { EVEN, INCREASING, DECREASING, IRREGULAR, TRACED };

/* As enum shape. */
static const char *const shape_words[] = {"even", "increasing", "decreasing", "irregular", "trace"};

struct input {
    struct keel_workload workload;
    const char *schedule, *speeds;
    double mean_s, deviation_s, skew;
    double step_s, own_s, weighted_s, timed_s, start_s;
    enum shape shape;
};

static bool check_schedule(const char *text, char *problem)
{
    struct keel_spec spec;
    bool good = keel_spec_read(text, strlen(text), &spec, problem) == KEEL_SPEC_GOOD;

    if (good && spec.schedule->chooses) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX,
                 "it runs others, by what is measured; see `keel model optimise loop'");
    }
    return good && !spec.schedule->chooses;
}

static const struct keel_model_parameter parameters[] = {
    COUNT("iterations", "", 0, 1e15, 10000, workload.iterations, "N"),
    COUNT("threads", "", 1, THREADS_MAX, 4, workload.threads, "P"),
    TEXT("schedule", check_schedule, "static", schedule,
         "any of `keel list' but auto, with its parameters: tss,100,10", .chosen = true),
    REAL("mean", "s", 0, 1e6, 1e-6, mean_s, "time of an iteration, at a speed of 1"),
    WORD("shape", shape_words, EVEN, shape, "how costs go along the loop"),
    REAL("skew", "", 1, 1e6, 10, skew, "costliest over cheapest part of the loop",
         .when = "shape=increasing decreasing irregular"),
    REAL("deviation", "s", 0, 1e6, 0, deviation_s,
         "standard deviation of single iterations around that"),
    TEXT("speeds", keel_model_check_speeds, "1", speeds,
         "of threads, 1,1,2,2; a shorter list is repeated; also the weights of wf2"),
    REAL("wobble", "", 0, 1, 0.02, workload.wobble, "deviation of speeds between runs, relative"),
    /* on an x86-64 machine of a few cores */
    COST("claim-step", 3e-8, step_s, "a chunk by a counter of the team"),
    COST("claim-own", 4e-9, own_s, "a chunk of which no other thread could have a part"),
    COST("claim-weighted", 4.5e-8, weighted_s, "a chunk by weights or of a block"),
    COST("claim-timed", 1e-7, timed_s, "a chunk that is timed"),
    COST("claim-start", 5e-7, start_s, "of a loop whose chunks are timed"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "from the first thread's start to the last end"},
    {"ideal", "s", "all work over all speeds"},
    {"efficiency", "", "ideal over time"},
    {"speed-up", "", "against a thread of speed 1"},
    {"chunks", "", "handed out in all"},
    {"imbalance", "%", "busiest thread over the mean, - 1"},
};

/* --- traces --- */

/* What --trace says. */
static struct {
    bool there;
    struct keel_profile profile;
    double iterations;
    double mean_ns;            /* time of an iteration on an average thread */
    double deviation_ns;       /* of single iterations around the profile */
    unsigned threads;          /* the last one of any chunk, + 1 */
    double speed[THREADS_MAX]; /* > 0, mean 1; of threads without chunks 1 */
    char speeds[SPEEDS_TEXT_MAX];
} traced;

struct chunks {
    size_t count;
    struct keel_span *span; /* of the loop alone */
    const struct keel_trace_data_lane *lane;
};

static int64_t thread_of(const struct chunks *chunks, size_t i)
{
    return chunks->lane[chunks->span[i].lane].tid;
}

static struct keel_timed_chunk timed(const struct keel_span *span)
{
    return (struct keel_timed_chunk){span->first, span->last, (double)span->length_ns};
}

/* Its time on an average thread, by the profile. */
static double expected_ns(const struct keel_span *span)
{
    const struct keel_timed_chunk chunk = timed(span);

    return traced.mean_ns *
           keel_profile_chunk_work(&traced.profile, &chunk, (uint64_t)traced.iterations);
}

/* As `rate` and `auto` learn it, of one instance that has all chunks. */
static void take_profile(const struct chunks *chunks)
{
    struct keel_profile_sample sample = {0};
    double time_ns = 0, expected = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        const struct keel_timed_chunk chunk = timed(&chunks->span[i]);
        double speed = traced.speed[thread_of(chunks, i)];
        if (chunk.time_ns > 0) {
            keel_profile_sample_add(&sample, &traced.profile, &chunk, 1,
                                    (uint64_t)traced.iterations, speed);
        }
        time_ns += chunk.time_ns * speed;
    }
    keel_profile_begin(&traced.profile);
    keel_profile_learn(&traced.profile, &sample);
    traced.mean_ns = 1;
    for (size_t i = 0; i < chunks->count; i++) {
        expected += expected_ns(&chunks->span[i]);
    }
    traced.mean_ns = time_ns / expected;
}

static void take_speeds(const struct chunks *chunks)
{
    static double spent_ns[THREADS_MAX], wanted_ns[THREADS_MAX];
    double sum = 0;

    memset(spent_ns, 0, sizeof spent_ns);
    memset(wanted_ns, 0, sizeof wanted_ns);
    for (size_t i = 0; i < chunks->count; i++) {
        spent_ns[thread_of(chunks, i)] += (double)chunks->span[i].length_ns;
        wanted_ns[thread_of(chunks, i)] += expected_ns(&chunks->span[i]);
    }
    for (unsigned i = 0; i < traced.threads; i++) {
        bool known = spent_ns[i] > 0 && wanted_ns[i] > 0;
        traced.speed[i] = known ? wanted_ns[i] / spent_ns[i] : 1;
        sum += traced.speed[i];
    }
    for (unsigned i = 0; i < traced.threads; i++) {
        traced.speed[i] *= traced.threads / sum;
    }
}

/* As omp_ext/instance/experience.c has it: a chunk of n iterations strays by sqrt(n) times that. */
static double deviation_ns(const struct chunks *chunks)
{
    double squares = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        const struct keel_span *span = &chunks->span[i];
        double stray_ns =
            (double)span->length_ns * traced.speed[thread_of(chunks, i)] - expected_ns(span);
        squares += stray_ns * stray_ns / (double)(span->last - span->first);
    }
    return chunks->count > 1 ? sqrt(squares / (double)(chunks->count - 1)) : 0;
}

static void take_chunks(const struct chunks *chunks)
{
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        traced.speed[i] = 1;
    }
    for (size_t i = 0; i < chunks->count; i++) {
        int64_t thread = thread_of(chunks, i);
        traced.iterations = fmax(traced.iterations, (double)chunks->span[i].last);
        traced.threads = thread >= traced.threads ? (unsigned)thread + 1 : traced.threads;
    }
    keel_profile_begin(&traced.profile);
    take_profile(chunks);
    for (int round = 0; round < ROUNDS && traced.threads > 1; round++) {
        take_speeds(chunks);
        take_profile(chunks);
    }
    traced.deviation_ns = deviation_ns(chunks);
    traced.there = true;
}

/* Leaves the chunks of one loop. False: there are none. */
static bool choose_chunks(const struct keel_trace_data *data, const char *loop,
                          struct chunks *chunks)
{
    uint32_t name = keel_trace_loop(data, loop);

    *chunks = (struct chunks){.span = data->span, .lane = data->lane};
    for (size_t i = 0; name != KEEL_NAME_LIST_NONE && i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        int64_t thread = data->lane[span->lane].tid;
        if (span->kind == KEEL_SPAN_CHUNK && span->last > span->first && thread >= 0 &&
            thread < THREADS_MAX && span->name == name) {
            chunks->span[chunks->count++] = *span;
        }
    }
    return chunks->count > 0;
}

static void set_number(struct keel_model_values *values, const char *name, double number)
{
    keel_model_set(values, name, (struct keel_model_value){.number = number});
}

static void set_values(struct keel_model_values *values)
{
    size_t length = 0;

    for (unsigned i = 0; i < traced.threads; i++) {
        length = keel_text_append(traced.speeds, sizeof traced.speeds, length, "%s%.5g",
                                  i > 0 ? "," : "", traced.speed[i]);
    }
    set_number(values, "iterations", traced.iterations);
    set_number(values, "mean", traced.mean_ns / 1e9);
    set_number(values, "deviation", traced.deviation_ns / 1e9);
    set_number(values, "threads", traced.threads);
    keel_model_set(values, "speeds", (struct keel_model_value){.text = traced.speeds});
    keel_model_set(values, "shape",
                   (struct keel_model_value){.number = TRACED, .text = shape_words[TRACED]});
}

static bool take_trace(const char *path, const char *loop, struct keel_model_values *values)
{
    char *paths[] = {(char *)path, NULL};
    struct keel_trace_data data;
    struct chunks chunks;
    bool good = keel_trace_reader_read(&data, paths);

    if (good) {
        good = choose_chunks(&data, loop, &chunks);
        if (good) {
            take_chunks(&chunks);
            set_values(values);
        } else {
            keel_message("--trace '%s': no chunks of such a loop in it; nothing is predicted",
                         path);
        }
    }
    return good;
}

/* --- evaluating --- */

/* Cost of bin b of 64, relative; from 1 to `skew`. */
static double cost_of(const struct input *in, int b)
{
    double place = (b + 0.5) / BINS;

    switch (in->shape) {
    case INCREASING:
        return 1 + (in->skew - 1) * place;
    case DECREASING:
        return 1 + (in->skew - 1) * (1 - place);
    case IRREGULAR:
        return pow(in->skew, ldexp((double)(keel_chance_mix((uint64_t)b + 1) >> 11), -53));
    case EVEN:
    case TRACED:
        break;
    }
    return 1;
}

static void make_profile(const struct input *in, struct keel_profile *profile)
{
    double sum = 0;

    for (int b = 0; b < BINS; b++) {
        profile->cost[b] = cost_of(in, b);
        sum += profile->cost[b];
    }
    for (int b = 0; b < BINS; b++) {
        profile->cost[b] *= BINS / sum;
    }
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

/* An iteration takes `mean` at a speed of 1; the forecast wants speeds with a mean of 1. Returns
 * the mean of the speeds that are stated. */
static double take_workload(struct input *in, const struct keel_profile *profile)
{
    static double speed[THREADS_MAX];
    double threads = (double)in->workload.threads;
    double sum = keel_model_speeds(in->speeds, speed, in->workload.threads);
    double mean = sum / threads;

    for (size_t i = 0; i < in->workload.threads; i++) {
        speed[i] *= threads / sum;
    }
    in->workload.speed = in->workload.weights = speed;
    in->workload.profile = profile;
    in->workload.iteration_ns = in->mean_s * 1e9 / mean;
    in->workload.deviation_ns = in->deviation_s * 1e9 / mean;
    return mean;
}

static bool evaluate(void *input, double *result, char *problem)
{
    struct input *in = input;
    struct keel_profile made;
    struct keel_spec spec;
    const struct keel_claim_costs costs = {
        .step_ns = in->step_s * 1e9,
        .own_ns = in->own_s * 1e9,
        .weighted_ns = in->weighted_s * 1e9,
        .timed_ns = in->timed_s * 1e9,
        .start_ns = in->start_s * 1e9,
    };

    if (in->shape == TRACED && !traced.there) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "shape 'trace' needs --trace");
        return false;
    }
    make_profile(in, &made);
    double speed = take_workload(in, in->shape == TRACED ? &traced.profile : &made);
    keel_spec_read(in->schedule, strlen(in->schedule), &spec, problem);
    const struct keel_workload units = in_units(&in->workload, keel_grain_of(&spec));
    spec = keel_grain_spec(&spec);
    complete_spec(&spec, &units, &costs);
    struct keel_forecast forecast = keel_predict(&spec, &units, &costs);
    double ideal_ns = keel_predict_ideal_ns(&in->workload);
    double efficiency = forecast.time_ns > 0 ? ideal_ns / forecast.time_ns : 1;
    const double all[] = {
        forecast.time_ns / 1e9,
        ideal_ns / 1e9,
        efficiency,
        efficiency * (speed * (double)in->workload.threads),
        forecast.chunks,
        forecast.imbalance * 100,
    };
    memcpy(result, all, sizeof all);
    return true;
}

/* --- optimise --- */

/* Every schedule once, but for one that runs others, and those that want costs: these are not in
 * the model. */
static size_t candidates(void *input, const char *parameter, struct keel_model_value *candidate)
{
    size_t count = 0;

    (void)input;
    for (const struct keel_schedule *const *schedule = keel_registry;
         strcmp(parameter, "schedule") == 0 && *schedule != NULL; schedule++) {
        if (!(*schedule)->chooses && !(*schedule)->wants_costs) {
            candidate[count++].text = (*schedule)->name;
        }
    }
    return count;
}

const struct keel_model keel_model_loop = {
    .name = "loop",
    .summary = "a loop on a team of threads under a schedule",
    .source = "the schedules of `keel list', run over a cost profile",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
    .candidates = candidates,
    .take_trace = take_trace,
};
