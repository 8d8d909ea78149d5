/* The model of a load that comes and goes for `keel model`: schedules/model/oscillation.h. */
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "schedules/model/oscillation.h"

struct input {
    struct keel_oscillation job;
    struct keel_oscillation_response response;
    struct keel_oscillation_data data;
    enum keel_oscillation_start begin;
    double sequential_s;
    bool follow;
};

static const char *const policy_words[] = {"none", "follow"};
static const char *const begin_words[] = {"off", "on"}; /* as enum keel_oscillation_start */

static const struct keel_model_parameter parameters[] = {
    COUNT("workers", "", 1, 1e6, 4, job.workers, "P"),
    COUNT("loaded", "", 0, 1e6, 1, job.loaded,
          "workers beside the load, the first ones; more than P count as P"),
    REAL("taken", "", 0, 1, 0.5, job.taken, "part of their processors that it takes"),
    REAL("dedicated", "", 0.001, 1, 1, job.dedicated, "efficiency without load"),
    REAL("off", "s", 0, 1e9, 30, job.off.length_s, "how long the load is away"),
    REAL("on", "s", 0, 1e9, 30, job.on.length_s, "how long it is there"),
    WORD("begin", begin_words, 1, begin, "whether it is there at first"),
    REAL("sequential", "s", 0, 1e12, 600, sequential_s, "the job on one processor"),
    WORD("policy", policy_words, 0, follow, "equal shares, or rows that follow the load",
         .chosen = true),
    WORD("filtered", keel_model_no_yes, 1, response.filtered, "rates go through the filter (S10)",
         .chosen = true, .when = "policy=follow"),
    WORD("pipelined", keel_model_no_yes, 1, response.pipelined,
         "instructions are applied an interaction later (S13)"),
    REAL("period", "s", 0, 1e6, 0.5, response.period_s, "from one interaction to the next"),
    REAL("quantum", "s", 0, 1e3, 0.01, response.quantum_s, "of the system's scheduling"),
    REAL("threshold", "", 0, 1, 0.1, response.threshold,
         "as near as this part of the new rate is near enough"),
    REAL("gain", "", 0, 1, 0, response.gain, "changes that would gain less are not followed (S11)",
         .chosen = true, .when = "policy=follow"),
    REAL("begin-delay", "s", 0, 1e9, 0, job.begin_delay_s,
         "until a load is followed that is there at first; 0: as one that comes"),
    REAL("rows", "", 0, 1e12, 1000, data.rows, "of all workers"),
    REAL("row-bytes", "B", 0, 1e12, 8000, data.row_bytes, "that move with a row"),
    WORD("adjacent", keel_model_no_yes, 0, data.adjacent,
         "rows move between neighbours only (S14)"),
    WORD("duplex", keel_model_no_yes, 1, data.duplex,
         "what a worker sends does not hold up what it gets"),
    COST("startup", KEEL_MODEL_STARTUP_S, data.alpha_s, "an empty message"),
    COST("per-byte", KEEL_MODEL_BYTE_S, data.beta_s, "what each byte adds to it"),
};

static const struct keel_model_result results[] = {
    {"time", "s", "of the job"},
    {"efficiency", "", "productive part of what the load left (S1)"},
    {"ratio", "", "time over that of equal shares"},
    {"long-run", "", "efficiency over a period, in the long run"},
    {"break-even", "s", "period of the load from which on following it pays"},
    {"delay-on", "s", "until rows move when the load comes (t_f)"},
    {"delay-off", "s", "and when it goes (t_c)"},
    {"movement", "s", "how long that takes (t_d = t_g)"},
    {"movements", "", "in the job"},
    {"lost-shares", "s", "processor time lost to shares that did not fit"},
    {"lost-moving", "s", "and to moving rows"},
};

static bool evaluate(void *input, double *result, char *problem)
{
    struct input *in = input;
    struct keel_oscillation *job = &in->job;

    (void)problem;
    job->loaded = job->loaded < job->workers ? job->loaded : job->workers;
    keel_oscillation_respond(job, &in->response);
    job->off.movement_s = job->on.movement_s = keel_oscillation_movement(job, &in->data);
    struct keel_oscillation taken = in->follow ? *job : keel_oscillation_unbalanced(job);
    struct keel_oscillation_parts parts = keel_oscillation_job(&taken, in->sequential_s, in->begin);
    struct keel_oscillation_parts period = keel_oscillation_period(&taken);
    const double all[] = {
        parts.elapsed_s,
        keel_oscillation_efficiency(&parts),
        keel_oscillation_ratio(&taken, in->sequential_s, in->begin),
        keel_oscillation_efficiency(&period),
        keel_oscillation_break_even(job),
        taken.on.delay_s,
        taken.off.delay_s,
        taken.on.movement_s,
        parts.movements,
        parts.lost_shares,
        parts.lost_moving,
    };
    memcpy(result, all, sizeof all);
    return true;
}

const struct keel_model keel_model_oscillation = {
    .name = "oscillation",
    .summary = "a balanced job beside a load that comes and goes",
    .source = "Siegell & Steenkiste 1997",
    KEEL_MODEL_TABLES(parameters, results),
    .evaluate = evaluate,
};
