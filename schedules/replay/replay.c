/* Decision by replay. */
#include "schedules/replay/replay.h"

#include <math.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learn.h"

/* --- the leader: which candidate is followed --- */

void keel_leader_begin(struct keel_leader *leader, unsigned candidates, unsigned first,
                       double memory)
{
    *leader = (struct keel_leader){.candidates = candidates, .followed = first, .memory = memory};
}

void keel_leader_note(struct keel_leader *leader, double span_s, const double *loss_s)
{
    leader->window_s = leader->memory * leader->window_s + span_s;
    for (unsigned j = 0; j < leader->candidates; j++) {
        leader->recent_s[j] = leader->memory * leader->recent_s[j] + loss_s[j];
        leader->lost_s[j] += loss_s[j];
    }
}

unsigned keel_leader_choose(struct keel_leader *leader, const double *cost_s, double hold_s)
{
    unsigned best = leader->followed;
    double own = leader->recent_s[best] + cost_s[best], least = own - hold_s;

    for (unsigned j = 0; j < leader->candidates; j++) {
        double sum = leader->recent_s[j] + cost_s[j];
        if (j != leader->followed && sum < least) {
            best = j;
            least = sum;
        }
    }
    leader->followed = best;
    return best;
}

/* --- the decision --- */

/* Arrays follow, see arrays_of(). */
struct keel_replay {
    uint32_t workers;
    bool adjacent;
    uint64_t decisions;
    double begin_s, now_s;
    double moved_s;        /* when rows were last to move, or the beginning */
    double moved_before_s; /* the same, at the decision before */
    bool guessed;          /* some worker's rate was not known at the last decision */
    double level_s;        /* time of shares without losses in the spans so far */
    struct keel_leader leader;
};

struct arrays {
    struct keel_profit_changes *changes;
    double *estimates;
    uint64_t *rows; /* P of each candidate */
};

static size_t changes_at(void)
{
    return scratch_aligned(sizeof(struct keel_replay));
}

static size_t estimates_at(uint32_t workers)
{
    return changes_at() + scratch_aligned(keel_profit_changes_size(workers));
}

static size_t rows_at(uint32_t workers)
{
    return estimates_at(workers) + scratch_aligned(keel_estimates_room(workers) * sizeof(double));
}

size_t keel_replay_size(uint32_t workers)
{
    return rows_at(workers) + KEEL_CANDIDATES * sizeof(uint64_t) * workers;
}

static struct arrays arrays_of(struct keel_replay *replay)
{
    char *begin = (char *)replay;

    return (struct arrays){
        .changes = (void *)(begin + changes_at()),
        .estimates = (void *)(begin + estimates_at(replay->workers)),
        .rows = (void *)(begin + rows_at(replay->workers)),
    };
}

void keel_replay_begin(struct keel_replay *replay, uint32_t workers, bool adjacent, double now_s)
{
    double begin_s = isfinite(now_s) ? now_s : 0;

    *replay = (struct keel_replay){.workers = workers,
                                   .adjacent = adjacent,
                                   .begin_s = begin_s,
                                   .now_s = begin_s,
                                   .moved_s = begin_s,
                                   .moved_before_s = begin_s};
    keel_leader_begin(&replay->leader, KEEL_CANDIDATES, KEEL_CANDIDATE_STEADY, KEEL_REPLAY_MEMORY);
    keel_profit_changes_begin(arrays_of(replay).changes, workers, begin_s);
}

void keel_replay_scale(struct keel_replay *replay, const double *factor)
{
    struct arrays at = arrays_of(replay);

    if (replay->decisions > 0) { /* before, there are no estimates */
        keel_estimates_scale(at.estimates, replay->workers, factor);
    }
    keel_profit_changes_scale(at.changes, factor);
}

/* --- a decision --- */

struct deciding {
    struct keel_replay *replay;
    struct arrays at;
    struct keel_proposal real; /* the reports, and the output of the decision */
    struct keel_candidates_scene scene;
    struct keel_candidates_room room;
    struct keel_replay_span span;
    double fixed_s;   /* of a phase, beyond computing */
    double level_s;   /* a phase with shares in proportion to the last rates */
    uint64_t *wanted; /* P values of room each */
    double *work;
};

static size_t proposal_room(uint32_t workers)
{
    return scratch_aligned(keel_proposal_scratch(workers));
}

size_t keel_replay_scratch(uint32_t workers)
{
    return 2 * proposal_room(workers) +
           workers * (sizeof(struct keel_decide_report) + sizeof(uint64_t) + 2 * sizeof(double));
}

static void place(struct deciding *deciding, char *scratch)
{
    uint32_t workers = deciding->replay->workers;

    scratch += proposal_room(workers); /* of the real one */
    deciding->room.scratch = scratch;
    scratch += proposal_room(workers);
    deciding->room.report = scratch_take(&scratch, workers, sizeof *deciding->room.report);
    deciding->room.wanted_work = scratch_take(&scratch, workers, sizeof(double));
    deciding->wanted = scratch_take(&scratch, workers, sizeof *deciding->wanted);
    deciding->work = scratch_take(&scratch, workers, sizeof *deciding->work);
}

static uint64_t *rows_of(const struct deciding *deciding, unsigned candidate)
{
    return deciding->at.rows + (size_t)candidate * deciding->replay->workers;
}

static size_t rows_bytes(const struct deciding *deciding)
{
    return deciding->replay->workers * sizeof(uint64_t);
}

/* --- the input --- */

static void set_scene(struct deciding *deciding, const struct keel_profit_cost *cost)
{
    struct keel_replay *replay = deciding->replay;

    deciding->scene = (struct keel_candidates_scene){
        .situation = deciding->real.situation,
        .cost = cost,
        .estimates = deciding->at.estimates,
        .workers = replay->workers,
        .adjacent = replay->adjacent,
        .decision = replay->decisions,
        .elapsed_s = replay->now_s - replay->begin_s,
        .lasting_s =
            keel_profit_changes_lasting(deciding->at.changes, replay->begin_s, replay->now_s,
                                        keel_proposal_remaining_s(&deciding->real)),
        .stable_s = keel_profit_changes_stable(deciding->at.changes, replay->now_s),
    };
}

/* The time of a phase beyond computing is independent of the workers' rows. */
static void set_phase(struct deciding *deciding)
{
    const struct keel_proposal *real = &deciding->real;
    double computing_s = keel_proposal_time_s(real, real->work, real->measured), rates = 0;

    for (uint32_t w = 0; w < real->workers; w++) {
        rates += real->measured[w];
    }
    deciding->fixed_s = fmax(0, finite_amount(deciding->span.phase_s) - computing_s);
    deciding->level_s = deciding->fixed_s + real->all_work / rates;
}

/* --- losses --- */

/* The part of a time that these rows lose by the last rates. */
static double lost_part(struct deciding *deciding, const uint64_t *rows)
{
    const struct keel_proposal *real = &deciding->real;

    keel_whole_rows_work(&real->rows, rows, deciding->work);
    double phase_s = deciding->fixed_s + keel_proposal_time_s(real, deciding->work, real->measured);
    return phase_s > deciding->level_s ? 1 - deciding->level_s / phase_s : 0;
}

static struct keel_decision decide_as(struct deciding *deciding, unsigned candidate,
                                      const uint64_t *rows)
{
    keel_whole_rows_work(&deciding->real.rows, rows, deciding->work);
    return keel_candidates_decide(&deciding->scene, candidate, rows, deciding->work,
                                  deciding->wanted, &deciding->room);
}

/* The loss of a candidate in the last span, in which it carried out its earlier decision. */
static double replay_span(struct deciding *deciding, unsigned candidate)
{
    uint64_t *rows = rows_of(deciding, candidate);
    double lag = deciding->span.lag;
    double part = lag > 0 ? lag * lost_part(deciding, rows) : 0;
    struct keel_decision step = decide_as(deciding, candidate, rows);
    bool moves = step.verdict == KEEL_DECISION_MOVE;

    if (moves) {
        memcpy(rows, deciding->wanted, rows_bytes(deciding));
    }
    part += (1 - lag) * lost_part(deciding, rows);
    return deciding->span.time_s * part + (moves ? step.cost_s : 0);
}

/* Records the last span. Estimates are still those of the decision before. */
static void note_span(struct deciding *deciding, const struct keel_profit_cost *cost)
{
    struct keel_replay *replay = deciding->replay;
    double loss_s[KEEL_CANDIDATES];

    set_scene(deciding, cost);
    for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
        if (replay->decisions == 0) {
            memcpy(rows_of(deciding, j), deciding->real.present, rows_bytes(deciding));
            loss_s[j] = deciding->span.time_s * lost_part(deciding, rows_of(deciding, j));
        } else {
            loss_s[j] = replay_span(deciding, j);
        }
    }
    keel_leader_note(&replay->leader, deciding->span.time_s, loss_s);
    replay->level_s += deciding->span.time_s * (1 - lost_part(deciding, deciding->real.present));
}

/* Whether some worker that has rows has no rate yet. */
static bool guesses(const struct keel_proposal *real)
{
    bool guesses = false;

    for (uint32_t w = 0; w < real->workers; w++) {
        guesses = guesses || (real->present[w] > 0 && !(real->known[w] > 0));
    }
    return guesses;
}

static void note_rates(struct deciding *deciding, const struct keel_profit_cost *cost)
{
    struct keel_replay *replay = deciding->replay;
    double now_s = deciding->real.situation->now_s;

    replay->decisions++;
    replay->now_s = isfinite(now_s) ? fmax(replay->now_s, now_s) : replay->now_s;
    /* guesses do not count as earlier values of the rates that are measured after them */
    keel_estimates_note(deciding->at.estimates, replay->workers,
                        replay->guessed ? 1 : replay->decisions, deciding->real.measured,
                        deciding->real.rate);
    replay->guessed = guesses(&deciding->real);
    keel_profit_changes_note(deciding->at.changes, replay->now_s, deciding->real.known,
                             KEEL_DECIDE_CHANGE);
    set_scene(deciding, cost);
}

/* --- the candidate to follow --- */

/* Proposes these rows, and sets the cost to move to them from the present ones. */
static void propose(struct deciding *deciding, const uint64_t *rows, struct keel_decision *decision)
{
    memcpy(deciding->real.wanted_rows, rows, rows_bytes(deciding));
    keel_decide_set_cost(&deciding->real, deciding->scene.cost, decision);
}

static unsigned choose(struct deciding *deciding)
{
    struct keel_leader *leader = &deciding->replay->leader;
    struct keel_decision to;
    double cost_s[KEEL_CANDIDATES];

    for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
        propose(deciding, rows_of(deciding, j), &to);
        cost_s[j] = to.cost_s;
    }
    double level_s = decide_as(deciding, KEEL_CANDIDATE_AT_ONCE, deciding->real.present).cost_s;
    return keel_leader_choose(leader, cost_s, level_s + KEEL_REPLAY_HOLD * leader->window_s);
}

/* --- the decision --- */

/* The gain of the wanted rows by these rates. */
static double gain_by(const struct deciding *deciding, const double *work, const double *rate)
{
    const struct keel_proposal *real = &deciding->real;

    return keel_threshold_gain(keel_proposal_time_s(real, real->work, rate),
                               keel_proposal_time_s(real, work, rate));
}

static void keep(struct deciding *deciding, struct keel_decision *decision,
                 enum keel_decision_verdict verdict, struct keel_reason reason)
{
    keel_proposal_withdraw(&deciding->real);
    decision->verdict = verdict;
    decision->reason = reason;
    decision->messages = decision->bytes = 0;
}

/* By the last rates, or by the candidate's estimate. */
static double best_gain(const struct deciding *deciding, unsigned who,
                        const struct keel_decision *decision, const double *work)
{
    const double *estimate = keel_estimates_of(deciding->at.estimates, deciding->real.workers,
                                               keel_candidates[who].estimate);

    return fmax(decision->gain, gain_by(deciding, work, estimate));
}

/* Rows go where the candidate's are only if that pays, while rates last or, except for the
 * candidate that stays, for as long as it has been better: the sums of losses show which one is
 * best on the whole, but a movement is for future rates. */
static bool pays(struct deciding *deciding, unsigned who, struct keel_decision *decision,
                 const double *work)
{
    double better_s = who == KEEL_CANDIDATE_STAY ? 0 : deciding->replay->leader.window_s;
    double time_s =
        fmin(fmax(deciding->scene.lasting_s, better_s), keel_proposal_remaining_s(&deciding->real));

    decision->saving_s = best_gain(deciding, who, decision, work) * time_s;
    return decision->saving_s >= decision->cost_s;
}

static struct keel_decision follow(struct deciding *deciding, unsigned who, double *work)
{
    struct keel_proposal *real = &deciding->real;
    struct keel_decision step = decide_as(deciding, who, rows_of(deciding, who));
    struct keel_decision decision = {.verdict = KEEL_DECISION_MOVE, .saving_s = step.saving_s};
    bool moves = step.verdict == KEEL_DECISION_MOVE;

    propose(deciding, deciding->wanted, &decision);
    keel_whole_rows_work(&real->rows, real->wanted_rows, work);
    decision.gain = gain_by(deciding, work, real->measured);
    if (keel_proposal_is_present(real)) {
        keep(deciding, &decision, KEEL_DECISION_KEEP,
             moves ? (struct keel_reason){.cause = KEEL_CAUSE_LEVEL} : step.reason);
    } else if (!pays(deciding, who, &decision, work)) {
        keep(deciding, &decision, KEEL_DECISION_CANCELLED,
             (struct keel_reason){KEEL_CAUSE_COST, {decision.cost_s, decision.saving_s}});
    } else {
        decision.reason =
            (struct keel_reason){KEEL_CAUSE_GAIN, {decision.cost_s, decision.saving_s}};
        if (moves) { /* not as rows of the mean weight */
            memcpy(work, deciding->room.wanted_work, real->workers * sizeof *work);
        }
    }
    return decision;
}

/* If rates stay, but rows move, work comes and goes. */
static double stable_of(struct keel_replay *replay)
{
    const struct keel_profit_changes *changes = arrays_of(replay).changes;
    double since_s = fmax(changes->since_s, replay->moved_s);

    return fmin(keel_profit_changes_stable(changes, replay->now_s), replay->now_s - since_s);
}

double keel_replay_withdraw(struct keel_replay *replay)
{
    replay->moved_s = replay->moved_before_s;
    return stable_of(replay);
}

struct keel_replay_decision keel_replay_decide(struct keel_replay *replay,
                                               const struct keel_profit_cost *cost,
                                               const struct keel_decide_situation *situation,
                                               const struct keel_replay_span *span,
                                               const struct keel_decide_report *report,
                                               uint64_t *rows, double *work, void *scratch)
{
    struct keel_decide_rules rules = {.kind = KEEL_DECIDE_BY_RATE, .adjacent = replay->adjacent};
    struct deciding deciding = {
        .replay = replay,
        .at = arrays_of(replay),
        .real = {.rules = &rules,
                 .situation = situation,
                 .workers = replay->workers,
                 .wanted = work,
                 .wanted_rows = rows},
        .span = {finite_amount(span->time_s), span->phase_s, fmin(finite_amount(span->lag), 1)},
    };
    struct keel_replay_decision result = {.followed = replay->leader.followed};

    place(&deciding, scratch);
    if (!keel_proposal_begin(&deciding.real, report, scratch)) {
        keep(&deciding, &result.decision, KEEL_DECISION_NO_RATES,
             (struct keel_reason){.cause = KEEL_CAUSE_NO_RATES});
        return result;
    }
    set_phase(&deciding);
    note_span(&deciding, cost);
    note_rates(&deciding, cost);
    result.followed = choose(&deciding);
    result.decision = follow(&deciding, result.followed, work);
    replay->moved_before_s = replay->moved_s;
    if (result.decision.verdict == KEEL_DECISION_MOVE) {
        replay->moved_s = replay->now_s;
    }
    result.stable_s = stable_of(replay);
    for (unsigned j = 0; j < KEEL_CANDIDATES; j++) {
        result.time_s[j] = replay->level_s + replay->leader.lost_s[j];
    }
    return result;
}
