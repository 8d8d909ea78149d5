/* The bi-modal approximation. */
#include "schedules/model/objects_terms.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

static bool are_sorted_weights(const double *weight, uint64_t tasks)
{
    double before = 0;

    for (uint64_t i = 0; i < tasks; i++) {
        if (!(weight[i] >= before) || isinf(weight[i])) {
            return false;
        }
        before = weight[i];
    }
    return tasks > 0;
}

/* Mean of `count` weights, in units of `unit`, which keeps the sum finite. */
static double mean_of(const double *weight, uint64_t count, double unit)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += weight[i] / unit;
    }
    return sum / (double)count;
}

/* G, 1 .. N - 1. The squared errors of both classes are those of a single one less
 *
 *     D^2 N / (G (N - G)),     D = sum of (mean of all - weight) over the first G weights
 *
 * so the best split is where this is largest. The terms of D have one sign first and the other one
 * then, relative to the mean: nothing is lost to cancellation of squares. */
static uint64_t best_split(const double *weight, uint64_t tasks, double unit)
{
    double mean = mean_of(weight, tasks, unit), below = 0, most = -1;
    uint64_t best = 1;

    for (uint64_t g = 1; g < tasks; g++) {
        below += mean - weight[g - 1] / unit;
        double less = below / (double)g * (below / (double)(tasks - g));
        if (less > most) {
            most = less;
            best = g;
        }
    }
    return best;
}

bool keel_bimodal_split(const double *weight, uint64_t tasks, struct keel_bimodal *bimodal)
{
    *bimodal = (struct keel_bimodal){0};
    if (!are_sorted_weights(weight, tasks)) {
        return false;
    }
    double unit = weight[tasks - 1];
    if (weight[0] == unit) {
        *bimodal = (struct keel_bimodal){.light = tasks, .light_mean = unit, .heavy_mean = unit};
        return true;
    }
    uint64_t light = best_split(weight, tasks, unit), heavy = tasks - light;
    *bimodal = (struct keel_bimodal){
        .light = light,
        .heavy = heavy,
        .light_mean = unit * mean_of(weight, light, unit),
        .heavy_mean = unit * mean_of(weight + light, heavy, unit),
    };
    return true;
}

/* --- parts of the models of over-decomposed objects --- */

struct keel_objects keel_objects_valid(const struct keel_objects *objects)
{
    struct keel_objects result = *objects;
    uint64_t others = result.processors > 1 ? result.processors - 1 : 1;

    result.neighbourhood = (uint32_t)max_u64(1, min_u64(result.neighbourhood, others));
    result.handshakes = (uint32_t)max_u64(1, min_u64(result.handshakes, 2));
    return result;
}

static double message_s_of(const struct keel_objects *valid)
{
    return valid->message_s + valid->byte_s * valid->request_bytes;
}

double keel_objects_transport_s(const struct keel_objects *valid)
{
    return valid->message_s + valid->byte_s * valid->task_bytes;
}

double keel_objects_polling(const struct keel_objects *valid)
{
    return valid->quantum_s > 0 ? (2 * valid->context_s + valid->poll_s) / valid->quantum_s : 0;
}

/* Section 4.4: requests to all are sent one after the other; replies arrive together. */
double keel_objects_turnaround_s(const struct keel_objects *valid, double wait_s)
{
    double message_s = message_s_of(valid);
    double second_s = valid->handshakes > 1 ? message_s + wait_s + valid->request_s : 0;

    return valid->neighbourhood * message_s + wait_s + valid->request_s + message_s +
           valid->request_s + second_s;
}

void keel_objects_total(struct keel_objects_terms *terms)
{
    double sum_s = terms->work_s + terms->thread_s + terms->application_s + terms->request_s +
                   terms->migration_s + terms->decision_s;

    terms->total_s = sum_s - terms->overlap_s;
}
