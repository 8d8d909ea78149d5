/* Copies what the site has learned into a new instance, and back. */
#include "omp_ext/instance/experience.h"

#include <stdatomic.h>

#include "omp_ext/instance/auto.h"
#include "omp_ext/instance/learning_trace.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/places/team_places.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/support/message.h"
#include "omp_ext/trace/trace_notes.h"
#include "schedules/loop/least_chunk.h"

#define LONG_NS 200e3       /* from there on, asking the kernel for CPU times does not show */
#define CPU_TIMES_FIRST 4   /* instances in which that is done, and */
#define CPU_TIMES_EACH 16   /* one of how many later on */
#define LEARN_AT_ONCE 4     /* instances that are learned from in any case */
#define LEARNING_PART 0.005 /* of a loop's time that learning may take later */

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
        keel_auto_run(shared_state);
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
        keel_auto_learn(shared_state, record->instance_ns);
    }
    return decision;
}

/* The same for the trace, too. */
static __attribute__((noinline)) void learn_and_tell(struct keel_shared_state *shared_state)
{
    struct keel_learning_trace trace;

    keel_learning_trace_before(&trace, shared_state);
    trace.blocks = learn(shared_state);
    keel_learning_trace_after(&trace, shared_state);
    keel_brief_lock_release(&shared_state->record->lock);
    keel_learning_trace_tell(&trace, shared_state);
}

void keel_experience_learn(struct keel_shared_state *shared_state)
{
    struct keel_record *record = shared_state->record;

    if (record == NULL || !whole(shared_state) || !keel_brief_lock_try(&record->lock)) {
        return;
    }
    if (keel_notes_wanted()) {
        learn_and_tell(shared_state);
        return;
    }
    learn(shared_state);
    keel_brief_lock_release(&record->lock);
}

void keel_experience_drop(struct keel_shared_state *shared_state)
{
    keel_known_costs_release(shared_state->costs);
}
