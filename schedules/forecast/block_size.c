/* Measurements of pipelined sweeps, and the block size of the next one. */
#include "schedules/forecast/block_size.h"

#include <math.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/model/pipeline.h"

/* --- widths --- */

uint64_t keel_block_size_width_at(unsigned kind)
{
    return kind == 0       ? 1
           : kind % 2 == 1 ? UINT64_C(1) << (kind + 1) / 2
                           : UINT64_C(3) << (kind / 2 - 1);
}

unsigned keel_block_size_index_of(uint64_t width)
{
    unsigned kind = 0;

    while (kind + 1 < KEEL_BLOCK_SIZE_WIDTHS && keel_block_size_width_at(kind + 1) <= width) {
        kind++;
    }
    return kind;
}

/* --- how a sweep is cut --- */

#define SAMPLES 3 /* blocks of each width in a sweep that probes */

static void add_run(struct keel_block_size_cut *cut, uint64_t width, uint64_t to)
{
    if (cut->runs == 0 || to > cut->run[cut->runs - 1].to) {
        cut->run[cut->runs].width = width;
        cut->run[cut->runs++].to = to;
    }
}

static void add_samples(struct keel_block_size_cut *cut, uint64_t width, uint64_t elements,
                        uint64_t group)
{
    uint64_t from = cut->runs > 0 ? cut->run[cut->runs - 1].to : 0;
    uint64_t blocks = max_u64(SAMPLES, 2 * div_ceil(group, width));

    add_run(cut, width, blocks < (elements - from) / width ? from + blocks * width : elements);
}

struct keel_block_size_cut keel_block_size_cut(uint64_t elements, uint64_t size, bool learns,
                                               uint64_t group)
{
    struct keel_block_size_cut cut = {.size = keel_pipeline_cut(elements, size).size};
    int kind = (int)keel_block_size_index_of(cut.size);

    for (int i = kind; learns && i >= 0; i -= 2) {
        add_samples(&cut, i == kind ? cut.size : keel_block_size_width_at((unsigned)i), elements,
                    group);
    }
    add_run(&cut, cut.size, elements);
    return cut;
}

uint64_t keel_block_size_width(const struct keel_block_size_cut *cut, uint64_t from)
{
    unsigned i = 0;

    while (i + 1 < cut->runs && from >= cut->run[i].to) {
        i++;
    }
    return min_u64(cut->run[i].width, cut->run[i].to - from);
}

/* --- the cost of blocks on one rank --- */

static void keep_smaller(double *smallest, double time_s)
{
    if (*smallest == 0 || time_s < *smallest) {
        *smallest = time_s;
    }
}

void keel_block_size_costs_note(struct keel_block_size_costs *costs, uint64_t rows, uint64_t width,
                                double time_s)
{
    unsigned kind = keel_block_size_index_of(width);

    if (!(time_s > 0) || isinf(time_s) || keel_block_size_width_at(kind) != width) {
        costs->elements = 0;
        return;
    }
    if (costs->elements == 0 || costs->width != width) {
        costs->width = width;
        costs->elements = 0;
        costs->time_s = 0;
    }
    costs->elements += width;
    costs->time_s += time_s / (double)rows;
    if (costs->elements >= costs->group) {
        double blocks = (double)costs->elements / (double)width;
        keep_smaller(&costs->sweep_s[kind], costs->time_s / blocks);
        costs->elements = 0;
    }
}

#define SAME 1.25 /* times within this factor differ by noise, others by the speed */

/* Scales all known times by the change of the most frequent width's. */
static void follow_speed(struct keel_block_size_costs *costs, unsigned kind)
{
    double ratio = costs->sweep_s[kind] / costs->row_s[kind];

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS && (ratio > SAME || ratio < 1 / SAME); i++) {
        costs->row_s[i] *= ratio;
    }
}

void keel_block_size_costs_end(struct keel_block_size_costs *costs, uint64_t size, bool learns)
{
    unsigned most = keel_block_size_index_of(size);

    costs->elements = 0;
    if (!learns && costs->row_s[most] > 0 && costs->sweep_s[most] > 0) {
        follow_speed(costs, most);
    }
    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        if (costs->sweep_s[i] > 0 && learns) {
            keep_smaller(&costs->row_s[i], costs->sweep_s[i]);
        } else if (costs->sweep_s[i] > 0) {
            costs->row_s[i] = costs->sweep_s[i];
        }
        costs->sweep_s[i] = 0;
    }
}

/* The next kind from `kind` on, in steps of 1 or -1, with a known time; or the end of the kinds. */
static int next_known(const double *time_s, int kind, int step)
{
    while (kind >= 0 && kind < KEEL_BLOCK_SIZE_WIDTHS && !(time_s[kind] > 0)) {
        kind += step;
    }
    return kind;
}

/* On the line through two kinds. */
static double on_line(const double *time_s, int low, int high, double width)
{
    double a = (double)keel_block_size_width_at((unsigned)low);
    double b = (double)keel_block_size_width_at((unsigned)high);

    return time_s[low] + (time_s[high] - time_s[low]) * (width - a) / (b - a);
}

/* Below known widths, and above them, the time per element is that of the nearest one. */
double keel_block_size_time_s(const double *time_s, uint64_t width)
{
    int kind = (int)keel_block_size_index_of(max_u64(1, width));
    int low = next_known(time_s, kind, -1), high = next_known(time_s, kind + 1, 1);
    double real = (double)width;

    if (low >= 0 &&
        (high == KEEL_BLOCK_SIZE_WIDTHS || keel_block_size_width_at((unsigned)low) == width)) {
        return time_s[low] * real / (double)keel_block_size_width_at((unsigned)low);
    }
    if (low < 0 && high < KEEL_BLOCK_SIZE_WIDTHS) {
        return time_s[high] * real / (double)keel_block_size_width_at((unsigned)high);
    }
    return low < 0 ? 0 : on_line(time_s, low, high, real);
}

/* --- measurements of all ranks --- */

void keel_block_size_filling_note(struct keel_block_size_filling *filling,
                                  const struct keel_block_size_measurements *all, double hop_s)
{
    double step_s = all->busy_s / all->blocks + hop_s;
    double steps = (all->span_s - all->busy_s - hop_s) / step_s;

    if (all->blocks > 0 && step_s > 0 && !isnan(steps)) {
        filling->step[filling->next] = fmax(1, steps);
        filling->next = (filling->next + 1) % KEEL_BLOCK_SIZE_FILLINGS;
    }
}

double keel_block_size_filling_steps(const struct keel_block_size_filling *filling,
                                     uint32_t workers)
{
    double steps = workers - 1.0;

    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_FILLINGS; i++) {
        if (filling->step[i] > 0) {
            steps = fmin(steps, filling->step[i]);
        }
    }
    return steps;
}

/* --- messages --- */

#define LINE 64 /* bytes of a cache line */

struct keel_block_size_messages keel_block_size_messages_of(double short_s, double long_s,
                                                            double bytes, double element,
                                                            double hop_s)
{
    double more_s = fmax(0, long_s - short_s);

    return (struct keel_block_size_messages){
        .fixed_s = fmax(short_s, long_s * fmin(1, LINE / bytes)),
        .incr_s = bytes > 1 ? more_s / (bytes - 1) * element : 0,
        .hop_s = hop_s,
    };
}

/* --- the next size --- */

/* Blocks of the first sweep, at least: the last of P workers waits for P - 1 of them, and each
 * costs a message, which takes far less than the block unless hardly anything is computed. */
#define FIRST_BLOCKS 64

/* Blocks of any other sweep to learn from, at least. */
#define TRIAL_BLOCKS 8

/* The largest width that makes at least `blocks` blocks, and as many as workers. */
static uint64_t width_of(uint32_t workers, uint64_t elements, uint64_t blocks)
{
    uint64_t size = elements / max_u64(blocks, workers);

    return workers <= 1 ? elements : keel_block_size_width_at(keel_block_size_index_of(size));
}

uint64_t keel_block_size_first(uint32_t workers, uint64_t elements)
{
    return width_of(workers, elements, FIRST_BLOCKS);
}

/* S4 for blocks of a width, with their measured time. Linear between whole numbers of workers. */
static double time_of(const struct keel_block_size_messages *messages,
                      const struct keel_block_size_measurements *all, double filling,
                      uint64_t elements, uint64_t width)
{
    double share_s = keel_block_size_time_s(all->block_s, width) * (double)elements / (double)width;
    double whole = floor(filling), time_s[2];

    for (int i = 0; i < 2; i++) {
        struct keel_pipeline model = {
            .workers = (uint32_t)whole + 1 + (uint32_t)i,
            .elements = elements,
            .fixed_s = messages->fixed_s,
            .incr_s = messages->incr_s,
        };
        model.sequential_s = share_s * model.workers;
        time_s[i] = keel_pipeline_block_time(&model, width);
    }
    return time_s[0] + (time_s[1] - time_s[0]) * (filling - whole);
}

uint64_t keel_block_size_next(const struct keel_block_size_messages *messages,
                              const struct keel_block_size_measurements *all, double filling,
                              uint32_t workers, uint64_t elements, uint64_t size)
{
    uint64_t best = elements;

    if (workers <= 1) {
        return elements;
    }
    if (!(keel_block_size_time_s(all->block_s, 1) > 0)) {
        return keel_block_size_first(workers, elements);
    }
    double best_s = time_of(messages, all, filling, elements, best);
    for (unsigned i = 0; i < KEEL_BLOCK_SIZE_WIDTHS && keel_block_size_width_at(i) < elements;
         i++) {
        double time_s = time_of(messages, all, filling, elements, keel_block_size_width_at(i));
        if (time_s < best_s) {
            best = keel_block_size_width_at(i);
            best_s = time_s;
        }
    }
    bool stays = size > 0 && time_of(messages, all, filling, elements, size) <= 1.003 * best_s;
    return stays ? size : best;
}

/* Times of blocks wider than the known ones lie on the line through the widest one and one of half
 * that width, as each row's part of a block takes a time to start. */
static void expect_wider(double *time_s)
{
    int high = next_known(time_s, KEEL_BLOCK_SIZE_WIDTHS - 1, -1);

    for (int i = high + 1; high >= 2 && time_s[high - 2] > 0 && i < KEEL_BLOCK_SIZE_WIDTHS; i++) {
        double width = (double)keel_block_size_width_at((unsigned)i);
        time_s[i] = fmax(time_s[high], on_line(time_s, high - 2, high, width));
    }
}

uint64_t keel_block_size_second(const struct keel_block_size_messages *messages,
                                const struct keel_block_size_measurements *own, uint32_t workers,
                                uint64_t elements)
{
    struct keel_block_size_measurements expected = *own;

    expect_wider(expected.block_s);
    uint64_t best = keel_block_size_next(messages, &expected, 1, workers, elements, 0);
    return max_u64(keel_block_size_first(workers, elements),
                   min_u64(best, width_of(workers, elements, TRIAL_BLOCKS)));
}
