/* What is learned and decided, for the trace in JSON. */
#include "omp_ext/instance/shared_state.h"

#include <stdio.h>

#include "omp_ext/site/site.h"
#include "omp_ext/trace/trace_writer.h"

#define LONG_NS 100e3 /* of such instances each is told of, */
#define SHORT_EACH 16 /* of others one of so many */

/* --- with the record's lock --- */

void keel_learning_trace_before(struct keel_learning_trace *trace,
                                const struct keel_shared_state *shared_state)
{
    const struct keel_record *record = shared_state->record;

    trace->blocks = KEEL_BLOCKS_KEPT;
    trace->chooses = record->auto_state != NULL;
    if (trace->chooses) {
        trace->before = record->auto_state->choice;
    }
}

static uint64_t threads_told(uint64_t threads)
{
    return threads < KEEL_LEARNING_TRACE_THREADS ? threads : KEEL_LEARNING_TRACE_THREADS;
}

void keel_learning_trace_after(struct keel_learning_trace *trace,
                               const struct keel_shared_state *shared_state)
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
        for (uint64_t i = 0; i < threads_told(shared_state->threads); i++) {
            trace->share[i] = (double)((keel_blocks_first(blocks, i + 1, space->units) -
                                        keel_blocks_first(blocks, i, space->units)) *
                                       space->grain);
        }
    }
}

/* --- without it --- */

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

static bool has_chosen(const struct keel_learning_trace *trace)
{
    return trace->chooses &&
           (trace->before.phase != trace->after.phase || trace->before.kept != trace->after.kept ||
            trace->before.trying != trace->after.trying);
}

static void tell_choice(const struct keel_learning_trace *trace,
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

static void tell_blocks(const struct keel_learning_trace *trace,
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
static void tell_rates(const struct keel_shared_state *shared_state)
{
    double rate[KEEL_LEARNING_TRACE_THREADS];
    uint64_t threads = threads_told(shared_state->threads);
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

void keel_learning_trace_tell(const struct keel_learning_trace *trace,
                              const struct keel_shared_state *shared_state)
{
    if (has_chosen(trace)) {
        tell_choice(trace, shared_state);
    }
    if (trace->blocks != KEEL_BLOCKS_KEPT) {
        tell_blocks(trace, shared_state);
    }
    if (trace->last_ns < LONG_NS && trace->instances % SHORT_EACH != 0 &&
        trace->blocks == KEEL_BLOCKS_KEPT) {
        return;
    }
    tell_rates(shared_state);
    if (trace->has_blocks) {
        keel_note_counters("share", site_of(shared_state->policy), trace->share,
                           threads_told(shared_state->threads));
    }
}

void keel_learning_trace_paces(const struct keel_record *record, const struct keel_policy *policy)
{
    double rate[KEEL_LEARNING_TRACE_THREADS];
    uint64_t threads = threads_told(record->threads);

    for (uint64_t i = 0; i < threads; i++) {
        /* relaxed: see keel_record_weight() */
        double pace_ns = atomic_load_explicit(&record->worker[i].pace_ns, memory_order_relaxed);
        rate[i] = pace_ns > 0 ? 1e9 * (double)(policy->grain > 0 ? policy->grain : 1) / pace_ns : 0;
    }
    keel_note_counters("rate", site_of(policy), rate, threads);
}
