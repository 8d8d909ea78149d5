/* From what a loop site has learned to an instance, and back. */
#include "omp_ext/site/experience.h"

#include <stdatomic.h>

#include "omp_ext/site/auto.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/support/message.h"

#define LONG_NS 200e3     /* from there on, asking the kernel for CPU times does not show */
#define CPU_TIMES_FIRST 4 /* instances in which that is done, and */
#define CPU_TIMES_EACH 16 /* one of how many later on */
#define LEARN_AT_ONCE 4   /* instances that are learned from in any case */
#define LEARN_PART 0.005  /* of a loop's time that learning may take later */

/* --- recalling --- */

/* The first instance of a schedule of blocks runs in the order of the loop: small pieces of all
 * threads all along it, as nothing is known. */
static const struct keel_policy *policy_to_run(const struct keel_arena *arena)
{
    const struct keel_policy *policy = arena->policy;
    bool blind = arena->record == NULL || arena->record->balance == NULL ||
                 arena->record->balance->instances == 0;

    return policy->spec.schedule->learns == KEEL_LEARNS_BLOCKS && blind && policy->in_order != NULL
               ? policy->in_order
               : policy;
}

static void recall_threads(struct keel_arena *arena)
{
    for (uint64_t i = 0; i < arena->threads; i++) {
        arena->pace[i] =
            arena->record != NULL ? arena->record->lane[i].known : (struct keel_pace){0};
        arena->part[i] = (struct keel_part){0};
    }
}

/* Where blocks begin; NULL: they are equal. */
static const uint64_t *recall_blocks(struct keel_arena *arena)
{
    bool learned = arena->run->spec.schedule->learns == KEEL_LEARNS_BLOCKS;
    const struct keel_rebalance *balance =
        learned && arena->record != NULL ? arena->record->balance : NULL;

    if (balance == NULL) {
        return NULL;
    }
    for (uint64_t i = 0; i <= arena->threads; i++) {
        arena->first[i] = keel_rebalance_first(balance, i, arena->space.units);
    }
    return arena->first;
}

/* Says why a loop runs under arena->run instead of its schedule; once per process. */
static void say_order_is_missing(const struct keel_arena *arena)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *wanted = arena->policy->spec.schedule->name;
    const char *used = arena->run->spec.schedule->name;
    unsigned long long iterations = arena->space.iterations;
    size_t count = keel_costs_count(keel_thread.costs);

    if (iterations == 0 || atomic_flag_test_and_set(&said)) {
        return;
    }
    if (count == 0) {
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
                     wanted, iterations, (unsigned long long)arena->threads, used);
    }
}

/* The order that follows from the calling thread's costs, which may have others before the loop
 * ends; without costs, what stands in for the schedule. */
static void recall_costs(struct keel_arena *arena)
{
    struct keel_costs *costs = keel_thread.costs;
    const struct keel_spec *spec = &arena->run->spec;
    const struct keel_packing *packing =
        keel_costs_fit(costs, arena->space.iterations)
            ? keel_costs_packing(costs, spec, arena->space.grain, arena->threads)
            : NULL;

    if (packing == NULL) {
        arena->run = arena->run->in_order;
        say_order_is_missing(arena);
        return;
    }
    arena->costs = keel_costs_acquire(costs);
    keel_team_begin(arena->team, spec, arena->space.units, arena->threads, packing->first,
                    packing->list);
}

/* Own chunks are nobody else's to run, and who has run the last chunk of a list gets no other. */
static bool awaits_all(const struct keel_arena *arena)
{
    return keel_policy_shares_arena(arena->run)
               ? arena->team->list != NULL
               : arena->run->spec.schedule->claim == KEEL_CLAIM_OWN;
}

/* To ask for its CPU time can cost a thread the processor: the kernel settles then whose turn it
 * is. At the end of a loop, where others wait for it, that is a bad moment, so it stays rare. */
static bool wants_cpu_times(const struct keel_record *record)
{
    return record->instance_ns > LONG_NS &&
           (record->instances < CPU_TIMES_FIRST || record->instances % CPU_TIMES_EACH == 0);
}

void keel_experience_recall(struct keel_arena *arena)
{
    arena->times_cpu = arena->record != NULL && wants_cpu_times(arena->record);
    if (arena->policy->candidates != NULL) {
        keel_choosing_run(arena);
    } else {
        arena->run = policy_to_run(arena);
    }
    recall_threads(arena);
    arena->costs = NULL;
    if (arena->run->spec.schedule->wants_costs) {
        recall_costs(arena);
    } else if (keel_policy_shares_arena(arena->run)) {
        keel_team_begin(arena->team, &arena->run->spec, arena->space.units, arena->threads,
                        recall_blocks(arena), NULL);
        for (uint64_t i = 0; i < arena->threads; i++) {
            keel_team_recall(arena->team, i, arena->pace[i]);
        }
    }
    arena->awaits_all = awaits_all(arena);
}

/* --- learning --- */

/* A cancelled loop has not shown its end. */
static bool whole(const struct keel_arena *arena)
{
    /* relaxed: all threads have left */
    return !atomic_load_explicit(&arena->cut, memory_order_relaxed) && arena->space.units > 0;
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

static void learn_paces(const struct keel_arena *arena)
{
    for (uint64_t i = 0; i < arena->threads; i++) {
        learn_pace(&arena->record->lane[i].known, &arena->pace[i]);
    }
}

/* Learning costs time, too: where instances are short, some pass without. */
static bool worth_learning(const struct keel_record *record)
{
    return record->balance != NULL && (record->balance->instances < LEARN_AT_ONCE ||
                                       record->unlearned_ns * LEARN_PART > record->learning_ns);
}

static void learn_blocks(const struct keel_arena *arena)
{
    struct keel_record *record = arena->record;
    uint64_t start_ticks = keel_clock_ticks();

    keel_rebalance_learn(record->balance, arena->space.units, arena->part);
    record->learning_ns = keel_clock_span_ns(start_ticks, keel_clock_ticks());
    record->unlearned_ns = 0;
}

void keel_experience_learn(struct keel_arena *arena)
{
    struct keel_record *record = arena->record;

    if (record == NULL || !whole(arena) || !keel_brief_lock_try(&record->lock)) {
        return;
    }
    record->instance_ns = keel_clock_span_ns(arena->start_ticks, keel_clock_ticks());
    record->total_ns += record->instance_ns;
    record->instances++;
    if (keel_policy_shares_arena(arena->run) && arena->run->spec.schedule->timed) {
        record->unlearned_ns += record->instance_ns;
        record->claim_ns = atomic_load_explicit(&arena->claim_ns, memory_order_relaxed);
        learn_paces(arena);
        if (worth_learning(record)) {
            learn_blocks(arena);
        }
    }
    if (record->chooser != NULL) {
        keel_choosing_learn(arena, record->instance_ns);
    }
    keel_brief_lock_release(&record->lock);
}

void keel_experience_drop(struct keel_arena *arena)
{
    keel_costs_release(arena->costs);
}
