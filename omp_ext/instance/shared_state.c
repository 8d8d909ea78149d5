/* State that a team shares in one instance of a loop. */
#include "omp_ext/instance/shared_state.h"

#include <stdlib.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/pause.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/site/site.h"

/* For another thread's preparation, before the thread prepares one itself. */
#define WAITS_MAX 10000

/* keel_instance.users == threads in the shared state + (threads that have left it << 32) + flags,
 * or, once nothing is left to do, CLOSED alone. */
#define LEFT_ONE (UINT64_C(1) << 32)
#define CANCELLED (UINT64_C(1) << 62) /* a thread left before it was done */
#define CLOSED (UINT64_C(1) << 63)

struct keel_shared_state keel_shared_state_none;

/* --- memory --- */

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The next `bytes` of the piece at *memory. */
static void *next_piece(char **memory, size_t bytes)
{
    void *part = *memory;

    *memory += rounded(bytes);
    return part;
}

static struct keel_shared_state *allocate(uint64_t threads)
{
    const size_t head = sizeof(struct keel_shared_state), team = keel_team_size(threads);
    const size_t pace = threads * sizeof(struct keel_pace);
    const size_t part = threads * sizeof(struct keel_blocks_part);
    const size_t log = threads * KEEL_LOG_MAX * sizeof(struct keel_timed_chunk);
    const size_t first = (threads + 1) * sizeof(uint64_t);
    char *memory = aligned_alloc(64, rounded(head) + rounded(pace) + rounded(part) + rounded(log) +
                                         rounded(first) + rounded(team));

    if (memory == NULL) {
        return NULL;
    }
    struct keel_shared_state *shared_state = next_piece(&memory, head);
    *shared_state = (struct keel_shared_state){.room = threads};
    shared_state->pace = next_piece(&memory, pace);
    shared_state->part = next_piece(&memory, part);
    shared_state->log = next_piece(&memory, log);
    shared_state->first = next_piece(&memory, first);
    shared_state->team = next_piece(&memory, team);
    return shared_state;
}

static struct keel_shared_state *take_from_pool(struct keel_shared_state_pool *pool,
                                                uint64_t threads)
{
    for (unsigned i = 0; i < KEEL_SHARED_STATES_KEPT; i++) {
        if (atomic_load_explicit(&pool->kept[i], memory_order_relaxed) == NULL) {
            continue;
        }
        /* acquire: pairs with the release in return_to_pool() */
        struct keel_shared_state *shared_state =
            atomic_exchange_explicit(&pool->kept[i], NULL, memory_order_acquire);
        if (shared_state != NULL && shared_state->room >= threads) {
            return shared_state;
        }
        free(shared_state);
    }
    return allocate(threads);
}

static void return_to_pool(struct keel_shared_state *shared_state)
{
    struct keel_shared_state_pool *pool = shared_state->policy->shared_states;

    keel_known_costs_release(shared_state->costs);
    for (unsigned i = 0; i < KEEL_SHARED_STATES_KEPT; i++) {
        struct keel_shared_state *none = NULL;
        /* release: pairs with the acquire in take_from_pool() */
        if (atomic_compare_exchange_strong_explicit(&pool->kept[i], &none, shared_state,
                                                    memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
    free(shared_state);
}

/* --- entering --- */

/* locked: the caller holds the record's lock. Otherwise nothing is recalled, but the instance can
 * still be learned from. */
static struct keel_shared_state *prepare(const struct keel_policy *policy,
                                         struct keel_record *record, bool locked,
                                         const struct keel_space *space, uint64_t threads,
                                         struct keel_known_costs *costs)
{
    struct keel_shared_state *shared_state = take_from_pool(policy->shared_states, threads);

    if (shared_state == NULL) {
        return &keel_shared_state_none;
    }
    shared_state->policy = policy;
    shared_state->record = locked ? record : NULL;
    shared_state->space = *space;
    shared_state->threads = threads;
    shared_state->start_ticks = keel_clock_ticks();
    atomic_store_explicit(&shared_state->claim_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&shared_state->cancelled, false, memory_order_relaxed);
    keel_experience_recall(shared_state, costs);
    shared_state->record = record;
    return shared_state;
}

/* Makes `made` the instance's shared state unless it has one by now; returns the one it has. */
static struct keel_shared_state *install(struct keel_instance *instance,
                                         struct keel_shared_state *made)
{
    struct keel_shared_state *installed = NULL;

    /* release: the shared state is complete before it is seen; acquire: so is another's */
    if (atomic_compare_exchange_strong_explicit(&instance->shared_state, &installed, made,
                                                memory_order_acq_rel, memory_order_acquire)) {
        return made;
    }
    if (made != &keel_shared_state_none) {
        return_to_pool(made);
    }
    return installed;
}

/* One thread prepares what the others need, as in libgomp's own start of a work-sharing construct.
 * But none depends on it: a thread that has waited for long prepares a shared state without the
 * record. */
static struct keel_shared_state *find_or_prepare(struct keel_instance *instance,
                                                 const struct keel_policy *policy,
                                                 const struct keel_space *space, uint64_t threads,
                                                 struct keel_known_costs *costs, bool first)
{
    struct keel_record *record =
        policy->records != NULL
            ? keel_record_of_team(policy->records, threads, space->units, policy->spec.schedule)
            : NULL;
    struct keel_shared_state *shared_state;

    for (unsigned waits = 0;
         /* acquire: pairs with the release in install() */
         (shared_state = atomic_load_explicit(&instance->shared_state, memory_order_acquire)) ==
         NULL;
         waits++) {
        bool locked = record != NULL && keel_brief_lock_try(&record->lock);
        if (locked || (first && record == NULL) || waits == WAITS_MAX) {
            shared_state =
                install(instance, prepare(policy, record, locked, space, threads, costs));
        }
        if (locked) {
            keel_brief_lock_release(&record->lock);
        }
        if (shared_state != NULL) {
            break;
        }
        keel_pause();
    }
    return shared_state;
}

struct keel_shared_state *keel_shared_state_enter(struct keel_instance *instance,
                                                  const struct keel_policy *policy,
                                                  const struct keel_space *space, uint64_t threads,
                                                  struct keel_known_costs *costs)
{
    /* acquire and release: the thread that closes the shared state has seen all that was done in
     * it */
    uint64_t users = atomic_fetch_add_explicit(&instance->users, 1, memory_order_acq_rel);

    return users & CLOSED ? NULL
                          : find_or_prepare(instance, policy, space, threads, costs, users == 0);
}

/* Closes the shared state if
 *
 *   1. no thread is in it: a thread leaves when it has found no chunk, or the loop is cancelled;
 *   2. where each thread has work of its own, all have left it, or one was cancelled;
 *   3. no thread has entered since this one took itself off `users` (compare-and-swap).
 *
 * A thread that comes later finds it closed, and nothing to do. */
void keel_shared_state_leave(struct keel_instance *instance, struct keel_shared_state *shared_state,
                             bool finished)
{
    uint64_t awaited = shared_state->awaits_all ? shared_state->threads : 0;

    if (!finished) {
        /* relaxed: the subtraction below orders both */
        atomic_store_explicit(&shared_state->cancelled, true, memory_order_relaxed);
        atomic_fetch_or_explicit(&instance->users, CANCELLED, memory_order_relaxed);
    }
    /* acquire and release: as in keel_shared_state_enter() */
    uint64_t users =
        atomic_fetch_add_explicit(&instance->users, LEFT_ONE - 1, memory_order_acq_rel) + LEFT_ONE -
        1;
    bool done = (users & CANCELLED) != 0 || users / LEFT_ONE >= awaited;
    if ((uint32_t)users == 0 && done &&
        atomic_compare_exchange_strong_explicit(&instance->users, &users, CLOSED,
                                                memory_order_acq_rel, memory_order_relaxed)) {
        keel_experience_learn(shared_state);
        return_to_pool(shared_state);
    }
    keel_save_sites_when_due();
}
