/* What Keel's models say about the experiments of Siegell and Steenkiste (PAPERS.md S1-S17).
 *
 *   model turns pipelined|barrier QUANTA LOADS GRAIN...
 *       of loops under round-robin scheduling; LOADS as 1,0,0,0: a line "GRAIN EFFICIENCY BOUND"
 *   model oscillation NAME=VALUE...
 *       of a load that comes, first of all, and goes: a line "SECONDS EFFICIENCY", by S1
 *
 * Times in s, those of `turns` in quanta. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/model/oscillation.h"
#include "schedules/model/pipeline.h"

#define WORKERS_MAX 1024

/* "1,0,0,0": returns how many there are. */
static uint32_t read_loads(const char *text, uint32_t *competing)
{
    uint32_t workers = 0;

    for (bool more = true; more && workers < WORKERS_MAX; workers++) {
        char *behind;
        competing[workers] = (uint32_t)strtoul(text, &behind, 10);
        more = *behind == ',';
        text = behind + 1;
    }
    return workers;
}

static bool turns(int count, char **word)
{
    static uint32_t competing[WORKERS_MAX];
    struct keel_round_robin run = {.competing = competing};

    if (count < 4) {
        return false;
    }
    run.kind =
        strcmp(word[0], "barrier") == 0 ? KEEL_ROUND_ROBIN_BARRIER : KEEL_ROUND_ROBIN_PIPELINE;
    run.sequential = atof(word[1]);
    run.workers = read_loads(word[2], competing);
    void *scratch = malloc(keel_round_robin_scratch(run.workers));
    for (int i = 3; i < count && scratch != NULL; i++) {
        run.grain = atof(word[i]);
        struct keel_round_robin_result result = keel_round_robin_simulate(&run, scratch);
        double blocks = run.sequential / (run.grain * result.available);
        bool whole = run.kind == KEEL_ROUND_ROBIN_BARRIER || !(blocks >= 1 && isfinite(blocks));
        printf("%s %.4f %.4f\n", word[i], result.elapsed > 0 ? result.fair : 1, /* of no work */
               whole ? result.bound : keel_pipeline_bound(blocks, run.workers));
    }
    free(scratch);
    return scratch != NULL;
}

/* The value of NAME, among words NAME=VALUE; 0: it is not there. */
static double value_of(int count, char **word, const char *name)
{
    size_t length = strlen(name);

    for (int i = 0; i < count; i++) {
        if (strncmp(word[i], name, length) == 0 && word[i][length] == '=') {
            return atof(word[i] + length + 1);
        }
    }
    return 0;
}

#define VALUE(name) value_of(count, word, name)

static struct keel_oscillation read_oscillation(int count, char **word)
{
    struct keel_oscillation oscillation = {.workers = (uint32_t)VALUE("workers"),
                                           .loaded = 1,
                                           .taken = 0.5,
                                           .dedicated = VALUE("dedicated"),
                                           .off = {.length_s = VALUE("period") - VALUE("on")},
                                           .on = {.length_s = VALUE("on")},
                                           .begin_delay_s = VALUE("begin")};
    struct keel_oscillation_response response = {.period_s = VALUE("interact"),
                                                 .quantum_s = VALUE("quantum"),
                                                 .threshold = VALUE("near"),
                                                 .filtered = VALUE("filtered") > 0,
                                                 .pipelined = VALUE("pipelined") > 0,
                                                 .gain = VALUE("gain")};
    struct keel_oscillation_data data = {.rows = VALUE("rows"),
                                         .row_bytes = VALUE("row_bytes"),
                                         .alpha_s = VALUE("alpha"),
                                         .beta_s = VALUE("beta")};

    keel_oscillation_respond(&oscillation, &response);
    oscillation.on.movement_s = keel_oscillation_movement(&oscillation, &data);
    oscillation.off.movement_s = oscillation.on.movement_s;
    return VALUE("none") > 0 ? keel_oscillation_unbalanced(&oscillation) : oscillation;
}

static bool oscillation(int count, char **word)
{
    struct keel_oscillation oscillation = read_oscillation(count, word);
    struct keel_oscillation_parts parts = keel_oscillation_job(&oscillation, VALUE("sequential"));

    printf("%.2f %.4f\n", parts.elapsed_s, keel_oscillation_efficiency(&parts));
    return true;
}

static const struct {
    const char *name;
    bool (*print)(int count, char **word);
} models[] = {{"turns", turns}, {"oscillation", oscillation}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof models / sizeof models[0]; i++) {
        if (strcmp(argv[1], models[i].name) == 0 && models[i].print(argc - 2, argv + 2)) {
            return 0;
        }
    }
    fprintf(stderr, "keel: usage: model turns pipelined|barrier QUANTA LOADS GRAIN...\n"
                    "             model oscillation NAME=VALUE...\n");
    return 2;
}
