/* The model of a load that comes and goes for `keel model`: schedules/model/oscillation.h. */
#include <math.h>

#include "omp_ext/command/model/kinds/models.h"
#include "schedules/model/oscillation.h"

enum {
    WORKERS,
    LOADED,
    TAKEN,
    DEDICATED,
    OFF,
    ON,
    BEGIN,
    SEQUENTIAL,
    POLICY,
    FILTERED,
    PIPELINED,
    PERIOD,
    QUANTUM,
    THRESHOLD,
    GAIN,
    BEGIN_DELAY,
    ROWS,
    ROW_BYTES,
    ADJACENT,
    DUPLEX,
    STARTUP,
    PER_BYTE,
    PARAMETERS
};

enum { NONE, FOLLOW };

static const char *policy_word(unsigned place)
{
    static const char *const words[] = {"none", "follow"};

    return place <= FOLLOW ? words[place] : NULL;
}

static const char *begin_word(unsigned place)
{
    static const char *const words[] = {"off", "on"}; /* as enum keel_oscillation_start */

    return place <= KEEL_OSCILLATION_ON_FIRST ? words[place] : NULL;
}

static const struct keel_model_parameter parameters[] = {
    [WORKERS] = KEEL_MODEL_A_COUNT("workers", "", 1, 1e6, 4, "P"),
    [LOADED] = KEEL_MODEL_A_COUNT(
        "loaded", "", 0, 1e6, 1, "workers beside the load, the first ones; more than P count as P"),
    [TAKEN] = KEEL_MODEL_A_REAL("taken", "", 0, 1, 0.5, "part of their processors that it takes"),
    [DEDICATED] = KEEL_MODEL_A_REAL("dedicated", "", 0.001, 1, 1, "efficiency without load"),
    [OFF] = KEEL_MODEL_A_REAL("off", "s", 0, 1e9, 30, "how long the load is away"),
    [ON] = KEEL_MODEL_A_REAL("on", "s", 0, 1e9, 30, "how long it is there"),
    [BEGIN] = KEEL_MODEL_A_WORD("begin", begin_word, "on", "whether it is there at first"),
    [SEQUENTIAL] = KEEL_MODEL_A_REAL("sequential", "s", 0, 1e12, 600, "the job on one processor"),
    [POLICY] = KEEL_MODEL_A_WORD("policy", policy_word, "none",
                                 "equal shares, or rows that follow the load", .chosen = true),
    [FILTERED] = KEEL_MODEL_A_WORD("filtered", keel_models_no_yes, "yes",
                                   "rates go through the filter (S10)", .chosen = true),
    [PIPELINED] = KEEL_MODEL_A_WORD("pipelined", keel_models_no_yes, "yes",
                                    "instructions are applied an interaction later (S13)"),
    [PERIOD] = KEEL_MODEL_A_REAL("period", "s", 0, 1e6, 0.5, "from one interaction to the next"),
    [QUANTUM] = KEEL_MODEL_A_REAL("quantum", "s", 0, 1e3, 0.01, "of the system's scheduling"),
    [THRESHOLD] = KEEL_MODEL_A_REAL("threshold", "", 0, 1, 0.1,
                                    "as near as this part of the new rate is near enough"),
    [GAIN] = KEEL_MODEL_A_REAL(
        "gain", "", 0, 1, 0, "changes that would gain less are not followed (S11)", .chosen = true),
    [BEGIN_DELAY] = KEEL_MODEL_A_REAL("begin-delay", "s", 0, 1e9, 0,
                                      "until a load is followed that is there at first; 0: as one "
                                      "that comes"),
    [ROWS] = KEEL_MODEL_A_REAL("rows", "", 0, 1e12, 1000, "of all workers"),
    [ROW_BYTES] = KEEL_MODEL_A_REAL("row-bytes", "B", 0, 1e12, 8000, "that move with a row"),
    [ADJACENT] = KEEL_MODEL_A_WORD("adjacent", keel_models_no_yes, "no",
                                   "rows move between neighbours only (S14)"),
    [DUPLEX] = KEEL_MODEL_A_WORD("duplex", keel_models_no_yes, "yes",
                                 "what a worker sends does not hold up what it gets"),
    [STARTUP] = KEEL_MODEL_A_COST("startup", KEEL_MACHINE_MESSAGE_STARTUP, "an empty message"),
    [PER_BYTE] =
        KEEL_MODEL_A_COST("per-byte", KEEL_MACHINE_MESSAGE_BYTE, "what each byte adds to it"),
    [PARAMETERS] = {0},
};

enum {
    TIME,
    EFFICIENCY,
    RATIO,
    LONG_RUN,
    BREAK_EVEN,
    DELAY_ON,
    DELAY_OFF,
    MOVEMENT,
    MOVEMENTS,
    LOST_SHARES,
    LOST_MOVING,
    RESULTS
};

static const struct keel_model_result results[] = {
    [TIME] = {.name = "time", .unit = "s", .text = "of the job", .endless = "never"},
    [EFFICIENCY] = {.name = "efficiency",
                    .unit = "",
                    .text = "productive part of what the load left (S1)"},
    [RATIO] = {.name = "ratio",
               .unit = "",
               .text = "time over that of equal shares",
               .endless = "never"},
    [LONG_RUN] = {.name = "long-run",
                  .unit = "",
                  .text = "efficiency over a period, in the long run"},
    [BREAK_EVEN] = {.name = "break-even",
                    .unit = "s",
                    .text = "period of the load from which on following it pays",
                    .endless = "never"},
    [DELAY_ON] = {.name = "delay-on",
                  .unit = "s",
                  .text = "until rows move when the load comes (t_f)",
                  .endless = "never"},
    [DELAY_OFF] = {.name = "delay-off",
                   .unit = "s",
                   .text = "and when it goes (t_c)",
                   .endless = "never"},
    [MOVEMENT] = {.name = "movement", .unit = "s", .text = "how long that takes (t_d = t_g)"},
    [MOVEMENTS] = {.name = "movements", .unit = "", .text = "in the job"},
    [LOST_SHARES] = {.name = "lost-shares",
                     .unit = "s",
                     .text = "processor time lost to shares that did not fit"},
    [LOST_MOVING] = {.name = "lost-moving", .unit = "s", .text = "and to moving rows"},
    [RESULTS] = {0},
};

static struct keel_oscillation followed(const struct keel_model_value *value)
{
    struct keel_oscillation oscillation = {
        .workers = (uint32_t)value[WORKERS].number,
        .loaded = (uint32_t)fmin(value[LOADED].number, value[WORKERS].number),
        .taken = value[TAKEN].number,
        .dedicated = value[DEDICATED].number,
        .off = {.length_s = value[OFF].number},
        .on = {.length_s = value[ON].number},
        .begin_delay_s = value[BEGIN_DELAY].number,
    };
    const struct keel_oscillation_response response = {
        .period_s = value[PERIOD].number,
        .quantum_s = value[QUANTUM].number,
        .threshold = value[THRESHOLD].number,
        .filtered = value[FILTERED].number == 1,
        .pipelined = value[PIPELINED].number == 1,
        .gain = value[GAIN].number,
    };
    const struct keel_oscillation_data data = {
        .rows = value[ROWS].number,
        .row_bytes = value[ROW_BYTES].number,
        .alpha_s = value[STARTUP].number,
        .beta_s = value[PER_BYTE].number,
        .adjacent = value[ADJACENT].number == 1,
        .duplex = value[DUPLEX].number == 1,
    };
    keel_oscillation_respond(&oscillation, &response);
    oscillation.off.movement_s = oscillation.on.movement_s =
        keel_oscillation_movement(&oscillation, &data);
    return oscillation;
}

static bool evaluate(const struct keel_model_input *input, double *result, char *problem)
{
    const struct keel_model_value *value = input->value;
    struct keel_oscillation follow = followed(value), none = keel_oscillation_unbalanced(&follow);
    struct keel_oscillation taken = value[POLICY].number == FOLLOW ? follow : none;
    enum keel_oscillation_start start = (enum keel_oscillation_start)value[BEGIN].number;
    double sequential_s = value[SEQUENTIAL].number;
    struct keel_oscillation_parts job = keel_oscillation_job(&taken, sequential_s, start);
    struct keel_oscillation_parts period = keel_oscillation_period(&taken);

    (void)problem;
    result[TIME] = job.elapsed_s;
    result[EFFICIENCY] = keel_oscillation_efficiency(&job);
    result[RATIO] = keel_oscillation_ratio(&taken, sequential_s, start);
    result[LONG_RUN] = keel_oscillation_efficiency(&period);
    result[BREAK_EVEN] = keel_oscillation_break_even(&follow);
    result[DELAY_ON] = taken.on.delay_s;
    result[DELAY_OFF] = taken.off.delay_s;
    result[MOVEMENT] = taken.on.movement_s;
    result[MOVEMENTS] = job.movements;
    result[LOST_SHARES] = job.lost_shares;
    result[LOST_MOVING] = job.lost_moving;
    return true;
}

/* What equal shares don't need decides about break-even all the same. */
static bool takes(const struct keel_model_value *value, unsigned parameter)
{
    return value[POLICY].number == FOLLOW || (parameter != FILTERED && parameter != GAIN);
}

const struct keel_model keel_model_oscillation = {
    .name = "oscillation",
    .summary = "a balanced job beside a load that comes and goes",
    .source = "Siegell & Steenkiste 1997",
    .parameter = parameters,
    .result = results,
    .minimised = TIME,
    .evaluate = evaluate,
    .takes = takes,
};
