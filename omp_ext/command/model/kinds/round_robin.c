/* The model of round-robin scheduling for `keel model`: schedules/model/round_robin.h, whose times
 * are in quanta. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/models.h"
#include "schedules/model/round_robin.h"
#include "schedules/text/number.h"

#define WORKERS_MAX 1024
#define COMPETING_MAX 1000
#define TURNS_MAX 1e8 /* blocks * workers of a play */

enum { WORKERS, COMPETING, KIND, SEQUENTIAL, GRAIN, SHARES, QUANTUM, SEED, PARAMETERS };

static const char *kind_word(unsigned place)
{
    static const char *const words[] = {"pipeline", "barrier"}; /* as the model's kinds */

    return place <= KEEL_ROUND_ROBIN_BARRIER ? words[place] : NULL;
}

static const char *shares_word(unsigned place)
{
    static const char *const words[] = {"balanced", "equal"};

    return place < 2 ? words[place] : NULL;
}

static bool check_competing(const char *text, char *problem)
{
    double number[WORKERS_MAX];
    size_t count = keel_number_list(text, 0, COMPETING_MAX, WORKERS_MAX, number);
    bool whole = count > 0;

    for (size_t i = 0; i < count && i < WORKERS_MAX; i++) {
        whole = whole && number[i] == floor(number[i]);
    }
    if (!whole) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "not a list of whole numbers from 0 to %d",
                 COMPETING_MAX);
    }
    return whole;
}

/* Workers behind the end of the list have none. */
static void read_competing(const char *text, uint32_t *competing, uint32_t workers)
{
    double number[WORKERS_MAX];
    size_t count = keel_number_list(text, 0, COMPETING_MAX, WORKERS_MAX, number);

    for (uint32_t i = 0; i < workers; i++) {
        competing[i] = i < count ? (uint32_t)number[i] : 0;
    }
}

static const struct keel_model_parameter parameters[] = {
    [WORKERS] = KEEL_MODEL_A_COUNT("workers", "", 1, WORKERS_MAX, 4, "P"),
    [COMPETING] = {.name = "competing",
                   .unit = "",
                   .text = "processes beside each worker, 1,0,2; 0 behind the end of the list",
                   .kind = KEEL_MODEL_TEXT,
                   .standard = {.text = "1"},
                   .check = check_competing},
    [KIND] = KEEL_MODEL_A_WORD("kind", kind_word, "pipeline", "how workers wait for each other"),
    [SEQUENTIAL] = KEEL_MODEL_A_REAL("sequential", "s", 0, 1e9, 60, "the job on one processor"),
    [GRAIN] = KEEL_MODEL_A_REAL(
        "grain", "s", 0, 1e9, 0.15,
        "a block, from one synchronisation to the next; 0: one block is all", .chosen = true),
    [SHARES] =
        KEEL_MODEL_A_WORD("shares", shares_word, "balanced", "by available processors, or equal"),
    [QUANTUM] = KEEL_MODEL_A_REAL("quantum", "s", 1e-6, 1e3, 0.1, "of the system's scheduling"),
    [SEED] = KEEL_MODEL_A_COUNT("seed", "", 0, 1e15, 0,
                                "of turns at first; 0: each worker begins with its own"),
    [PARAMETERS] = {0},
};

enum { TIME, EFFICIENCY, FAIR, BOUND, BLOCKS, AVAILABLE, OTHERS, RESULTS };

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "of the job"},
    [EFFICIENCY] = {.name = "efficiency", .unit = "", .text = "S1"},
    [FAIR] = {.name = "fair",
              .unit = "",
              .text = "the same if competing processes got their parts and no more"},
    [BOUND] = {.name = "bound", .unit = "", .text = "of the efficiency (S3)"},
    [BLOCKS] = {.name = "blocks", .unit = "", .text = "M"},
    [AVAILABLE] = {.name = "available", .unit = "", .text = "processors, the sum of their parts"},
    [OTHERS] = {.name = "others",
                .unit = "s",
                .text = "processor time that competing processes got"},
    [RESULTS] = {0},
};

static double blocks_of(const struct keel_model_value *value, const uint32_t *competing)
{
    double available = 0;

    for (uint32_t i = 0; i < (uint32_t)value[WORKERS].number; i++) {
        available += 1 / (1.0 + competing[i]);
    }
    double blocks = ceil(value[SEQUENTIAL].number / (value[GRAIN].number * available));
    return blocks < KEEL_ROUND_ROBIN_BLOCKS_MAX ? blocks : KEEL_ROUND_ROBIN_BLOCKS_MAX;
}

static bool play(const struct keel_model_value *value, const uint32_t *competing, void *scratch,
                 double *result, char *problem)
{
    double quantum_s = value[QUANTUM].number;
    struct keel_round_robin run = {
        .kind = (enum keel_round_robin_kind)value[KIND].number,
        .workers = (uint32_t)value[WORKERS].number,
        .competing = competing,
        .sequential = value[SEQUENTIAL].number / quantum_s,
        .grain = value[GRAIN].number / quantum_s,
        .equal = value[SHARES].number == 1,
        .seed = (uint64_t)value[SEED].number,
    };

    if (value[GRAIN].number > 0 && blocks_of(value, competing) * run.workers > TURNS_MAX) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "%g blocks on %u workers are too many to play",
                 blocks_of(value, competing), run.workers);
        return false;
    }
    struct keel_round_robin_result played = keel_round_robin_simulate(&run, scratch);
    result[TIME] = played.elapsed * quantum_s;
    result[EFFICIENCY] = played.efficiency;
    result[FAIR] = played.fair;
    result[BOUND] = played.bound;
    result[BLOCKS] = (double)played.blocks;
    result[AVAILABLE] = played.available;
    result[OTHERS] = played.competing * quantum_s;
    return true;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    uint32_t workers = (uint32_t)input->value[WORKERS].number;
    uint32_t *competing = malloc(workers * sizeof *competing);
    void *scratch = malloc(keel_round_robin_scratch(workers));
    bool good = competing != NULL && scratch != NULL;

    if (good) {
        read_competing(input->value[COMPETING].text, competing, workers);
        good = play(input->value, competing, scratch, result, problem);
    } else {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory for so many workers");
    }
    free(competing);
    free(scratch);
    return good;
}

/* From a sixteenth of a quantum up. */
static size_t candidates(const struct keel_model_input *input, unsigned parameter,
                         struct keel_model_value *candidate, size_t room)
{
    double quantum_s = input->value[QUANTUM].number, grain_s = quantum_s / 16;
    size_t count = 0;

    if (parameter != GRAIN) {
        return 0;
    }
    for (; grain_s <= fmax(quantum_s, input->value[SEQUENTIAL].number) && count < room;
         grain_s *= 2) {
        candidate[count++].number = grain_s;
    }
    return count;
}

const struct keel_model keel_model_round_robin = {
    .name = "round-robin",
    .summary = "a balanced job on processors that the system shares out by turns",
    .source = "Siegell & Steenkiste 1997",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .evaluate = evaluate,
    .candidates = candidates,
};
