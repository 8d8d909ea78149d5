/* Packs the iterations of a loop with known costs. */
#include "schedules/claim/team.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"

/* A chunk that is stolen, or the last one of all, is then a sixteenth of a thread's share. Penna et
 * al. make one chunk per thread if no number is given, which leaves nothing to steal. */
#define CHUNKS_PER_THREAD 16

/* --- costs --- */

/* Iteration i weighs scale * costs[i] + constant: finite, also summed up, and not all 0. */
struct weights {
    const double *costs;
    uint64_t count;
    double scale, constant;
    double total;
};

static double weight(const struct weights *weights, uint64_t iteration)
{
    double cost = weights->costs[iteration];
    double good = cost >= 0 && cost <= DBL_MAX ? cost : 0;

    return weights->scale * good + weights->constant;
}

static double sum(const struct weights *weights)
{
    double total = 0;

    for (uint64_t i = 0; i < weights->count; i++) {
        total += weight(weights, i);
    }
    return total;
}

static struct weights weigh(const double *costs, uint64_t count)
{
    struct weights weights = {.costs = costs, .count = count, .scale = 1};

    weights.total = sum(&weights);
    if (isinf(weights.total)) {
        weights.scale = 0x1p-64; /* 1 / 2^64 <= 1 / count */
        weights.total = sum(&weights);
    } else if (weights.total == 0) {
        weights.constant = 1;
        weights.total = (double)count;
    }
    return weights;
}

/* --- chunks --- */

struct chunk {
    struct keel_listed_chunk range;
    double load;
    uint64_t thread; /* blocks: the owner */
};

static bool has_blocks(const struct keel_spec *spec)
{
    return spec->schedule->claim == KEEL_CLAIM_BLOCKS;
}

/* Whether each chunk is as short as the minimum allows. */
static bool is_finest(const struct keel_spec *spec, uint64_t count)
{
    return !has_blocks(spec) && div_ceil(count, spec->value[KEEL_MIN].count) <= KEEL_PLAN_HEAD_MAX;
}

/* How many chunks to make, at most; short loops have fewer. */
static uint64_t wanted_of(const struct keel_spec *spec, uint64_t threads)
{
    uint64_t given = spec->value[KEEL_CHUNKS].count;

    if (!has_blocks(spec)) {
        return KEEL_PLAN_HEAD_MAX;
    }
    return given > 0 ? given
                     : max_u64(threads, min_u64(CHUNKS_PER_THREAD * threads, KEEL_PLAN_HEAD_MAX));
}

/* The chunk from `first` on with the load nearest to `target`, and at least `minimum` iterations if
 * as many are left. */
static struct chunk chunk_near(const struct weights *weights, uint64_t first, uint64_t minimum,
                               double target)
{
    uint64_t last = first;
    double load = 0;

    do {
        load += weight(weights, last++);
    } while (last < weights->count &&
             (last - first < minimum || load + weight(weights, last) / 2 <= target));
    return (struct chunk){.range = {first, last}, .load = load};
}

/* Divides the loop into at most `wanted` chunks. Each aims at an equal share of the load that is
 * left, so that the iterations before and behind a heavy one are still divided. */
static uint64_t divide(const struct keel_spec *spec, const struct weights *weights, uint64_t wanted,
                       struct chunk *chunk)
{
    bool finest = is_finest(spec, weights->count);
    double remaining = weights->total;
    uint64_t chunks = 0;

    for (uint64_t first = 0; first < weights->count; first = chunk[chunks++].range.last) {
        uint64_t left = wanted - chunks;
        double share = left > 1 ? remaining / (double)left : INFINITY;
        double target = finest ? -1 : share;
        chunk[chunks] = chunk_near(weights, first, spec->value[KEEL_MIN].count, target);
        remaining -= chunk[chunks].load;
    }
    return chunks;
}

static int largest_first(const void *left, const void *right)
{
    const struct chunk *a = left, *b = right;

    if (a->load != b->load) {
        return a->load > b->load ? -1 : 1;
    }
    return a->range.first < b->range.first ? -1 : 1;
}

/* --- the chunk that ends the loop --- */

/* It has to be the last one of its thread (team.h). With blocks, a team keeps the loop's last
 * iteration back until no other is left, which lengthens the loop by up to (P - 1)/P of the
 * iteration's time. Where that is more than this part of W/P, it is packed with the others instead;
 * then the thread that runs it no longer helps slower threads. */
#define WAIT_MAX 0.25

static bool is_heavy(const struct weights *weights, uint64_t threads)
{
    return weight(weights, weights->count - 1) * (double)(threads - 1) > WAIT_MAX * weights->total;
}

/* Divides all but the last iteration, and appends the last one if it is not to be kept back. */
static uint64_t divide_for_blocks(const struct keel_spec *spec, const struct weights *weights,
                                  uint64_t wanted, uint64_t threads, struct chunk *chunk)
{
    struct weights others = *weights;

    others.count--;
    others.total = sum(&others);
    uint64_t chunks = divide(spec, &others, wanted, chunk);
    if (is_heavy(weights, threads)) {
        chunk[chunks++] = (struct chunk){.range = {others.count, weights->count},
                                         .load = weight(weights, others.count)};
    }
    return chunks;
}

/* Moves that chunk, if there is one, back until at most `parts` times its load lies behind it: with
 * P - 1, the others are busy for as long as it takes; with 0 it is the last of all. */
static void put_back(struct chunk *chunk, uint64_t chunks, uint64_t iterations, double parts)
{
    uint64_t at = 0;
    double behind = 0;

    while (at < chunks && chunk[at].range.last != iterations) {
        at++;
    }
    for (uint64_t i = at + 1; i < chunks; i++) {
        behind += chunk[i].load;
    }
    for (; at + 1 < chunks && (parts == 0 || behind > parts * chunk[at].load); at++) {
        struct chunk moved = chunk[at + 1];
        chunk[at + 1] = chunk[at];
        chunk[at] = moved;
        behind -= moved.load;
    }
}

/* --- blocks --- */

/* Loads of the threads: a heap, the least loaded on top, of equals the lowest number. */
struct loaded {
    double load;
    uint64_t thread;
};

static bool is_less(const struct loaded *a, const struct loaded *b)
{
    return a->load < b->load || (a->load == b->load && a->thread < b->thread);
}

/* Restores the order below the top. */
static void sift(struct loaded *heap, uint64_t threads)
{
    uint64_t at = 0;

    for (uint64_t child; (child = 2 * at + 1) < threads;) {
        if (child + 1 < threads && is_less(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!is_less(&heap[child], &heap[at])) {
            return;
        }
        struct loaded moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

/* Gives each chunk, largest first, to the thread with the least load (Graham 1969). */
static void assign(struct chunk *chunk, uint64_t chunks, struct loaded *heap, uint64_t threads)
{
    for (uint64_t i = 0; i < threads; i++) {
        heap[i] = (struct loaded){.thread = i};
    }
    for (uint64_t i = 0; i < chunks; i++) {
        chunk[i].thread = heap->thread;
        heap->load += chunk[i].load;
        sift(heap, threads);
    }
}

static void list_blocks(const struct chunk *chunk, struct keel_chunk_list *list, uint64_t *first,
                        uint64_t threads)
{
    memset(first, 0, (threads + 1) * sizeof *first);
    for (uint64_t i = 0; i < list->count; i++) {
        first[chunk[i].thread + 1]++;
    }
    for (uint64_t i = 0; i < threads; i++) {
        first[i + 1] += first[i];
    }
    /* each first[i] moves on to where block i ends, which is where the next one begins */
    for (uint64_t i = 0; i < list->count; i++) {
        list->chunk[first[chunk[i].thread]++] = chunk[i].range;
    }
    memmove(first + 1, first, threads * sizeof *first);
    first[0] = 0;
}

static void list_all(const struct chunk *chunk, struct keel_chunk_list *list)
{
    for (uint64_t i = 0; i < list->count; i++) {
        list->chunk[i] = chunk[i].range;
    }
}

/* --- memory --- */

/* The packing, the bounds of its blocks, and its list; while it is built, chunks and heap
 * follow. */
struct layout {
    uint64_t bounds;                /* in `first`; 0: no blocks */
    size_t list, chunks, heap, end; /* offsets, bytes */
};

static size_t list_size(uint64_t chunks)
{
    return sizeof(struct keel_chunk_list) + chunks * sizeof(struct keel_listed_chunk);
}

static struct layout lay_out(const struct keel_spec *spec, uint64_t room, uint64_t threads)
{
    struct layout layout = {.bounds = has_blocks(spec) ? threads + 1 : 0};

    layout.list = sizeof(struct keel_packing) + layout.bounds * sizeof(uint64_t);
    layout.chunks = layout.list + list_size(room);
    layout.heap = layout.chunks + room * sizeof(struct chunk);
    layout.end = layout.heap + (layout.bounds > 0 ? threads : 0) * sizeof(struct loaded);
    return layout;
}

/* Gives back the memory that only building has needed. */
static struct keel_packing *trim(char *memory, const struct layout *layout, uint64_t chunks,
                                 void *(*reallocate)(void *, size_t))
{
    char *trimmed = reallocate(memory, layout->list + list_size(chunks));
    char *kept = trimmed != NULL ? trimmed : memory;
    struct keel_packing *packing = (struct keel_packing *)kept;

    packing->list = (struct keel_chunk_list *)(kept + layout->list);
    packing->first = layout->bounds > 0 ? (uint64_t *)(packing + 1) : NULL;
    return packing;
}

struct keel_packing *keel_packing_build(const struct keel_spec *spec, const double *costs,
                                        uint64_t count, uint64_t threads,
                                        void *(*reallocate)(void *, size_t))
{
    uint64_t wanted = wanted_of(spec, threads);
    uint64_t room = min_u64(wanted, div_ceil(count, spec->value[KEEL_MIN].count)) + 1;
    struct layout layout = lay_out(spec, room, threads);
    char *memory = reallocate(NULL, layout.end);

    if (memory == NULL) {
        return NULL;
    }
    struct keel_packing *packing = (struct keel_packing *)memory;
    struct keel_chunk_list *list = (struct keel_chunk_list *)(memory + layout.list);
    struct chunk *chunk = (struct chunk *)(memory + layout.chunks);
    struct weights weights = weigh(costs, count);

    if (layout.bounds > 0) {
        list->count = divide_for_blocks(spec, &weights, wanted, threads, chunk);
        list->iterations = count - (is_heavy(&weights, threads) ? 0 : 1);
        qsort(chunk, list->count, sizeof *chunk, largest_first);
        assign(chunk, list->count, (struct loaded *)(memory + layout.heap), threads);
        put_back(chunk, list->count, count, 0);
        list_blocks(chunk, list, (uint64_t *)(packing + 1), threads);
    } else {
        list->count = divide(spec, &weights, wanted, chunk);
        list->iterations = count;
        qsort(chunk, list->count, sizeof *chunk, largest_first);
        put_back(chunk, list->count, count, (double)(threads - 1));
        list_all(chunk, list);
    }
    return trim(memory, &layout, list->count, reallocate);
}
