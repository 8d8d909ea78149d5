/* The pipeline model for `keel model`: schedules/model/pipeline.h. */
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "schedules/model/pipeline.h"

struct input {
    struct keel_pipeline pipeline;
    uint64_t block;
    double bytes, per_byte;
};

static const struct keel_model_parameter parameters[] = {
    COUNT("workers", "", 1, 1e6, 4, pipeline.workers, "P, each with its part of every row"),
    COUNT("elements", "", 1, 1e12, 1000, pipeline.elements, "m, that a worker can cut into blocks"),
    REAL("sequential", "s", 0, 1e12, 0.01, pipeline.sequential_s, "the whole sweep on one worker"),
    COUNT("block", "", 1, 1e12, 1, block, "elements between two messages; more than m count as m",
          .chosen = true),
    REAL("bytes", "B", 0, 1e12, 8, bytes, "that an element adds to a message"),
    COST("startup", KEEL_MODEL_STARTUP_S, pipeline.fixed_s, "t_fixed, an empty message"),
    COST("per-byte", KEEL_MODEL_BYTE_S, per_byte, "what each byte adds to it"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "of a sweep (S4)"},
    {"blocks", "", "M, ceil(m / block)"},
    {"efficiency", "", "sequential / (P time)"},
    {"bound", "", "efficiency if messages cost nothing (S3)"},
    {"best-block", "", "block with the least time, of those that programs look at"},
    {"best-time", "s", "of a sweep with it"},
    {"best-blocks", "", "M* (S5)"},
};

/* A sweep that takes no time loses none. */
static bool evaluate(void *input, double *result, char *problem)
{
    struct input *in = input;
    struct keel_pipeline *pipeline = &in->pipeline;

    (void)problem;
    pipeline->incr_s = in->per_byte * in->bytes;
    struct keel_pipeline_blocks cut = keel_pipeline_cut(pipeline->elements, in->block);
    struct keel_pipeline_blocks best = keel_pipeline_best(pipeline);
    double time_s = keel_pipeline_block_time(pipeline, cut.size);
    const double all[] = {
        time_s,
        (double)cut.blocks,
        time_s > 0 ? pipeline->sequential_s / (pipeline->workers * time_s) : 1,
        keel_pipeline_bound((double)cut.blocks, pipeline->workers),
        (double)best.size,
        keel_pipeline_block_time(pipeline, best.size),
        keel_pipeline_best_blocks(pipeline),
    };
    memcpy(result, all, sizeof all);
    return true;
}

/* What a program would choose first, then powers of two. */
static size_t candidates(void *input, const char *parameter, struct keel_model_value *candidate)
{
    struct input *in = input;
    size_t count = 0;

    if (strcmp(parameter, "block") != 0) {
        return 0;
    }
    in->pipeline.incr_s = in->per_byte * in->bytes;
    uint64_t best = keel_pipeline_best(&in->pipeline).size;
    candidate[count++].number = (double)best;
    for (uint64_t size = 1; size <= in->pipeline.elements; size *= 2) {
        if (size != best) {
            candidate[count++].number = (double)size;
        }
    }
    return count;
}

const struct keel_model keel_model_pipeline = {
    .name = "pipeline",
    .summary = "a pipelined sweep by the size of its blocks",
    .source = "Siegell & Steenkiste 1997",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
    .candidates = candidates,
};
