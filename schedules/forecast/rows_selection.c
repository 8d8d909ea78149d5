/* `auto` for rows. */
#include "schedules/forecast/rows_selection.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/threshold.h"
#include "schedules/model/iterative/choice.h"

const struct keel_rows_candidate keel_rows_candidates[KEEL_ROWS_CANDIDATES] = {
    {KEEL_DECIDE_BY_RATE, KEEL_GRAPH_ALL, "rate"},
    {KEEL_DECIDE_BY_TREE, KEEL_GRAPH_ALL, "tree"},
    {KEEL_DECIDE_BY_DIFFUSION, KEEL_GRAPH_RING, "diffusion"},
    {KEEL_DECIDE_BY_REDISTRIBUTION, KEEL_GRAPH_ALL, "redistribution"},
};

/* Work that is not counted in rows is cut into so many tasks. */
#define TASKS 0x1p20
#define TASKS_MAX 0x1p52

static void set_rules(struct keel_iterative_rule *rule, double gain)
{
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        rule[i] = (struct keel_iterative_rule){
            .policy = keel_iterative_policies_find(keel_rows_candidates[i].model),
            .graph = keel_rows_candidates[i].graph,
            .gain = gain,
        };
    }
}

static size_t run_scratch(uint32_t workers)
{
    struct keel_iterative_rule rule[KEEL_ROWS_CANDIDATES];
    size_t most = 0;

    set_rules(rule, 0);
    for (unsigned i = 0; i < KEEL_ROWS_CANDIDATES; i++) {
        size_t size = keel_iterative_scratch(workers, &rule[i]);
        most = size > most ? size : most;
    }
    return most;
}

/* Tasks and powers come before what runs take. */
static size_t arrays_size(uint32_t workers)
{
    return workers * (sizeof(uint64_t) + sizeof(double)) + sizeof(long double);
}

size_t keel_rows_selection_scratch(uint32_t workers)
{
    return arrays_size(workers) + run_scratch(workers);
}

/* --- the situation --- */

struct sums {
    double work, rate;
    double phase_s; /* the latest worker's */
    bool whole;     /* work is in whole numbers */
};

/* A worker that has work and no rate says nothing, so it counts as the mean of the others. */
static struct sums sum_up(const struct keel_rows_outlook *outlook, double *power)
{
    struct sums sums = {.whole = true};
    uint32_t rates = 0;

    for (uint32_t w = 0; w < outlook->workers; w++) {
        power[w] = finite_amount(outlook->rate[w]);
        sums.rate += power[w];
        rates += power[w] > 0;
    }
    for (uint32_t w = 0; w < outlook->workers && rates > 0; w++) {
        double work = finite_amount(outlook->work[w]);
        power[w] = power[w] > 0 ? power[w] : sums.rate / rates;
        sums.work += work;
        sums.phase_s = fmax(sums.phase_s, work / power[w]);
        sums.whole = sums.whole && work == floor(work);
    }
    sums.rate += (outlook->workers - rates) * (rates > 0 ? sums.rate / rates : 0);
    return sums;
}

/* Returns tasks per work. */
static double set_tasks(const struct keel_rows_outlook *outlook, const struct sums *sums,
                        uint64_t *tasks)
{
    double scale = sums->whole && sums->work < TASKS_MAX ? 1 : TASKS / sums->work;

    for (uint32_t w = 0; w < outlook->workers; w++) {
        tasks[w] = count_of(finite_amount(outlook->work[w]) * scale + 0.5);
    }
    return scale;
}

#define WORK 8192 /* steps times workers, where there are many */
#define STEPS_MIN 4

/* Steps ahead, and how long each of them is. */
struct ahead {
    uint64_t steps;
    double step_s;
};

static struct ahead look_ahead(const struct keel_rows_outlook *outlook, double step_s)
{
    uint64_t most = max_u64(STEPS_MIN, min_u64(KEEL_ROWS_SELECTION_STEPS, WORK / outlook->workers));
    double steps = isinf(outlook->horizon_s) ? KEEL_ROWS_SELECTION_STEPS
                                             : ceil(finite_amount(outlook->horizon_s) / step_s);

    steps = fmax(1, fmin(steps, KEEL_ROWS_SELECTION_STEPS));
    if (steps <= (double)most) {
        return (struct ahead){(uint64_t)steps, step_s};
    }
    return (struct ahead){most, step_s * steps / (double)most};
}

/* --- the choice --- */

static unsigned quickest(const struct keel_iterative_result *result)
{
    unsigned best = 0;

    for (unsigned i = 1; i < KEEL_ROWS_CANDIDATES; i++) {
        if (result[i].time_s < (1 - KEEL_ROWS_SELECTION_BETTER) * result[0].time_s &&
            result[i].time_s < result[best].time_s) {
            best = i;
        }
    }
    return best;
}

unsigned keel_rows_selection_choose(const struct keel_rows_outlook *outlook, double *time_s,
                                    void *scratch)
{
    struct keel_iterative_rule rule[KEEL_ROWS_CANDIDATES];
    struct keel_iterative_result result[KEEL_ROWS_CANDIDATES] = {0};
    double *power = scratch;
    uint64_t *tasks = (uint64_t *)(power + outlook->workers);
    struct sums sums = sum_up(outlook, power);
    bool worth =
        sums.work > 0 && isfinite(sums.phase_s) &&
        keel_threshold_gain(sums.phase_s, sums.work / sums.rate) >= finite_amount(outlook->gain);

    if (worth) {
        double scale = set_tasks(outlook, &sums, tasks);
        struct ahead ahead =
            look_ahead(outlook, fmax(finite_amount(outlook->step_s), sums.phase_s));
        struct keel_iterative iterative = {
            .workers = outlook->workers,
            .power = power,
            .tasks = tasks,
            .task = ahead.step_s / sums.phase_s / scale,
            .steps = 1 + ahead.steps, /* the first one is over */
            .adjacent = outlook->adjacent,
            .costs = {.message_s = finite_amount(outlook->message_s),
                      .task_s = finite_amount(outlook->row_s) * (double)outlook->rows / sums.work /
                                scale},
        };
        set_rules(rule, finite_amount(outlook->gain));
        keel_iterative_choice(&iterative, rule, KEEL_ROWS_CANDIDATES, result,
                              (char *)scratch + arrays_size(outlook->workers) /
                                                    sizeof(long double) * sizeof(long double));
    }
    for (unsigned i = 0; time_s != NULL && i < KEEL_ROWS_CANDIDATES; i++) {
        time_s[i] = result[i].time_s;
    }
    return quickest(result);
}
