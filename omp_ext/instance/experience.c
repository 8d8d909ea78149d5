/* What the site has learned goes into a new instance, and back; what `auto` chooses for it. */
#include "omp_ext/instance/shared_state.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/team_places.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "omp_ext/trace/trace_writer.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/registry.h"

/* --- the choice of `auto` ---
 *
 * `auto` at a loop site: picks the policy of the next instance, and learns from its time.
 *
 *   auto_run() -> shared_state->run -> instance -> its time -> auto_learn()
 *        ^                                                               |
 *        |                     profile, speeds (of measured instances) --+
 *        +-- record->auto_state->choice <-- forecasts <------------------+
 *
 * Call everything with the record's lock held. */

#define SPEED_VARIATION 0.02 /* of speeds, while few instances have been seen */
#define LEARNING_PART 0.005  /* of a loop's time that learning may take later */
#define CLAIM_NS 100         /* a claim with clock readings, until it has been measured */

/* The candidate that serves while Keel measures. */
static const struct keel_policy *rate_of(const struct keel_candidates *candidates)
{
    return &candidates->policy[candidates->count - 1];
}

/* --- running --- */

/* While measuring, the first instance runs all along the loop, and what follows until forecasts are
 * affordable runs as `rate` does. */
static const struct keel_policy *measuring_policy(const struct keel_shared_state *shared_state)
{
    const struct keel_policy *rate = rate_of(shared_state->policy->candidates);
    bool unmeasured =
        shared_state->record == NULL || shared_state->record->auto_state->measured == 0;

    return unmeasured ? rate->in_order : rate;
}

/* Sets shared_state->run and shared_state->candidate for the next instance. */
static void auto_run(struct keel_shared_state *shared_state)
{
    shared_state->candidate = shared_state->record != NULL
                                  ? keel_selection_next(&shared_state->record->auto_state->choice)
                                  : KEEL_SELECTION_MEASURE;
    shared_state->run = shared_state->candidate == KEEL_SELECTION_MEASURE
                            ? measuring_policy(shared_state)
                            : &shared_state->policy->candidates->policy[shared_state->candidate];
}

/* --- forecasting --- */

/* How far the times of single iterations stray from what profile and speeds say: each chunk of n of
 * them by sqrt(n) times that. */
static double deviation_ns(const struct keel_shared_state *shared_state,
                           const struct keel_blocks *blocks, double mean_ns)
{
    double squares = 0, chunks = 0;

    for (uint64_t i = 0; i < shared_state->threads; i++) {
        double pace_ns = mean_ns / keel_blocks_speed(blocks, i);
        for (size_t k = 0; k < shared_state->part[i].chunks; k++) {
            const struct keel_timed_chunk *chunk = &shared_state->part[i].chunk[k];
            double work =
                keel_profile_chunk_work(&blocks->profile, chunk, shared_state->space.units);
            double stray = (chunk->time_ns - work * pace_ns) * mean_ns / pace_ns;
            squares += stray * stray / (double)(chunk->last - chunk->first);
            chunks++;
        }
    }
    return chunks > 1 ? sqrt(squares / (chunks - 1)) : 0;
}

/* How much threads' speeds differ from one instance to the next. */
static double speed_variation_of(const struct keel_blocks *blocks)
{
    double squares = 0;
    uint64_t known = 0;

    for (uint64_t i = 0; i < blocks->workers; i++) {
        const struct keel_blocks_worker *worker = &blocks->worker[i];
        if (worker->raw > 0 && worker->rate.filtered > 0 && blocks->instances > 2) {
            double change = worker->raw / worker->rate.filtered - 1;
            squares += fmin(change * change, 1);
            known++;
        }
    }
    return fmax(SPEED_VARIATION, known > 0 ? sqrt(squares / (double)known) : 0);
}

/* What an instance under `candidate` takes beyond its forecast: to enter and leave the shared state
 * and to learn, as has been seen. Static shares of a short loop need none of that (site.h);
 * those of a long one run like the others, where the difference would not show. */
static double start_ns(const struct keel_shared_state *shared_state, unsigned candidate)
{
    const struct keel_settled_site *site = shared_state->policy->settled_site;
    const struct keel_schedule *schedule =
        shared_state->policy->candidates->policy[candidate].spec.schedule;

    if (site == NULL || schedule == &keel_schedule_static) {
        return 0;
    }
    return atomic_load_explicit(&site->start_ns, memory_order_relaxed) +
           (schedule->learns == KEEL_LEARNS_BLOCKS
                ? fmin(shared_state->record->learning_ns,
                       LEARNING_PART * shared_state->record->instance_ns)
                : 0);
}

static void forecast_all(struct keel_shared_state *shared_state, double *speed)
{
    const struct keel_blocks *blocks = shared_state->record->blocks;
    struct keel_auto_state *auto_state = shared_state->record->auto_state;
    const struct keel_candidates *candidates = shared_state->policy->candidates;
    const struct keel_claim_costs costs =
        keel_predict_claim_costs(shared_state->claim_ns > 0 ? shared_state->claim_ns : CLAIM_NS);
    double mean_ns = keel_blocks_iteration_ns(blocks);

    for (uint64_t i = 0; i < shared_state->threads; i++) {
        speed[i] = keel_blocks_speed(blocks, i);
    }
    auto_state->workload = (struct keel_workload){
        .iterations = shared_state->space.units,
        .threads = shared_state->threads,
        .profile = &blocks->profile,
        .iteration_ns = mean_ns,
        .deviation_ns = deviation_ns(shared_state, blocks, mean_ns),
        .speed = speed,
        .wobble = speed_variation_of(blocks),
    };
    for (unsigned i = 0; i < candidates->count; i++) {
        auto_state->forecast[i] =
            keel_predict(&candidates->policy[i].spec, &auto_state->workload, &costs);
        auto_state->forecast[i].time_ns += start_ns(shared_state, i);
    }
    auto_state->workload.speed = NULL;
    keel_selection_forecast(&auto_state->choice, auto_state->forecast, shared_state->space.units);
}

static bool worth_forecasts(const struct keel_auto_state *auto_state)
{
    return auto_state->choice.phase == KEEL_SELECTION_MEASURING && auto_state->measured > 0 &&
           auto_state->total_ns > keel_candidates_forecasts_due_ns(auto_state);
}

static void forecast(struct keel_shared_state *shared_state)
{
    struct keel_auto_state *auto_state = shared_state->record->auto_state;
    uint64_t start = keel_clock_ticks();
    double *speed = malloc(shared_state->threads * sizeof *speed);

    if (speed != NULL) {
        forecast_all(shared_state, speed);
        free(speed);
        auto_state->measured = 0;
        auto_state->forecast_ns = keel_clock_span_ns(start, keel_clock_ticks());
    }
}

/* Counts that the instance took `time_ns`, after record->blocks has learned. */
static void auto_learn(struct keel_shared_state *shared_state, double time_ns)
{
    struct keel_auto_state *auto_state = shared_state->record->auto_state;

    auto_state->iterations = shared_state->space.units;
    auto_state->total_ns += time_ns;
    if (shared_state->candidate != KEEL_SELECTION_MEASURE) {
        keel_selection_note(&auto_state->choice, shared_state->candidate, time_ns,
                            shared_state->space.units);
        return;
    }
    auto_state->measured++;
    if (shared_state->run == rate_of(shared_state->policy->candidates)) {
        keel_selection_note(&auto_state->choice, auto_state->choice.measurer, time_ns,
                            shared_state->space.units);
    }
    if (worth_forecasts(auto_state)) {
        forecast(shared_state);
    }
}

/* --- experience --- */

#define LONG_NS 200e3     /* from there on, asking the kernel for CPU times does not show */
#define CPU_TIMES_FIRST 4 /* instances in which that is done, and */
#define CPU_TIMES_EACH 16 /* one of how many later on */
#define LEARN_AT_ONCE 4   /* instances that are learned from in any case */

/* --- recalling --- */

/* The first instance of a schedule of blocks runs in the order of the loop: small pieces of all
 * threads all along it, as nothing is known. */
static const struct keel_policy *policy_to_run(const struct keel_shared_state *shared_state)
{
    const struct keel_policy *policy = shared_state->policy;
    bool unmeasured = shared_state->record == NULL || shared_state->record->blocks == NULL ||
                      shared_state->record->blocks->instances == 0;

    return policy->spec.schedule->learns == KEEL_LEARNS_BLOCKS && unmeasured &&
                   policy->in_order != NULL
               ? policy->in_order
               : policy;
}

static void recall_threads(struct keel_shared_state *shared_state)
{
    for (uint64_t i = 0; i < shared_state->threads; i++) {
        shared_state->pace[i] = shared_state->record != NULL ? shared_state->record->worker[i].known
                                                             : (struct keel_pace){0};
        shared_state->part[i] = (struct keel_blocks_part){0};
    }
}

/* Blocks as large as their threads are expected to be fast; NULL: they are equal. Where a thread
 * has no more than the smallest chunk, some get nothing at all, and it does not matter which. */
static const uint64_t *weighted_blocks(struct keel_shared_state *shared_state,
                                       const struct keel_placement *placement)
{
    const struct keel_spec *spec = &shared_state->run->spec;
    uint64_t threads = shared_state->threads, iterations = shared_state->space.units;

    if (!spec->schedule->weighs_blocks || placement == NULL || placement->weight == NULL ||
        iterations / threads <= keel_least_chunk_under(spec, iterations, threads)) {
        return NULL;
    }
    for (uint64_t i = 0; i <= threads; i++) {
        shared_state->first[i] = keel_placement_first(placement, i, iterations);
    }
    return shared_state->first;
}

/* Where blocks begin; NULL: they are equal. */
static const uint64_t *recall_blocks(struct keel_shared_state *shared_state,
                                     const struct keel_placement *placement)
{
    bool learned = shared_state->run->spec.schedule->learns == KEEL_LEARNS_BLOCKS;
    const struct keel_blocks *blocks =
        learned && shared_state->record != NULL ? shared_state->record->blocks : NULL;

    if (blocks == NULL) {
        return weighted_blocks(shared_state, placement);
    }
    for (uint64_t i = 0; i <= shared_state->threads; i++) {
        shared_state->first[i] = keel_blocks_first(blocks, i, shared_state->space.units);
    }
    return shared_state->first;
}

/* Says why a loop runs under shared_state->run instead of its schedule; once per process. */
static void say_order_is_missing(const struct keel_shared_state *shared_state,
                                 const struct keel_known_costs *costs)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *wanted = shared_state->policy->spec.schedule->name;
    const char *used = shared_state->run->spec.schedule->name;
    unsigned long long iterations = shared_state->space.iterations;
    size_t count = keel_known_costs_count(costs);

    if (iterations == 0 || atomic_flag_test_and_set(&said)) {
        return;
    }
    if (count == 0) {
        atomic_store_explicit(&keel_known_costs_missed, true, memory_order_relaxed);
        keel_message(
            "%s: no costs for a loop of %llu iterations, keel_set_costs() has to give them; "
            "loops without costs run as under %s",
            wanted, iterations, used);
    } else if (count != iterations) {
        keel_message("%s: no costs for a loop of %llu iterations, keel_set_costs() gave those of "
                     "%zu; loops without costs run as under %s",
                     wanted, iterations, count, used);
    } else {
        keel_message("%s: no room for the order of %llu iterations in a team of %llu; loops "
                     "without one run as under %s",
                     wanted, iterations, (unsigned long long)shared_state->threads, used);
    }
}

/* The order that follows from the costs, which the shared state holds: the calling thread may be
 * given others before the loop ends. Without costs, another schedule runs in place of this one. */
static void recall_costs(struct keel_shared_state *shared_state, struct keel_known_costs *costs)
{
    const struct keel_spec *spec = &shared_state->run->spec;
    const struct keel_packing *packing =
        keel_known_costs_fit(costs, shared_state->space.iterations)
            ? keel_known_costs_packing(costs, spec, shared_state->space.grain,
                                       shared_state->threads)
            : NULL;

    if (packing == NULL) {
        shared_state->run = shared_state->run->in_order;
        say_order_is_missing(shared_state, costs);
        return;
    }
    shared_state->costs = keel_known_costs_acquire(costs);
    keel_team_begin(shared_state->team, spec, shared_state->space.units, shared_state->threads,
                    packing->first, packing->list);
}

/* Own chunks are for one thread alone, and so are lists: a thread at the end of its list gets no
 * other chunk. */
static bool awaits_all(const struct keel_shared_state *shared_state)
{
    return keel_policy_has_shared_state(shared_state->run)
               ? shared_state->team->list != NULL
               : shared_state->run->spec.schedule->claim == KEEL_CLAIM_OWN;
}

/* A thread that asks for its CPU time may lose the processor, as the kernel may reschedule then. At
 * the end of a loop, where others wait for it, that is a bad moment, so it stays rare. */
static bool wants_cpu_times(const struct keel_record *record)
{
    return record->instance_ns > LONG_NS &&
           (record->instances < CPU_TIMES_FIRST || record->instances % CPU_TIMES_EACH == 0);
}

void keel_experience_recall(struct keel_shared_state *shared_state, struct keel_known_costs *costs)
{
    shared_state->times_cpu = shared_state->record != NULL && wants_cpu_times(shared_state->record);
    if (shared_state->policy->candidates != NULL) {
        auto_run(shared_state);
    } else {
        shared_state->run = policy_to_run(shared_state);
    }
    recall_threads(shared_state);
    shared_state->costs = NULL;
    if (shared_state->run->spec.schedule->wants_costs) {
        recall_costs(shared_state, costs);
    } else if (keel_policy_has_shared_state(shared_state->run)) {
        const struct keel_placement *placement = keel_team_placement(shared_state->threads);
        keel_team_begin(shared_state->team, &shared_state->run->spec, shared_state->space.units,
                        shared_state->threads, recall_blocks(shared_state, placement), NULL);
        keel_team_place(shared_state->team, placement);
        for (uint64_t i = 0; i < shared_state->threads; i++) {
            keel_team_recall(shared_state->team, i, shared_state->pace[i]);
        }
    }
    shared_state->awaits_all = awaits_all(shared_state);
}

/* --- what is learned and decided at the end of an instance, for the trace in JSON --- */

#define THREADS_TRACED 64 /* later ones are not in the trace */

struct learning_trace {
    bool chooses;                        /* as `auto` does: */
    struct keel_selection before, after; /* its choice */
    enum keel_blocks_decision blocks;    /* about blocks; set by who learns them */
    bool has_blocks;                     /* for the next instance: */
    double gain, iteration_ns;           /* see schedules/learn/blocks.h */
    double share[THREADS_TRACED];        /* iterations of each thread */
    double last_ns;                      /* how long the instance took */
    uint64_t instances;
};

#define TRACED_NS 100e3 /* each of such instances is in the trace, */
#define TRACED_EACH 16  /* of others one of so many */

/* Before anything is learned from the instance; with the record's lock. */
static void trace_before(struct learning_trace *trace, const struct keel_shared_state *shared_state)
{
    const struct keel_record *record = shared_state->record;

    trace->blocks = KEEL_BLOCKS_KEPT;
    trace->chooses = record->auto_state != NULL;
    if (trace->chooses) {
        trace->before = record->auto_state->choice;
    }
}

static uint64_t threads_traced(uint64_t threads)
{
    return threads < THREADS_TRACED ? threads : THREADS_TRACED;
}

/* All has been learned; the same. */
static void trace_after(struct learning_trace *trace, const struct keel_shared_state *shared_state)
{
    const struct keel_record *record = shared_state->record;
    const struct keel_blocks *blocks = record->blocks;
    const struct keel_space *space = &shared_state->space;

    trace->last_ns = record->instance_ns;
    trace->instances = record->instances;
    trace->has_blocks =
        blocks != NULL && shared_state->run->spec.schedule->learns == KEEL_LEARNS_BLOCKS;
    if (trace->chooses) {
        trace->after = record->auto_state->choice;
    }
    if (trace->has_blocks) {
        trace->gain = blocks->gain;
        trace->iteration_ns = keel_blocks_iteration_ns(blocks);
        for (uint64_t i = 0; i < threads_traced(shared_state->threads); i++) {
            trace->share[i] = (double)((keel_blocks_first(blocks, i + 1, space->units) -
                                        keel_blocks_first(blocks, i, space->units)) *
                                       space->grain);
        }
    }
}

static struct keel_site *site_of(const struct keel_policy *policy)
{
    return policy->records != NULL ? keel_site_to_name(policy->records->place) : NULL;
}

static const char *name_of(const struct keel_candidates *candidates, int which)
{
    return which >= 0 ? candidates->policy[which].spec.schedule->name : "none";
}

/* Of each candidate that has a forecast: what it was thought to take, and, where it was tried, what
 * it has taken; in us for a loop of as many iterations as this one. */
static void add_candidates(struct keel_members *decision, const struct keel_selection *choice,
                           const struct keel_shared_state *shared_state)
{
    const struct keel_candidates *candidates = shared_state->policy->candidates;
    double scale = (double)shared_state->space.units / 1000;
    char name[80];

    for (unsigned i = 0; i < choice->count; i++) {
        const struct keel_selection_entry *entry = &choice->entry[i];
        if (entry->forecast_ns > 0) {
            snprintf(name, sizeof name, "%s predicted_us", name_of(candidates, (int)i));
            keel_members_real(decision, name, entry->forecast_ns * scale);
        }
        if (entry->instances > 0) {
            snprintf(name, sizeof name, "%s measured_us", name_of(candidates, (int)i));
            keel_members_real(decision, name, entry->measured_ns * scale);
        }
    }
}

static bool has_chosen(const struct learning_trace *trace)
{
    return trace->chooses &&
           (trace->before.phase != trace->after.phase || trace->before.kept != trace->after.kept ||
            trace->before.trying != trace->after.trying);
}

static void trace_choice(const struct learning_trace *trace,
                         const struct keel_shared_state *shared_state)
{
    const struct keel_selection *choice = &trace->after;
    struct keel_members decision;
    char name[80];

    if (choice->phase == KEEL_SELECTION_MEASURING) {
        snprintf(name, sizeof name, "auto measures");
    } else {
        snprintf(name, sizeof name, "auto%s: %s", choice->trying >= 0 ? " tries" : "",
                 name_of(shared_state->policy->candidates, keel_selection_next(choice)));
    }
    keel_decision_begin(&decision, name, site_of(shared_state->policy),
                        choice->trying >= 0 ? "it is forecast to be about as quick"
                                            : keel_selection_reason_text(choice->reason));
    keel_members_real(&decision, "last_us", trace->last_ns / 1000);
    add_candidates(&decision, choice, shared_state);
    keel_decision_end(&decision);
}

static void trace_blocks(const struct learning_trace *trace,
                         const struct keel_shared_state *shared_state)
{
    bool moved = trace->blocks == KEEL_BLOCKS_MOVED;
    double predicted_ns =
        trace->iteration_ns * (double)shared_state->space.units / (double)shared_state->threads;
    struct keel_members decision;

    keel_decision_begin(&decision, moved ? "blocks move" : "blocks are adjusted",
                        site_of(shared_state->policy),
                        moved ? "that saves more than the threshold"
                              : "a small adjustment is due from time to time");
    keel_members_real(&decision, "gain", trace->gain);
    keel_members_real(&decision, "last_us", trace->last_ns / 1000);
    keel_members_real(&decision, "predicted_us", predicted_ns / 1000);
    keel_decision_end(&decision);
}

/* Iterations per s of each thread in the instance, where they were timed. */
static void trace_rates(const struct keel_shared_state *shared_state)
{
    double rate[THREADS_TRACED];
    uint64_t threads = threads_traced(shared_state->threads);
    bool any = false;

    for (uint64_t i = 0; i < threads; i++) {
        const struct keel_blocks_part *part = &shared_state->part[i];
        bool known = part->done > 0 && part->busy_ns > 0;
        rate[i] =
            known ? (double)(part->done * shared_state->space.grain) * 1e9 / part->busy_ns : 0;
        any |= known;
    }
    if (any) {
        keel_note_counters("rate", site_of(shared_state->policy), rate, threads);
    }
}

/* Traces it, without the lock. No other thread has the shared state. */
static void trace_learned(const struct learning_trace *trace,
                          const struct keel_shared_state *shared_state)
{
    if (has_chosen(trace)) {
        trace_choice(trace, shared_state);
    }
    if (trace->blocks != KEEL_BLOCKS_KEPT) {
        trace_blocks(trace, shared_state);
    }
    if (trace->last_ns < TRACED_NS && trace->instances % TRACED_EACH != 0 &&
        trace->blocks == KEEL_BLOCKS_KEPT) {
        return;
    }
    trace_rates(shared_state);
    if (trace->has_blocks) {
        keel_note_counters("share", site_of(shared_state->policy), trace->share,
                           threads_traced(shared_state->threads));
    }
}

void keel_learning_trace_paces(const struct keel_record *record, const struct keel_policy *policy)
{
    double rate[THREADS_TRACED];
    uint64_t threads = threads_traced(record->threads);

    for (uint64_t i = 0; i < threads; i++) {
        /* relaxed: see keel_record_weight() */
        double pace_ns = atomic_load_explicit(&record->worker[i].pace_ns, memory_order_relaxed);
        rate[i] = pace_ns > 0 ? 1e9 * (double)(policy->grain > 0 ? policy->grain : 1) / pace_ns : 0;
    }
    keel_note_counters("rate", site_of(policy), rate, threads);
}

/* --- learning --- */

/* A cancelled loop has not shown its end. */
static bool whole(const struct keel_shared_state *shared_state)
{
    /* relaxed: all threads have left */
    return !atomic_load_explicit(&shared_state->cancelled, memory_order_relaxed) &&
           shared_state->space.units > 0;
}

/* Half of what was known stays, as a thread may have been held up just now. */
static void learn_pace(struct keel_pace *known, const struct keel_pace *seen)
{
    bool first = known->mean_ns == 0;

    if (seen->mean_ns > 0) {
        known->mean_ns = first ? seen->mean_ns : (known->mean_ns + seen->mean_ns) / 2;
        known->variance_ns2 =
            first ? seen->variance_ns2 : (known->variance_ns2 + seen->variance_ns2) / 2;
    }
}

static void learn_paces(const struct keel_shared_state *shared_state)
{
    for (uint64_t i = 0; i < shared_state->threads; i++) {
        learn_pace(&shared_state->record->worker[i].known, &shared_state->pace[i]);
    }
}

/* Learning costs time, too: where instances are short, some pass without. */
static bool worth_learning(const struct keel_record *record)
{
    return record->blocks != NULL && (record->blocks->instances < LEARN_AT_ONCE ||
                                      record->unlearned_ns * LEARNING_PART > record->learning_ns);
}

static enum keel_blocks_decision learn_blocks(const struct keel_shared_state *shared_state)
{
    struct keel_record *record = shared_state->record;
    uint64_t start_ticks = keel_clock_ticks();

    enum keel_blocks_decision decision =
        keel_blocks_learn(record->blocks, shared_state->space.units, shared_state->part);
    record->learning_ns = keel_clock_span_ns(start_ticks, keel_clock_ticks());
    record->unlearned_ns = 0;
    return decision;
}

/* With the record's lock. Returns what was decided about blocks. */
static enum keel_blocks_decision learn(struct keel_shared_state *shared_state)
{
    struct keel_record *record = shared_state->record;
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;

    record->instance_ns = keel_clock_span_ns(shared_state->start_ticks, keel_clock_ticks());
    record->total_ns += record->instance_ns;
    record->instances++;
    if (keel_policy_has_shared_state(shared_state->run) &&
        shared_state->run->spec.schedule->timed) {
        record->unlearned_ns += record->instance_ns;
        record->claim_ns = atomic_load_explicit(&shared_state->claim_ns, memory_order_relaxed);
        learn_paces(shared_state);
        if (worth_learning(record)) {
            decision = learn_blocks(shared_state);
        }
    }
    if (record->auto_state != NULL) {
        auto_learn(shared_state, record->instance_ns);
    }
    return decision;
}

/* The same for the trace, too. */
static __attribute__((noinline)) void learn_and_trace(struct keel_shared_state *shared_state)
{
    struct learning_trace trace;

    trace_before(&trace, shared_state);
    trace.blocks = learn(shared_state);
    trace_after(&trace, shared_state);
    keel_brief_lock_release(&shared_state->record->lock);
    trace_learned(&trace, shared_state);
}

void keel_experience_learn(struct keel_shared_state *shared_state)
{
    struct keel_record *record = shared_state->record;

    if (record == NULL || !whole(shared_state) || !keel_brief_lock_try(&record->lock)) {
        return;
    }
    if (keel_notes_wanted()) {
        learn_and_trace(shared_state);
        return;
    }
    learn(shared_state);
    keel_brief_lock_release(&record->lock);
}
