/* From what a loop site has learned to an instance, and back. */
#include "omp_ext/experience.h"

#include "omp_ext/clock.h"

#define LONG_NS 200e3    /* from there on, asking the kernel for CPU times does not show */
#define LEARN_AT_ONCE 4  /* instances that are learned from in any case */
#define LEARN_PART 0.005 /* of a loop's time that learning may take later */

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
    const struct keel_rebalance *balance = arena->record != NULL ? arena->record->balance : NULL;

    if (balance == NULL) {
        return NULL;
    }
    for (uint64_t i = 0; i <= arena->threads; i++) {
        arena->first[i] = keel_rebalance_first(balance, i, arena->iterations);
    }
    return arena->first;
}

void keel_experience_recall(struct keel_arena *arena)
{
    arena->times_cpu = arena->record != NULL && arena->record->instance_ns > LONG_NS;
    arena->run = policy_to_run(arena);
    recall_threads(arena);
    keel_team_begin(arena->team, &arena->run->spec, arena->iterations, arena->threads,
                    recall_blocks(arena), NULL);
}

/* --- learning --- */

/* A cancelled loop has not shown its end. */
static bool whole(const struct keel_arena *arena)
{
    uint64_t done = 0;

    for (uint64_t i = 0; i < arena->threads; i++) {
        done += arena->part[i].done;
    }
    return done == arena->iterations && done > 0;
}

static void learn_paces(const struct keel_arena *arena)
{
    for (uint64_t i = 0; i < arena->threads; i++) {
        if (arena->pace[i].mean_ns > 0) {
            arena->record->lane[i].known = arena->pace[i];
        }
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

    keel_rebalance_learn(record->balance, arena->iterations, arena->part);
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
    record->unlearned_ns += record->instance_ns;
    learn_paces(arena);
    if (worth_learning(record)) {
        learn_blocks(arena);
    }
    keel_brief_lock_release(&record->lock);
}

void keel_experience_drop(struct keel_arena *arena)
{
    (void)arena;
}
