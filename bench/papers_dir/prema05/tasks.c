#include "bench/papers_dir/prema05/tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Reads the numbers of a file. 0: it is no such file. */
static uint32_t read_regions(const char *path, double *work)
{
    FILE *file = fopen(path, "r");
    uint32_t count = 0;

    if (file == NULL) {
        return 0;
    }
    while (count < WEIGHTS_REGIONS_MAX && fscanf(file, " %lf ,", &work[count]) == 1 &&
           work[count] > 0) {
        count++;
    }
    bool whole = count < WEIGHTS_REGIONS_MAX && feof(file);
    fclose(file);
    return whole ? count : 0;
}

/* What lies in regions [0, to) of all. */
static double work_up_to(double to, const double *work, uint32_t regions)
{
    uint32_t whole = (uint32_t)to;
    double sum = 0;

    for (uint32_t i = 0; i < whole && i < regions; i++) {
        sum += work[i];
    }
    return whole < regions ? sum + (to - whole) * work[whole] : sum;
}

/* Tasks are as many regions, or parts of regions, as each other, in the order of the file. */
static bool make_measured(const char *path, uint32_t tasks, double *weight)
{
    double work[WEIGHTS_REGIONS_MAX];
    uint32_t regions = read_regions(path, work);

    for (uint32_t i = 0; i < tasks && regions > 0; i++) {
        weight[i] = work_up_to((double)(i + 1) * regions / tasks, work, regions) -
                    work_up_to((double)i * regions / tasks, work, regions);
    }
    return regions > 0;
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

    if (sscanf(text, "linear:%lf", &first) == 1 && first >= 1) {
        make_linear(first, tasks, weight_s);
    } else if (sscanf(text, "heavy:%lf:%lf", &first, &second) == 2 && first >= 0 && first <= 100 &&
               second >= 1) {
        make_heavy(first, second, tasks, weight_s);
    } else if (strncmp(text, "measured:", 9) == 0) {
        if (!make_measured(text + 9, tasks, weight_s)) {
            return false;
        }
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

/* --- the communication graph --- */

uint32_t task_graph_neighbour(uint32_t tasks, uint32_t task, unsigned which)
{
    uint32_t row = (uint32_t)lround(sqrt(tasks));
    const uint32_t distance[TASK_GRAPH_NEIGHBOURS] = {1, tasks - 1, row, tasks - row};

    return (task + distance[which]) % tasks;
}

double task_graph_leaving(uint32_t tasks, uint32_t block)
{
    uint64_t leaving = 0;

    for (uint32_t task = 0; task < tasks; task++) {
        for (unsigned which = 0; which < TASK_GRAPH_NEIGHBOURS; which++) {
            leaving += task_graph_neighbour(tasks, task, which) / block != task / block;
        }
    }
    return (double)leaving / tasks;
}
