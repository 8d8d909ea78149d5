/* The rest of a loop in the course of which ranks were lost. */
#include "mpi_backend/results/range_list.h"

#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/grain.h"

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
