/* A team in one instance of a loop whose chunks are sized when they are claimed. */
#include "schedules/claim/team.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/schedule.h"

#define REFRESH_MAX 16 /* chunks between two looks at the other threads, at most */
#define NEAR_ENOUGH \
    0.5               /* of what the fullest block has left: a near one with that much is as good */
#define QUICK_NS 1000 /* chunks up to this are not worth a look at the other threads */

/* --- the shared part --- */

size_t keel_team_size(uint64_t threads)
{
    return sizeof(struct keel_team) + threads * sizeof(struct keel_member);
}

/* Without given bounds, blocks are equal, or as small as chunks may be: then only the first threads
 * have one. */
static uint64_t equal_start(const struct keel_team *team, uint64_t thread)
{
    uint64_t minimum = team->minimum;

    if (team->iterations / team->threads < minimum) {
        return thread > team->iterations / minimum ? team->iterations : thread * minimum;
    }
    return (uint64_t)((unsigned __int128)team->iterations * thread / team->threads);
}

/* The first unclaimed iteration of `thread`; `thread` == P: behind the last one that is handed
 * out. */
static uint64_t block_start(const struct keel_team *team, const uint64_t *first, uint64_t thread)
{
    return first != NULL ? min_u64(first[thread], team->iterations) : equal_start(team, thread);
}

static void divide(struct keel_team *team, const uint64_t *first)
{
    team->unit = team->iterations / UINT32_MAX + 1;
    uint64_t low = 0;

    for (uint64_t i = 0; i < team->threads; i++) {
        uint64_t high = div_ceil(block_start(team, first, i + 1), team->unit);
        atomic_store_explicit(&team->member[i].block, keel_packed_range(low, high),
                              memory_order_relaxed);
        low = high;
    }
}

/* 1 if the last iteration is given out at the very end. */
static uint64_t keeps_last(const struct keel_team *team)
{
    return team->spec->schedule->claim == KEEL_CLAIM_BLOCKS && team->loop_iterations > 0 &&
           (team->list == NULL || team->list->iterations < team->loop_iterations);
}

/* Relaxed stores: the caller publishes the team as a whole. */
void keel_team_begin(struct keel_team *team, const struct keel_spec *spec, uint64_t iterations,
                     uint64_t threads, const uint64_t *first, const struct keel_chunk_list *list)
{
    team->spec = spec;
    team->list = list;
    team->placement = NULL;
    team->loop_iterations = iterations;
    team->iterations = list != NULL ? list->count : iterations - keeps_last(team);
    atomic_store_explicit(&team->ended, 0, memory_order_relaxed);
    team->threads = threads;
    team->minimum = list == NULL ? keel_least_chunk_under(spec, iterations, threads) : 1;
    atomic_store_explicit(&team->next, 0, memory_order_relaxed);
    for (uint64_t i = 0; i < threads; i++) {
        struct keel_member *member = &team->member[i];
        atomic_store_explicit(&member->mean_ns, 0, memory_order_relaxed);
        atomic_store_explicit(&member->variance_ns2, 0, memory_order_relaxed);
        atomic_store_explicit(&member->done, 0, memory_order_relaxed);
        atomic_store_explicit(&member->divisor, threads, memory_order_relaxed);
    }
    divide(team, first);
}

void keel_team_place(struct keel_team *team, const struct keel_placement *placement)
{
    team->placement = placement;
}

/* --- measurements --- */

static const struct keel_schedule *schedule_of(const struct keel_team_worker *worker)
{
    return worker->context.spec->schedule;
}

static struct keel_member *own_member(const struct keel_team_worker *worker)
{
    return &worker->team->member[worker->thread];
}

/* 0 without weights. */
static double placement_weight(const struct keel_placement *placement, uint64_t thread)
{
    return placement != NULL && placement->weight != NULL ? placement->weight[thread] : 0;
}

/* A view of the other threads, for the hooks. Relaxed: each number is independent, and one that is
 * a little older is as good. */
static void read_paces(struct keel_team_worker *worker)
{
    const struct keel_placement *placement = worker->team->placement;
    struct keel_paces paces = {0};
    double weight = 0;

    for (uint64_t i = 0; i < worker->team->threads; i++) {
        const struct keel_member *member = &worker->team->member[i];
        double mean_ns = atomic_load_explicit(&member->mean_ns, memory_order_relaxed);
        if (mean_ns > 0) {
            double variance = atomic_load_explicit(&member->variance_ns2, memory_order_relaxed);
            keel_timing_join(&paces, &(struct keel_pace){mean_ns, variance});
            weight += placement_weight(placement, i);
        }
    }
    worker->context.team = paces;
    worker->context.team_weight = weight;
}

static void publish(struct keel_member *member, const struct keel_pace *pace)
{
    atomic_store_explicit(&member->mean_ns, pace->mean_ns, memory_order_relaxed);
    atomic_store_explicit(&member->variance_ns2, pace->variance_ns2, memory_order_relaxed);
}

void keel_team_recall(struct keel_team *team, uint64_t thread, struct keel_pace known)
{
    if (keel_timing_is_known(&known)) {
        publish(&team->member[thread], &known);
    }
}

/* Publishes its own pace and reads the others': often at first, less often later, as their data has
 * to come from their caches. */
static void exchange_paces(struct keel_team_worker *worker)
{
    uint64_t step = min_u64(worker->chunks / 4 + 1, REFRESH_MAX);

    publish(own_member(worker), &worker->context.own);
    read_paces(worker);
    worker->refresh =
        worker->chunks + (worker->context.team.measured < worker->team->threads ? 1 : step);
}

void keel_team_worker_begin(struct keel_team_worker *worker, struct keel_team *team,
                            uint64_t thread, struct keel_pace known)
{
    *worker = (struct keel_team_worker){
        .context = {.spec = team->spec,
                    .iterations = team->iterations,
                    .threads = team->threads,
                    .divisor = team->threads,
                    .own_weight = placement_weight(team->placement, thread)},
        .team = team,
        .thread = thread,
    };
    if (keel_timing_is_known(&known)) {
        keel_timing_recall(&worker->timing, &known, team->iterations, team->threads);
        worker->context.own = known;
        exchange_paces(worker);
    }
}

/* Mean of the iterations that the threads have done. */
static double progress_of(const struct keel_team *team)
{
    double sum = 0;

    for (uint64_t i = 0; i < team->threads; i++) {
        sum += (double)atomic_load_explicit(&team->member[i].done, memory_order_relaxed);
    }
    return sum / (double)team->threads;
}

/* In large teams, not every chunk reads the progress of all others. */
static void adapt(struct keel_team_worker *worker)
{
    struct keel_member *member = own_member(worker);

    atomic_store_explicit(&member->done,
                          atomic_load_explicit(&member->done, memory_order_relaxed) +
                              worker->context.chunk,
                          memory_order_relaxed);
    if (worker->chunks >= worker->refresh) {
        worker->context.progress = progress_of(worker->team);
        worker->refresh = worker->chunks + worker->team->threads / 8 + 1;
    }
    worker->context.done = atomic_load_explicit(&member->done, memory_order_relaxed);
    schedule_of(worker)->adapt(&worker->context);
    atomic_store_explicit(&member->divisor, worker->context.divisor, memory_order_relaxed);
}

void keel_team_worker_done(struct keel_team_worker *worker, double time_ns, double overhead_ns)
{
    const struct keel_schedule *schedule = schedule_of(worker);

    worker->chunks++;
    if (schedule->timed) {
        keel_timing_done(&worker->timing, worker->context.chunk, time_ns, overhead_ns,
                         &worker->context);
        worker->quick = !(time_ns > QUICK_NS); /* also where it is not a number */
        if (worker->chunks >= worker->refresh) {
            exchange_paces(worker);
        }
    }
    if (schedule->adapt != NULL) {
        adapt(worker);
    }
}

/* --- taking chunks --- */

/* Bounds the size that a hook returns: at least the minimum, at most the remaining iterations. */
static uint64_t bounded(const struct keel_team_worker *worker, uint64_t size)
{
    return min_u64(max_u64(size, worker->team->minimum), worker->context.remaining);
}

/* Size of the chunk to take of `remaining` iterations. */
static uint64_t take_of(struct keel_team_worker *worker, uint64_t remaining)
{
    const struct keel_schedule *schedule = schedule_of(worker);

    worker->context.remaining = remaining;
    return bounded(worker, schedule->take != NULL ? schedule->take(&worker->context) : 1);
}

/* The number of iterations claimed so far, to size a chunk by. Reading it costs as much as a claim,
 * and if chunks are quick, the thread's value of its last claim is good enough. */
static uint64_t position(const struct keel_team_worker *worker)
{
    /* relaxed here and below: only hands out disjoint iterations, see plan.h */
    return worker->quick ? worker->position
                         : atomic_load_explicit(&worker->team->next, memory_order_relaxed);
}

/* If the counter could wrap, threads agree on each claim. */
static bool claim_exactly(struct keel_team_worker *worker, uint64_t *next, uint64_t *size)
{
    struct keel_team *team = worker->team;

    *next = atomic_load_explicit(&team->next, memory_order_relaxed);
    do {
        if (*next >= team->iterations) {
            return false;
        }
        *size = take_of(worker, team->iterations - *next);
    } while (!atomic_compare_exchange_weak_explicit(&team->next, next, *next + *size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* The counter passes N by at most one chunk per thread, as no thread adds to it once it has
 * (tests/models/counter.pml: look; tests/models/counter.pml: claim). */
static bool claim_at_once(struct keel_team_worker *worker, uint64_t *next, uint64_t *size)
{
    struct keel_team *team = worker->team;

    *next = position(worker);
    if (*next >= team->iterations) {
        return false;
    }
    *size = take_of(worker, team->iterations - *next);
    *next = atomic_fetch_add_explicit(&team->next, *size, memory_order_relaxed);
    return *next < team->iterations;
}

static bool next_sized(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_team *team = worker->team;
    bool wraps = team->iterations > UINT64_MAX / (team->threads + 1);
    uint64_t next, size;

    if (!(wraps ? claim_exactly : claim_at_once)(worker, &next, &size)) {
        return false;
    }
    *first = next;
    *last = next + min_u64(size, team->iterations - next);
    worker->position = *last;
    return true;
}

/* Iterations in `length` units, at most. */
static uint64_t iterations_of(const struct keel_team *team, uint64_t length)
{
    return length > team->iterations / team->unit ? team->iterations : length * team->unit;
}

/* Units [low, high) as iterations. */
static void chunk_of(const struct keel_team *team, uint64_t low, uint64_t high, uint64_t *first,
                     uint64_t *last)
{
    *first = low * team->unit;
    *last = iterations_of(team, high);
}

/* A size in iterations as units, 1 .. most. */
static uint64_t units_of(const struct keel_team *team, uint64_t size, uint64_t most)
{
    return min_u64(max_u64(1, div_ceil(size, team->unit)), most);
}

static bool next_of_own(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_team *team = worker->team;
    struct keel_member *own = own_member(worker);
    /* relaxed here and below: one word holds the whole block, and hands out disjoint units
     * (tests/models/blocks.pml: claim) */
    uint64_t block = atomic_load_explicit(&own->block, memory_order_relaxed), low, size;

    do {
        low = keel_packed_range_low(block);
        if (keel_packed_range_length(block) == 0) {
            return false;
        }
        size = units_of(team, take_of(worker, iterations_of(team, keel_packed_range_length(block))),
                        keel_packed_range_length(block));
    } while (!atomic_compare_exchange_weak_explicit(
        &own->block, &block, keel_packed_range(low + size, keel_packed_range_high(block)),
        memory_order_relaxed, memory_order_relaxed));
    chunk_of(team, low, low + size, first, last);
    return true;
}

/* The rest of a thread's block, in time if its pace is known. */
static double left_of(const struct keel_member *member)
{
    uint64_t block = atomic_load_explicit(&member->block, memory_order_relaxed);
    double mean_ns = atomic_load_explicit(&member->mean_ns, memory_order_relaxed);

    return (double)keel_packed_range_length(block) * (mean_ns > 0 ? mean_ns : 1);
}

/* As find_victim(), among the nearest threads that have enough left. */
static struct keel_member *find_near_victim(struct keel_team_worker *worker)
{
    struct keel_team *team = worker->team;
    struct keel_member *victim[KEEL_NEARNESSES] = {NULL};
    double most[KEEL_NEARNESSES] = {0};

    for (uint64_t i = 1; i < team->threads; i++) {
        uint64_t thread = (worker->thread + i) % team->threads;
        double left = left_of(&team->member[thread]);
        enum keel_nearness nearness =
            keel_placement_nearness(team->placement, worker->thread, thread);
        if (left > most[nearness]) {
            most[nearness] = left;
            victim[nearness] = &team->member[thread];
        }
    }
    double enough = NEAR_ENOUGH * fmax(most[0], fmax(most[1], most[2]));
    enum keel_nearness nearest = KEEL_NEAR_CACHE;
    while (most[nearest] < enough) {
        nearest++;
    }
    return victim[nearest];
}

/* The thread with most left to do; NULL if none has any. */
static struct keel_member *find_victim(struct keel_team_worker *worker)
{
    struct keel_team *team = worker->team;
    struct keel_member *victim = NULL;
    double most = 0;

    if (team->placement != NULL && team->placement->groups != NULL) {
        return find_near_victim(worker);
    }
    for (uint64_t i = 1; i < team->threads; i++) {
        struct keel_member *member = &team->member[(worker->thread + i) % team->threads];
        double left = left_of(member);
        if (left > most) {
            most = left;
            victim = member;
        }
    }
    return victim;
}

/* How many units of `length` to take from the victim's end. It leaves the victim none, or at least
 * the minimum. */
static uint64_t stolen_of(struct keel_team_worker *worker, const struct keel_member *victim,
                          uint64_t length)
{
    const struct keel_team *team = worker->team;
    const struct keel_schedule *schedule = schedule_of(worker);
    const struct keel_pace pace = {
        .mean_ns = atomic_load_explicit(&victim->mean_ns, memory_order_relaxed)};

    worker->context.remaining = iterations_of(team, length);
    uint64_t wanted = schedule->steal != NULL ? schedule->steal(&worker->context, &pace)
                                              : div_ceil(worker->context.remaining, 2);
    uint64_t stolen = units_of(team, bounded(worker, wanted), length);
    return length - stolen < units_of(team, worker->team->minimum, length) ? length : stolen;
}

/* Takes over the end of the victim's block; false if the block has changed meanwhile
 * (tests/models/blocks.pml: steal). */
static bool steal_from(struct keel_team_worker *worker, struct keel_member *victim, uint64_t *low,
                       uint64_t *high)
{
    uint64_t block = atomic_load_explicit(&victim->block, memory_order_relaxed);

    if (keel_packed_range_length(block) == 0) {
        return false;
    }
    uint64_t stolen = stolen_of(worker, victim, keel_packed_range_length(block));
    *high = keel_packed_range_high(block);
    *low = *high - stolen;
    return atomic_compare_exchange_strong_explicit(
        &victim->block, &block, keel_packed_range(keel_packed_range_low(block), *low),
        memory_order_relaxed, memory_order_relaxed);
}

/* After a steal the divisor becomes the mean of both threads' (Booth & Lane 2020). */
static void learn_from(struct keel_team_worker *worker, const struct keel_member *victim)
{
    struct keel_member *own = own_member(worker);
    uint64_t divisor = atomic_load_explicit(&victim->divisor, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&victim->done, memory_order_relaxed);
    uint64_t own_done = atomic_load_explicit(&own->done, memory_order_relaxed);

    worker->context.divisor = (worker->context.divisor + divisor + 1) / 2;
    atomic_store_explicit(&own->done, own_done / 2 + done / 2, memory_order_relaxed);
}

/* Publishes the stolen units [low, high) as the thread's own block, and takes its first chunk. */
static void keep_stolen(struct keel_team_worker *worker, uint64_t low, uint64_t high,
                        uint64_t *first, uint64_t *last)
{
    struct keel_team *team = worker->team;
    uint64_t size = high - low;

    if (!schedule_of(worker)->steals_one_chunk) {
        size = units_of(team, take_of(worker, iterations_of(team, size)), size);
    }
    /* A plain store: only its owner fills an empty block (tests/models/blocks.pml: keep). */
    atomic_store_explicit(&own_member(worker)->block, keel_packed_range(low + size, high),
                          memory_order_relaxed);
    chunk_of(team, low, low + size, first, last);
}

static bool next_of_others(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_member *victim;
    uint64_t low, high;

    while ((victim = find_victim(worker)) != NULL) {
        if (steal_from(worker, victim, &low, &high)) {
            if (schedule_of(worker)->adapt != NULL) {
                learn_from(worker, victim);
            }
            worker->context.victim_ns =
                atomic_load_explicit(&victim->mean_ns, memory_order_relaxed);
            keep_stolen(worker, low, high, first, last);
            return true;
        }
    }
    return false;
}

static bool next_of_any_block(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    return next_of_own(worker, first, last) || next_of_others(worker, first, last);
}

/* The count may lag behind concurrent claims: it only affects sizes; blocks hand out disjoint
 * iterations whatever it is. */
static bool next_of_counted(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_team *team = worker->team;
    uint64_t claimed = atomic_load_explicit(&team->next, memory_order_relaxed);

    worker->context.loop_remaining = team->iterations - min_u64(claimed, team->iterations);
    if (!next_of_any_block(worker, first, last)) {
        return false;
    }
    atomic_fetch_add_explicit(&team->next, *last - *first, memory_order_relaxed);
    return true;
}

static bool next_of_blocks(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    return (schedule_of(worker)->counts_loop ? next_of_counted : next_of_any_block)(worker, first,
                                                                                    last);
}

static bool next_by_claim(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    return schedule_of(worker)->claim == KEEL_CLAIM_SIZED ? next_sized(worker, first, last)
                                                          : next_of_blocks(worker, first, last);
}

/* The chunk at the next index of the list. */
static bool next_of_list(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    if (!next_by_claim(worker, first, last)) {
        return false;
    }
    const struct keel_listed_chunk *chunk = &worker->team->list->chunk[*first];
    *first = chunk->first;
    *last = chunk->last;
    worker->over = *last == worker->team->loop_iterations;
    return true;
}

/* The loop's last iteration, if it was kept back and no thread has it yet. Its thread gets no other
 * after it, even if a block that was on its way between two threads appears later. */
static bool next_last(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_team *team = worker->team;

    worker->over = true;
    /* relaxed: hands out one iteration (tests/models/blocks.pml: last) */
    if (!keeps_last(team) || atomic_load_explicit(&team->ended, memory_order_relaxed) != 0 ||
        atomic_exchange_explicit(&team->ended, 1, memory_order_relaxed) != 0) {
        return false;
    }
    *last = team->loop_iterations;
    *first = *last - 1;
    return true;
}

bool keel_team_worker_next(struct keel_team_worker *worker, uint64_t *first, uint64_t *last)
{
    bool list = worker->team->list != NULL;

    if (worker->over || (!(list ? next_of_list : next_by_claim)(worker, first, last) &&
                         !next_last(worker, first, last))) {
        return false;
    }
    worker->context.chunk = *last - *first;
    worker->context.begun += worker->context.chunk;
    return true;
}
