/* What pipelined sweeps have shown, and the block size of the next one. */
#include "schedules/model/sweep.h"

#include <math.h>
#include <stddef.h>

#include "schedules/loop/arithmetic.h"
#include "schedules/model/pipeline.h"

/* --- how a sweep is cut --- */

#define PARTS 4 /* of a block, or blocks in one */

struct keel_sweep_cut keel_sweep_cut(uint64_t elements, uint64_t size, bool probe)
{
    struct keel_sweep_cut cut = {.elements = elements,
                                 .size = keel_pipeline_cut(elements, size).size};
    uint64_t middle = elements / cut.size / 2 * cut.size;

    if (probe && middle > 0) {
        bool divides = cut.size >= PARTS;
        cut.other = divides ? div_ceil(cut.size, PARTS) : min_u64(cut.size * PARTS, elements);
        cut.other_first = middle;
        cut.other_last = min_u64(elements, middle + cut.other * (divides ? PARTS : 1));
    }
    return cut;
}

uint64_t keel_sweep_width(const struct keel_sweep_cut *cut, uint64_t from)
{
    uint64_t width = cut->size, end = cut->elements;

    if (from >= cut->other_first && from < cut->other_last) {
        width = cut->other;
        end = cut->other_last;
    } else if (from < cut->other_first) {
        end = cut->other_first;
    }
    return min_u64(width, end - from);
}

/* --- what blocks cost on one rank --- */

static bool is_time(double time_s)
{
    return time_s > 0 && !isinf(time_s);
}

static void keep_smaller(double *smallest, double time_s)
{
    if (*smallest == 0 || time_s < *smallest) {
        *smallest = time_s;
    }
}

static void expect(struct keel_sweep_costs *costs, int kind, uint64_t width)
{
    if (costs->width[kind] != width) {
        costs->width[kind] = width;
        costs->row_s[kind] = 0;
    }
}

void keel_sweep_costs_begin(struct keel_sweep_costs *costs, const struct keel_sweep_cut *cut)
{
    if (costs->width[0] != cut->size) {
        expect(costs, 1, 0);
    }
    expect(costs, 0, cut->size);
    if (cut->other_first < cut->other_last) {
        expect(costs, 1, cut->other);
    }
    costs->sweep_s[0] = costs->sweep_s[1] = 0;
}

void keel_sweep_costs_note(struct keel_sweep_costs *costs, uint64_t rows, uint64_t width,
                           double time_s)
{
    for (int kind = 0; kind < 2 && rows > 0 && is_time(time_s); kind++) {
        if (width > 0 && width == costs->width[kind]) {
            keep_smaller(&costs->sweep_s[kind], time_s / (double)rows);
        }
    }
}

/* A row's part of two widths is on a line whose height at width 0 is what starting takes. */
static double start_of(const struct keel_sweep_costs *costs)
{
    double widths = (double)costs->width[0] - (double)costs->width[1];
    double element_s = (costs->row_s[0] - costs->row_s[1]) / widths;

    if (!(element_s > 0)) {
        return costs->start; /* noise: no line of work */
    }
    return fmax(0, costs->row_s[0] / element_s - (double)costs->width[0]);
}

void keel_sweep_costs_end(struct keel_sweep_costs *costs)
{
    for (int kind = 0; kind < 2; kind++) {
        if (costs->sweep_s[kind] > 0) {
            keep_smaller(&costs->row_s[kind], costs->sweep_s[kind]);
        }
    }
    if (costs->row_s[0] > 0 && costs->row_s[1] > 0) {
        costs->start = start_of(costs);
    }
    for (int kind = 1; kind >= 0; kind--) { /* most blocks rule */
        if (costs->sweep_s[kind] > 0) {
            costs->element_s = costs->sweep_s[kind] / (costs->start + (double)costs->width[kind]);
        }
    }
}

/* --- what all ranks tell --- */

void keel_sweep_filling_note(struct keel_sweep_filling *filling,
                             const struct keel_sweep_figures *all, double hop_s)
{
    double step_s = all->busy_s / all->blocks + hop_s;
    double steps = (all->span_s - all->busy_s) / step_s;

    if (all->blocks > 0 && step_s > 0 && steps >= 0) {
        filling->step[filling->next] = fmax(1, steps);
        filling->next = (filling->next + 1) % KEEL_SWEEP_FILLINGS;
    }
}

double keel_sweep_filling_steps(const struct keel_sweep_filling *filling, uint32_t workers)
{
    double steps = workers - 1.0;

    for (unsigned i = 0; i < KEEL_SWEEP_FILLINGS; i++) {
        if (filling->step[i] > 0) {
            steps = fmin(steps, filling->step[i]);
        }
    }
    return steps;
}

/* --- the next size --- */

uint64_t keel_sweep_size(const struct keel_sweep_messages *messages,
                         const struct keel_sweep_figures *all, double filling, uint32_t workers,
                         uint64_t elements, uint64_t size)
{
    struct keel_pipeline_estimate unknown = {0};
    struct keel_pipeline model = {.workers = 1 + (uint32_t)lround(filling), .elements = elements};

    if (workers <= 1) {
        return elements;
    }
    if (!(all->column_s > 0)) {
        return keel_pipeline_choose(&unknown, workers, elements, 0, NULL).size;
    }
    model.sequential_s = all->column_s * (double)elements * model.workers;
    model.fixed_s = messages->fixed_s + all->start_s;
    model.incr_s = messages->incr_s;
    uint64_t best = keel_pipeline_best(&model).size;
    bool stays = size > 0 && keel_pipeline_block_time(&model, size) <=
                                 1.01 * keel_pipeline_block_time(&model, best);
    return stays ? size : best;
}
