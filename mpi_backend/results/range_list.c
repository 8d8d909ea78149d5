/* Which iterations a rank has executed. */
#include "mpi_backend/results/range_list.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"

#define FIRST_ROOM 16

/* Room for `more` ranges more. */
static bool reserve(struct keel_mpi_range_list *ranges, size_t more)
{
    if (ranges->room - ranges->count >= more) {
        return true;
    }
    size_t room = ranges->room > 0 ? 2 * ranges->room : FIRST_ROOM;
    room = room - ranges->count >= more ? room : ranges->count + more;
    struct keel_mpi_range *grown =
        room > SIZE_MAX / sizeof *grown ? NULL : realloc(ranges->range, room * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    ranges->range = grown;
    ranges->room = room;
    return true;
}

bool keel_mpi_range_list_open(struct keel_mpi_range_list *ranges)
{
    return reserve(ranges, FIRST_ROOM);
}

void keel_mpi_range_list_note(struct keel_mpi_range_list *ranges, uint64_t first, uint64_t last)
{
    if (ranges->count > 0 && ranges->range[ranges->count - 1].last == first) {
        ranges->range[ranges->count - 1].last = last;
    } else if (reserve(ranges, 1)) {
        ranges->range[ranges->count++] = (struct keel_mpi_range){first, last};
    } else {
        ranges->incomplete = true;
    }
}

bool keel_mpi_range_list_append(struct keel_mpi_range_list *ranges,
                                const struct keel_mpi_range_list *other)
{
    if (!reserve(ranges, other->count)) {
        return false;
    }
    if (other->count > 0) {
        memcpy(ranges->range + ranges->count, other->range, other->count * sizeof *other->range);
    }
    ranges->count += other->count;
    ranges->incomplete = ranges->incomplete || other->incomplete;
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct keel_mpi_range *a = left, *b = right;

    return (a->first > b->first) - (a->first < b->first);
}

/* glibc's qsort may ask for memory, and sorts in place where there is none. */
void keel_mpi_range_list_merge(struct keel_mpi_range_list *ranges)
{
    struct keel_mpi_range *range = ranges->range;
    size_t merged = 0;

    if (ranges->count == 0) {
        return;
    }
    qsort(range, ranges->count, sizeof *range, by_place);
    for (size_t i = 1; i < ranges->count; i++) {
        if (range[i].first > range[merged].last) {
            range[++merged] = range[i];
        } else if (range[i].last > range[merged].last) {
            range[merged].last = range[i].last;
        }
    }
    ranges->count = merged + 1;
}

uint64_t keel_mpi_range_list_iterations(const struct keel_mpi_range_list *ranges)
{
    uint64_t iterations = 0;

    for (size_t i = 0; i < ranges->count; i++) {
        iterations += ranges->range[i].last - ranges->range[i].first;
    }
    return iterations;
}

size_t keel_mpi_range_list_before(const struct keel_mpi_range_list *ranges, uint64_t from)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->range[middle].last <= from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool keel_mpi_range_list_gap(const struct keel_mpi_range_list *ranges, uint64_t from, uint64_t end,
                             uint64_t *first, uint64_t *last)
{
    size_t next = keel_mpi_range_list_before(ranges, from);

    if (next < ranges->count && ranges->range[next].first <= from) {
        from = ranges->range[next++].last;
    }
    *first = from;
    *last =
        next < ranges->count && ranges->range[next].first < end ? ranges->range[next].first : end;
    return from < end;
}

void keel_mpi_range_list_clear(struct keel_mpi_range_list *ranges)
{
    ranges->count = 0;
    ranges->incomplete = false;
}

void keel_mpi_range_list_free(struct keel_mpi_range_list *ranges)
{
    free(ranges->range);
    *ranges = (struct keel_mpi_range_list){0};
}

/* --- what ranks that were lost have left of a loop --- */

/* Iterations of whole units. */
static void put_in_units(struct keel_mpi_range_list *ranges, uint64_t grain)
{
    for (size_t i = 0; i < ranges->count; i++) {
        ranges->range[i].first /= grain;
        ranges->range[i].last = keel_grain_units(ranges->range[i].last, grain);
    }
    keel_mpi_range_list_merge(ranges);
}

static bool number_missing(struct keel_mpi_rest *rest, const struct keel_mpi_range_list *all)
{
    uint64_t first, last = 0;

    while (keel_mpi_range_list_gap(all, last, rest->units, &first, &last)) {
        keel_mpi_range_list_note(&rest->missing, first, last);
    }
    rest->before = malloc((rest->missing.count + 1) * sizeof *rest->before);
    for (size_t i = 0; rest->before != NULL && i < rest->missing.count; i++) {
        rest->before[i] = rest->count;
        rest->count += rest->missing.range[i].last - rest->missing.range[i].first;
    }
    return rest->before != NULL && !rest->missing.incomplete;
}

bool keel_mpi_rest_open(struct keel_mpi_rest *rest, uint64_t iterations, uint64_t grain,
                        struct keel_mpi_range_list *own, struct keel_mpi_range_list *all)
{
    *rest = (struct keel_mpi_rest){
        .iterations = iterations, .grain = grain, .units = keel_grain_units(iterations, grain)};
    put_in_units(own, grain);
    put_in_units(all, grain);
    if (!keel_mpi_range_list_append(&rest->own, own) || !number_missing(rest, all)) {
        keel_mpi_rest_free(rest);
        return false;
    }
    return true;
}

void keel_mpi_rest_free(struct keel_mpi_rest *rest)
{
    keel_mpi_range_list_free(&rest->own);
    keel_mpi_range_list_free(&rest->missing);
    free(rest->before);
    rest->before = NULL;
}

/* The range of `missing` that the unit of that number lies in. */
static size_t range_of(const struct keel_mpi_rest *rest, uint64_t number)
{
    size_t low = 0, high = rest->missing.count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (rest->before[middle] <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void keel_mpi_rest_piece(const struct keel_mpi_rest *rest, uint64_t first, uint64_t last,
                         uint64_t *from, uint64_t *to)
{
    size_t i = range_of(rest, first);

    *from = rest->missing.range[i].first + (first - rest->before[i]);
    *to = min_u64(rest->missing.range[i].last, *from + (last - first));
}

void keel_mpi_rest_complete(const struct keel_mpi_rest *rest, struct keel_mpi_range_list *executed)
{
    struct keel_mpi_range_list units = {.incomplete = executed->incomplete};

    for (size_t i = 0; i < executed->count; i++) {
        uint64_t first = executed->range[i].first, last = executed->range[i].last, from, to;
        for (; first < last; first += to - from) {
            keel_mpi_rest_piece(rest, first, last, &from, &to);
            keel_mpi_range_list_note(&units, from, to);
        }
    }
    if (!keel_mpi_range_list_append(&units, &rest->own)) {
        units.incomplete = true;
    }
    keel_mpi_range_list_merge(&units);
    keel_mpi_range_list_free(executed);
    *executed = units;
}
