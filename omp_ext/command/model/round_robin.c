/* The model of round-robin scheduling for `keel model`: schedules/model/round_robin.h, whose times
 * are in quanta. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "schedules/model/round_robin.h"
#include "schedules/text/number.h"

#define WORKERS_MAX 1024
#define COMPETING_MAX 1000
#define TURNS_MAX 1e8 /* blocks * workers of a play */

struct input {
    struct keel_round_robin run;
    const char *competing;
    double sequential_s, grain_s, quantum_s;
};

static const char *const kind_words[] = {"pipeline", "barrier"}; /* as the model's kinds */
static const char *const shares_words[] = {"balanced", "equal"};

static bool check_competing(const char *text, char *problem)
{
    double number[WORKERS_MAX];
    size_t count = keel_number_list(text, 0, COMPETING_MAX, WORKERS_MAX, number);
    bool whole = count > 0;

    for (size_t i = 0; i < count && i < WORKERS_MAX; i++) {
        whole = whole && number[i] == floor(number[i]);
    }
    snprintf(problem, KEEL_MODEL_TEXT_MAX, "not a list of whole numbers from 0 to %d",
             COMPETING_MAX);
    return whole;
}

static const struct keel_model_parameter parameters[] = {
    COUNT("workers", "", 1, WORKERS_MAX, 4, run.workers, "P"),
    TEXT("competing", check_competing, "1", competing,
         "processes beside each worker, 1,0,2; 0 behind the end of the list"),
    WORD("kind", kind_words, 0, run.kind, "how workers wait for each other"),
    REAL("sequential", "s", 0, 1e9, 60, sequential_s, "the job on one processor"),
    REAL("grain", "s", 0, 1e9, 0.15, grain_s,
         "a block, from one synchronisation to the next; 0: one block is all", .chosen = true),
    WORD("shares", shares_words, 0, run.equal, "by available processors, or equal"),
    REAL("quantum", "s", 1e-6, 1e3, 0.1, quantum_s, "of the system's scheduling"),
    COUNT("seed", "", 0, 1e15, 0, run.seed,
          "of turns at first; 0: each worker begins with its own"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "of the job"},
    {"efficiency", "", "S1"},
    {"fair", "", "the same if competing processes got their parts and no more"},
    {"bound", "", "of the efficiency (S3)"},
    {"blocks", "", "M"},
    {"available", "", "processors, the sum of their parts"},
    {"others", "s", "processor time that competing processes got"},
};

static bool play(const struct input *in, double *result, char *problem)
{
    void *scratch = malloc(keel_round_robin_scratch(in->run.workers));

    if (scratch == NULL) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "no memory for so many workers");
        return false;
    }
    struct keel_round_robin_result played = keel_round_robin_simulate(&in->run, scratch);
    const double all[] = {
        played.elapsed * in->quantum_s,
        played.efficiency,
        played.fair,
        played.bound,
        (double)played.blocks,
        played.available,
        played.competing * in->quantum_s,
    };
    free(scratch);
    memcpy(result, all, sizeof all);
    return true;
}

static bool evaluate(void *input, double *result, char *problem)
{
    struct input *in = input;
    double number[WORKERS_MAX], available = 0;
    uint32_t competing[WORKERS_MAX];
    size_t count = keel_number_list(in->competing, 0, COMPETING_MAX, WORKERS_MAX, number);

    for (uint32_t i = 0; i < in->run.workers; i++) {
        competing[i] = i < count ? (uint32_t)number[i] : 0;
        available += 1 / (1.0 + competing[i]);
    }
    double blocks = ceil(in->sequential_s / (in->grain_s * available));
    blocks = blocks < KEEL_ROUND_ROBIN_BLOCKS_MAX ? blocks : KEEL_ROUND_ROBIN_BLOCKS_MAX;
    if (in->grain_s > 0 && blocks * in->run.workers > TURNS_MAX) {
        snprintf(problem, KEEL_MODEL_TEXT_MAX, "%g blocks on %u workers are too many to play",
                 blocks, in->run.workers);
        return false;
    }
    in->run.competing = competing;
    in->run.sequential = in->sequential_s / in->quantum_s;
    in->run.grain = in->grain_s / in->quantum_s;
    return play(in, result, problem);
}

/* From a sixteenth of a quantum up. */
static size_t candidates(void *input, const char *parameter, struct keel_model_value *candidate)
{
    const struct input *in = input;
    double most_s = strcmp(parameter, "grain") == 0 ? fmax(in->quantum_s, in->sequential_s) : 0;
    size_t count = 0;

    for (double grain_s = in->quantum_s / 16; grain_s <= most_s; grain_s *= 2) {
        candidate[count++].number = grain_s;
    }
    return count;
}

const struct keel_model keel_model_round_robin = {
    .name = "round-robin",
    .summary = "a balanced job on processors that the system shares out by turns",
    .source = "Siegell & Steenkiste 1997",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
    .candidates = candidates,
};
