/* What a team shares in one instance of a loop that measures itself. */
#include "omp_ext/loop/shared_state.h"

#include <stdlib.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/experience.h"

#define WAITS_MAX \
    10000              /* for another thread's preparation, before the thread prepares one itself */
#define WAITS_BUSY 100 /* of these, without giving the processor away */

/* In keel_instance.users, above the number of threads in the arena. */
#define LEFT_ONCE (UINT64_C(1) << 32) /* for each that has left it */
#define CUT (UINT64_C(1) << 62)       /* one left before it was done */

struct keel_arena keel_arena_none;

/* --- memory --- */

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The next `bytes` of the piece at *memory. */
static void *cut(char **memory, size_t bytes)
{
    void *part = *memory;

    *memory += rounded(bytes);
    return part;
}

static struct keel_arena *allocate(uint64_t threads)
{
    const size_t head = sizeof(struct keel_arena), team = keel_team_size(threads);
    const size_t pace = threads * sizeof(struct keel_pace);
    const size_t part = threads * sizeof(struct keel_part);
    const size_t log = threads * KEEL_LOG_MAX * sizeof(struct keel_timed_chunk);
    const size_t first = (threads + 1) * sizeof(uint64_t);
    char *memory = aligned_alloc(64, rounded(head) + rounded(pace) + rounded(part) + rounded(log) +
                                         rounded(first) + rounded(team));

    if (memory == NULL) {
        return NULL;
    }
    struct keel_arena *arena = cut(&memory, head);
    *arena = (struct keel_arena){.room = threads};
    arena->pace = cut(&memory, pace);
    arena->part = cut(&memory, part);
    arena->log = cut(&memory, log);
    arena->first = cut(&memory, first);
    arena->team = cut(&memory, team);
    return arena;
}

static struct keel_arena *take(struct keel_arena_pool *pool, uint64_t threads)
{
    for (unsigned i = 0; i < KEEL_ARENAS_KEPT; i++) {
        if (atomic_load_explicit(&pool->kept[i], memory_order_relaxed) == NULL) {
            continue;
        }
        /* acquire: pairs with the release in give() */
        struct keel_arena *arena =
            atomic_exchange_explicit(&pool->kept[i], NULL, memory_order_acquire);
        if (arena != NULL && arena->room >= threads) {
            return arena;
        }
        free(arena);
    }
    return allocate(threads);
}

static void give(struct keel_arena_pool *pool, struct keel_arena *arena)
{
    for (unsigned i = 0; i < KEEL_ARENAS_KEPT; i++) {
        struct keel_arena *none = NULL;
        /* release: pairs with the acquire in take() */
        if (atomic_compare_exchange_strong_explicit(&pool->kept[i], &none, arena,
                                                    memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
    free(arena);
}

/* --- entering --- */

/* locked: the caller holds the record's lock. Otherwise nothing is recalled, but the instance can
 * still be learned from. */
static struct keel_arena *prepare(const struct keel_policy *policy, struct keel_record *record,
                                  bool locked, const struct keel_space *space, uint64_t threads)
{
    struct keel_arena *arena = take(policy->arenas, threads);

    if (arena == NULL) {
        return &keel_arena_none;
    }
    arena->policy = policy;
    arena->record = locked ? record : NULL;
    arena->space = *space;
    arena->threads = threads;
    arena->start_ticks = keel_clock_ticks();
    atomic_store_explicit(&arena->claim_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&arena->cut, false, memory_order_relaxed);
    atomic_store_explicit(&arena->traced, 0, memory_order_relaxed);
    keel_experience_recall(arena);
    arena->record = record;
    return arena;
}

/* Makes `made` the instance's arena unless it has one by now; returns the one it has. */
static struct keel_arena *install(struct keel_instance *instance, struct keel_arena *made)
{
    struct keel_arena *installed = NULL;

    /* release: the arena is complete before it is seen; acquire: so is another's */
    if (atomic_compare_exchange_strong_explicit(&instance->arena, &installed, made,
                                                memory_order_acq_rel, memory_order_acquire)) {
        return made;
    }
    if (made != &keel_arena_none) {
        keel_experience_drop(made);
        give(made->policy->arenas, made);
    }
    return installed;
}

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* As libgomp's own start of a work-sharing construct, this lets one thread prepare what the others
 * need, but nobody depends on it: who has waited for long prepares an arena without the record. */
static struct keel_arena *find_or_prepare(struct keel_instance *instance,
                                          const struct keel_policy *policy,
                                          const struct keel_space *space, uint64_t threads,
                                          bool first)
{
    struct keel_record *record =
        policy->memory != NULL ? keel_memory_record(policy->memory, threads, policy->spec.schedule)
                               : NULL;
    struct keel_arena *arena;

    for (unsigned waits = 0;
         /* acquire: pairs with the release in install() */
         (arena = atomic_load_explicit(&instance->arena, memory_order_acquire)) == NULL; waits++) {
        bool locked = record != NULL && keel_brief_lock_try(&record->lock);
        if (locked || (first && record == NULL) || waits == WAITS_MAX) {
            arena = install(instance, prepare(policy, record, locked, space, threads));
        }
        if (locked) {
            keel_brief_lock_release(&record->lock);
        }
        if (arena != NULL) {
            break;
        }
        pause_briefly();
    }
    return arena;
}

struct keel_arena *keel_arena_enter(struct keel_instance *instance,
                                    const struct keel_policy *policy,
                                    const struct keel_space *space, uint64_t threads)
{
    /* acquire and release: whoever closes the arena has seen all that was done in it */
    uint64_t users = atomic_fetch_add_explicit(&instance->users, 1, memory_order_acq_rel);

    return users & KEEL_ARENA_CLOSED
               ? NULL
               : find_or_prepare(instance, policy, space, threads, users == 0);
}

/* Nothing is left to do in the instance when nobody is in it, as who leaves has found nothing, or
 * the loop was cancelled; where each thread has work of its own, all have to have been there. Once
 * the thread has taken itself off `users`, the arena is another thread's to close, unless no other
 * has entered since. A thread that comes when it has been closed finds nothing to do. */
void keel_arena_leave(struct keel_instance *instance, struct keel_arena *arena, bool finished)
{
    uint64_t awaited = arena->awaits_all ? arena->threads : 0;

    if (!finished) {
        /* relaxed: the subtraction below orders both */
        atomic_store_explicit(&arena->cut, true, memory_order_relaxed);
        atomic_fetch_or_explicit(&instance->users, CUT, memory_order_relaxed);
    }
    /* acquire and release: as in keel_arena_enter() */
    uint64_t users =
        atomic_fetch_add_explicit(&instance->users, LEFT_ONCE - 1, memory_order_acq_rel) +
        LEFT_ONCE - 1;
    bool done = (users & CUT) != 0 || users / LEFT_ONCE >= awaited;
    if ((uint32_t)users == 0 && done &&
        atomic_compare_exchange_strong_explicit(&instance->users, &users, KEEL_ARENA_CLOSED,
                                                memory_order_acq_rel, memory_order_relaxed)) {
        keel_experience_learn(arena);
        keel_experience_drop(arena);
        give(arena->policy->arenas, arena);
    }
}
