/* The pipeline model for `keel model`: schedules/model/pipeline.h. */
#include <math.h>
#include <string.h>

#include "omp_ext/command/model/kinds/models.h"
#include "schedules/model/pipeline.h"

enum { WORKERS, ELEMENTS, SEQUENTIAL, BLOCK, BYTES, STARTUP, PER_BYTE, PARAMETERS };

static const struct keel_model_parameter parameters[] = {
    [WORKERS] = KEEL_MODEL_A_COUNT("workers", "", 1, 1e6, 4, "P, each with its part of every row"),
    [ELEMENTS] =
        KEEL_MODEL_A_COUNT("elements", "", 1, 1e12, 1000, "m, that a worker can cut into blocks"),
    [SEQUENTIAL] =
        KEEL_MODEL_A_REAL("sequential", "s", 0, 1e12, 0.01, "the whole sweep on one worker"),
    [BLOCK] =
        KEEL_MODEL_A_COUNT("block", "", 1, 1e12, 1,
                           "elements between two messages; more than m count as m", .chosen = true),
    [BYTES] = KEEL_MODEL_A_REAL("bytes", "B", 0, 1e12, 8, "that an element adds to a message"),
    [STARTUP] =
        KEEL_MODEL_A_COST("startup", KEEL_MACHINE_MESSAGE_STARTUP, "t_fixed, an empty message"),
    [PER_BYTE] =
        KEEL_MODEL_A_COST("per-byte", KEEL_MACHINE_MESSAGE_BYTE, "what each byte adds to it"),
    [PARAMETERS] = {0},
};

enum { TIME, BLOCKS, EFFICIENCY, BOUND, BEST_BLOCK, BEST_TIME, BEST_BLOCKS, RESULTS };

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "of a sweep (S4)"},
    [BLOCKS] = {.name = "blocks", .unit = "", .text = "M, ceil(m / block)"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "sequential / (P time)"},
    [BOUND] = {.name = "bound", .unit = "", .text = "efficiency if messages cost nothing (S3)"},
    [BEST_BLOCK] = {.name = "best-block",
                    .unit = "",
                    .text = "block with the least time, of those that programs look at"},
    [BEST_TIME] = {.name = "best-time", .unit = "s", .text = "of a sweep with it"},
    [BEST_BLOCKS] = {.name = "best-blocks", .unit = "", .text = "M* (S5)", .endless = "endless"},
    [RESULTS] = {0},
};

static struct keel_pipeline pipeline_of(const struct keel_model_value *value)
{
    return (struct keel_pipeline){
        .workers = (uint32_t)value[WORKERS].number,
        .elements = (uint64_t)value[ELEMENTS].number,
        .sequential_s = value[SEQUENTIAL].number,
        .fixed_s = value[STARTUP].number,
        .incr_s = value[PER_BYTE].number * value[BYTES].number,
    };
}

/* A sweep that takes no time loses none. */
static double efficiency(const struct keel_pipeline *pipeline, double time_s)
{
    return time_s > 0 ? pipeline->sequential_s / (pipeline->workers * time_s) : 1;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    struct keel_pipeline pipeline = pipeline_of(input->value);
    struct keel_pipeline_blocks cut =
        keel_pipeline_cut(pipeline.elements, (uint64_t)input->value[BLOCK].number);
    struct keel_pipeline_blocks best = keel_pipeline_best(&pipeline);

    (void)problem;
    result[TIME] = keel_pipeline_block_time(&pipeline, cut.size);
    result[BLOCKS] = (double)cut.blocks;
    result[EFFICIENCY] = efficiency(&pipeline, result[TIME]);
    result[BOUND] = keel_pipeline_bound((double)cut.blocks, pipeline.workers);
    result[BEST_BLOCK] = (double)best.size;
    result[BEST_TIME] = keel_pipeline_block_time(&pipeline, best.size);
    result[BEST_BLOCKS] = keel_pipeline_best_blocks(&pipeline);
    return true;
}

/* What a program would choose first, then powers of two. */
static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    struct keel_pipeline pipeline = pipeline_of(input->value);
    size_t count = 0;

    if (parameter != BLOCK) {
        return 0;
    }
    candidate[count++].number = (double)keel_pipeline_best(&pipeline).size;
    for (double size = 1; size <= (double)pipeline.elements && count < room; size *= 2) {
        candidate[count++].number = size;
    }
    return count;
}

const struct keel_model keel_model_pipeline = {
    .name = "pipeline",
    .summary = "a pipelined sweep by the size of its blocks",
    .source = "Siegell & Steenkiste 1997",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .evaluate = evaluate,
    .candidates = candidates,
};
