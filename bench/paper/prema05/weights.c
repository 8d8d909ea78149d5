/* What tasks take, as the tests of PAPERS.md, R7 to R9, have them. */
#include "bench/paper/prema05/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/random.h"
#include "schedules/model/bimodal.h"

static void make_linear(double ratio, uint32_t tasks, double *weight)
{
    for (uint32_t i = 0; i < tasks; i++) {
        weight[i] = 1 + (ratio - 1) * i / (tasks > 1 ? tasks - 1 : 1);
    }
}

static void make_heavy(double part, double ratio, uint32_t tasks, double *weight)
{
    uint32_t heavy = (uint32_t)(tasks * part / 100 + 0.5);

    for (uint32_t i = 0; i < tasks; i++) {
        weight[i] = i + heavy < tasks ? 1 : ratio;
    }
}

static void shuffle(uint64_t seed, uint32_t count, double *value)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(random_next(&seed) % i);
        double swapped = value[i - 1];
        value[i - 1] = value[other];
        value[other] = swapped;
    }
}

/* What lies in regions [0, to) of all. */
static double work_up_to(double to, const double *density)
{
    uint32_t whole = (uint32_t)to;
    double sum = 0;

    for (uint32_t i = 0; i < whole && i < WEIGHTS_REGIONS; i++) {
        sum += density[i];
    }
    return whole < WEIGHTS_REGIONS ? sum + (to - whole) * density[whole] : sum;
}

/* Densities are quantiles of the distribution: only their order is by chance. */
static void make_pareto(double shape, uint64_t seed, uint32_t tasks, double *weight)
{
    double density[WEIGHTS_REGIONS], size = (double)WEIGHTS_REGIONS / tasks;

    for (uint32_t i = 0; i < WEIGHTS_REGIONS; i++) {
        density[i] = pow(1 - (i + 0.5) / WEIGHTS_REGIONS, -1 / shape);
    }
    shuffle(seed, WEIGHTS_REGIONS, density);
    for (uint32_t i = 0; i < tasks; i++) {
        weight[i] = work_up_to((i + 1) * size, density) - work_up_to(i * size, density);
    }
}

static void scale(uint32_t tasks, double total_s, double *weight)
{
    double sum = 0;

    for (uint32_t i = 0; i < tasks; i++) {
        sum += weight[i];
    }
    for (uint32_t i = 0; i < tasks; i++) {
        weight[i] *= total_s / sum;
    }
}

bool weights_make(const char *text, uint32_t tasks, double total_s, double *weight_s)
{
    double first, second;
    unsigned long seed;

    if (sscanf(text, "linear:%lf", &first) == 1 && first >= 1) {
        make_linear(first, tasks, weight_s);
    } else if (sscanf(text, "heavy:%lf:%lf", &first, &second) == 2 && first >= 0 && first <= 100 &&
               second >= 1) {
        make_heavy(first, second, tasks, weight_s);
    } else if (sscanf(text, "pareto:%lf:%lu", &first, &seed) == 2 && first > 1) {
        make_pareto(first, seed, tasks, weight_s);
    } else {
        return false;
    }
    scale(tasks, total_s, weight_s);
    return true;
}

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return a < b ? -1 : a > b;
}

static double *sorted_weights(const double *weight_s, uint32_t tasks)
{
    double *sorted = malloc(tasks * sizeof *sorted);

    memcpy(sorted, weight_s, tasks * sizeof *sorted);
    qsort(sorted, tasks, sizeof *sorted, compare);
    return sorted;
}

bool weights_split(const double *weight_s, uint32_t tasks, struct keel_bimodal *classes)
{
    double *sorted = sorted_weights(weight_s, tasks);
    bool fine = keel_bimodal_split(sorted, tasks, classes);
    free(sorted);
    return fine;
}

/* Equal weights are of one class: a split between them errs more than one beside them. */
bool weights_two_classes(uint32_t tasks, double *weight_s)
{
    struct keel_bimodal classes;

    if (!weights_split(weight_s, tasks, &classes)) {
        return false;
    }
    double *sorted = sorted_weights(weight_s, tasks);
    double heaviest_light_s = sorted[classes.light - 1];
    free(sorted);
    for (uint32_t i = 0; i < tasks; i++) {
        weight_s[i] = weight_s[i] <= heaviest_light_s ? classes.light_mean : classes.heavy_mean;
    }
    return true;
}
