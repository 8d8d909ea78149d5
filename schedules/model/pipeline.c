/* The pipeline model. */
#include "schedules/model/pipeline.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"

/* With times that are none made 0. */
static struct keel_pipeline sound(const struct keel_pipeline *pipeline)
{
    struct keel_pipeline result = *pipeline;

    result.sequential_s = fmax(0, result.sequential_s);
    result.fixed_s = fmax(0, result.fixed_s);
    result.incr_s = fmax(0, result.incr_s);
    return result;
}

double keel_pipeline_bound(double blocks, uint32_t workers)
{
    return blocks / (blocks + workers - 1);
}

double keel_pipeline_block_time(const struct keel_pipeline *pipeline, uint64_t size)
{
    struct keel_pipeline p = sound(pipeline);
    struct keel_pipeline_blocks cut = keel_pipeline_cut(p.elements, size);
    double workers = p.workers, elements = (double)p.elements, b = (double)cut.size;
    double last = elements - b * ((double)cut.blocks - 1);

    if (p.workers == 1 || p.elements == 0) {
        return p.sequential_s / workers;
    }
    return p.sequential_s / workers * (1 + (workers - 1) * b / elements) +
           ((double)cut.blocks + workers - 2) * p.fixed_s +
           (elements + (workers - 1) * b - last) * p.incr_s;
}

double keel_pipeline_best_blocks(const struct keel_pipeline *pipeline)
{
    struct keel_pipeline p = sound(pipeline);
    double workers = p.workers;

    if (p.workers == 1) {
        return 1;
    }
    /* The best number of blocks (PAPERS.md S5): what waiting for first blocks costs, per block
     * size, over messages */
    double waiting_s =
        p.sequential_s * (1 - 1 / workers) + p.incr_s * (double)p.elements * (workers - 2);
    double ratio = waiting_s / p.fixed_s;
    return isnan(ratio) ? 1 : sqrt(ratio);
}

struct keel_pipeline_blocks keel_pipeline_cut(uint64_t elements, uint64_t size)
{
    size = max_u64(1, min_u64(size, elements));
    return (struct keel_pipeline_blocks){size, div_ceil(elements, size)};
}

/* Smallest blocks of which there are at most `blocks`, 1 .. m. */
static struct keel_pipeline_blocks even_blocks(uint64_t elements, uint64_t blocks)
{
    blocks = max_u64(1, min_u64(blocks, elements));
    return keel_pipeline_cut(elements, div_ceil(elements, blocks));
}

/* So many sizes on either side of m / M* are looked at: a few elements do not go into just any
 * number of blocks. */
#define REACH 4

static void keep_better(struct keel_pipeline_blocks *best, const struct keel_pipeline *pipeline,
                        uint64_t blocks)
{
    struct keel_pipeline_blocks other = even_blocks(pipeline->elements, blocks);

    if (keel_pipeline_block_time(pipeline, other.size) <
        keel_pipeline_block_time(pipeline, best->size)) {
        *best = other;
    }
}

struct keel_pipeline_blocks keel_pipeline_best(const struct keel_pipeline *pipeline)
{
    uint64_t m = pipeline->elements;
    double blocks = keel_pipeline_best_blocks(pipeline), size = floor((double)m / blocks);
    struct keel_pipeline_blocks best = even_blocks(m, count_of(blocks));

    for (int d = 1 - REACH; d <= REACH; d++) {
        keep_better(&best, pipeline, keel_pipeline_cut(m, count_of(size + d)).blocks);
    }
    return best;
}
