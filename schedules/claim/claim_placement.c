/* Where the threads of a team run. */
#include "schedules/claim/claim_placement.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

#define SIBLING_GAIN 0.15 /* throughput of each further busy hardware thread of a core, in cores */
#define SAME_CAPACITY 0.9 /* of the highest: from there on, cores are of one kind */
#define SAME_WEIGHT 1e-9  /* differences up to this are rounding */

/* Threads on the processors, and on the cores they belong to. */
struct loads {
    double highest;    /* capacity */
    double *processor; /* threads on each processor; a thread with several is spread evenly */
    double *busy;      /* of each core, by its first processor: its hardware threads in use */
    uint32_t *entry;   /* processor -> first processor of its core */
};

/* --- capacities --- */

static double highest_capacity(const struct keel_places *places)
{
    double highest = 0;

    for (uint64_t i = 0; i < places->first[places->threads]; i++) {
        double capacity = places->processor[places->number[i]].capacity;
        if (!(capacity > 0) || !isfinite(capacity)) {
            return 0;
        }
        highest = fmax(highest, capacity);
    }
    return highest;
}

/* Speed of a core relative to the fastest: 1 for those of its kind, and for all if one is not
 * known. */
static double speed_of(const struct loads *loads, const struct keel_processor *processor)
{
    double speed = loads->highest > 0 ? processor->capacity / loads->highest : 1;

    return speed >= SAME_CAPACITY ? 1 : speed;
}

/* --- loads and weights --- */

static int by_core(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Finds the first processor of each core; false if memory is short. */
static bool find_entries(const struct keel_places *places, uint32_t *entry)
{
    uint64_t *sorted = malloc(places->processors * sizeof *sorted);

    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < places->processors; i++) {
        sorted[i] = (uint64_t)places->processor[i].core << 32 | i;
    }
    qsort(sorted, places->processors, sizeof *sorted, by_core);
    for (size_t i = 0; i < places->processors; i++) {
        bool same = i > 0 && sorted[i] >> 32 == sorted[i - 1] >> 32;
        entry[(uint32_t)sorted[i]] = same ? entry[(uint32_t)sorted[i - 1]] : (uint32_t)sorted[i];
    }
    free(sorted);
    return true;
}

static double part_on_each(const struct keel_places *places, uint64_t thread)
{
    return 1 / (double)(places->first[thread + 1] - places->first[thread]);
}

static void add_loads(const struct keel_places *places, struct loads *loads)
{
    for (uint64_t t = 0; t < places->threads; t++) {
        for (uint64_t i = places->first[t]; i < places->first[t + 1]; i++) {
            loads->processor[places->number[i]] += part_on_each(places, t);
        }
    }
    for (size_t i = 0; i < places->processors; i++) {
        loads->busy[loads->entry[i]] += fmin(1, loads->processor[i]);
    }
}

/* Throughput of a core with this many busy hardware threads, in cores. */
static double throughput(double busy)
{
    return busy <= 1 ? busy : 1 + SIBLING_GAIN * (busy - 1);
}

static double weight_of(const struct keel_places *places, const struct loads *loads,
                        uint64_t thread)
{
    double part = part_on_each(places, thread), weight = 0;

    for (uint64_t i = places->first[thread]; i < places->first[thread + 1]; i++) {
        uint32_t core = loads->entry[places->number[i]];
        weight += speed_of(loads, &places->processor[places->number[i]]) * part *
                  throughput(loads->busy[core]) / loads->busy[core];
    }
    return weight;
}

/* Scales the weights so that they sum up to the threads, and writes the part of the loop before
 * each thread's part. False if all are equal. */
static bool scale(double *weight, double *position, uint64_t threads)
{
    double sum = 0, before = 0;
    bool differ = false;

    for (uint64_t t = 0; t < threads; t++) {
        sum += weight[t];
    }
    for (uint64_t t = 0; t < threads; t++) {
        position[t] = before / sum;
        before += weight[t];
        weight[t] *= (double)threads / sum;
        differ |= fabs(weight[t] - 1) > SAME_WEIGHT;
    }
    return differ;
}

static bool find_weights(const struct keel_places *places, double *weight, double *position)
{
    double *amounts = calloc(2 * places->processors, sizeof *amounts);
    uint32_t *entry = malloc(places->processors * sizeof *entry);
    bool differ = false;

    if (amounts != NULL && entry != NULL && find_entries(places, entry)) {
        struct loads loads = {
            .highest = highest_capacity(places),
            .processor = amounts,
            .busy = amounts + places->processors,
            .entry = entry,
        };
        add_loads(places, &loads);
        for (uint64_t t = 0; t < places->threads; t++) {
            weight[t] = weight_of(places, &loads, t);
        }
        differ = scale(weight, position, places->threads);
    }
    free(amounts);
    free(entry);
    return differ;
}

/* --- nearness --- */

static uint32_t common(uint32_t group, uint32_t other)
{
    return group == other ? group : KEEL_NO_GROUP;
}

static struct keel_thread_groups groups_of(const struct keel_places *places, uint64_t thread)
{
    const struct keel_processor *first = &places->processor[places->number[places->first[thread]]];
    struct keel_thread_groups groups = {first->cache, first->node};

    for (uint64_t i = places->first[thread] + 1; i < places->first[thread + 1]; i++) {
        const struct keel_processor *next = &places->processor[places->number[i]];
        groups.cache = common(groups.cache, next->cache);
        groups.node = common(groups.node, next->node);
    }
    return groups;
}

/* False: each thread is equally near to all others. */
static bool find_groups(const struct keel_places *places, struct keel_thread_groups *groups)
{
    const struct keel_placement placement = {.threads = places->threads, .groups = groups};
    bool differ = false;

    for (uint64_t t = 0; t < places->threads; t++) {
        groups[t] = groups_of(places, t);
    }
    for (uint64_t a = 0; a < places->threads && !differ; a++) {
        for (uint64_t b = a + 1; b < places->threads && !differ; b++) {
            differ = keel_placement_nearness(&placement, a, b) !=
                     keel_placement_nearness(&placement, 0, 1);
        }
        if (!differ && keel_placement_nearness(&placement, 0, 1) == KEEL_NEAR_CACHE) {
            return false; /* all share the cache of the first */
        }
    }
    return differ;
}

struct keel_placement *keel_placement_make(const struct keel_places *places)
{
    struct {
        struct keel_placement placement;
        double rest[];
    } *made = NULL;
    const size_t each = 2 * sizeof(double) + sizeof(struct keel_thread_groups);

    if (places->threads < 2 || (made = malloc(sizeof *made + places->threads * each)) == NULL) {
        return NULL;
    }
    double *weight = made->rest, *position = weight + places->threads;
    struct keel_thread_groups *groups = (struct keel_thread_groups *)(position + places->threads);
    bool weighted = find_weights(places, weight, position);
    made->placement = (struct keel_placement){
        .threads = places->threads,
        .weight = weighted ? weight : NULL,
        .position = weighted ? position : NULL,
        .groups = find_groups(places, groups) ? groups : NULL,
    };
    if (made->placement.weight == NULL && made->placement.groups == NULL) {
        free(made);
        return NULL;
    }
    return &made->placement;
}

uint64_t keel_placement_first(const struct keel_placement *placement, uint64_t thread,
                              uint64_t iterations)
{
    if (thread == placement->threads) {
        return iterations;
    }
    return min_u64(count_of(placement->position[thread] * (double)iterations), iterations);
}
