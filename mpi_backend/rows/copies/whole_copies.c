/* Which rank holds whose copy, and which copies all ranks go back to. */
#include "mpi_backend/rows/copies/whole_copies.h"

#include <stdlib.h>

/* --- who holds whose --- */

/* Ranks machine by machine: order[0 .. ranks - 1]. place: room for ranks + 1 values. Returns how
 * many ranks the largest machine has. */
static uint32_t sort_by_machine(uint32_t ranks, const uint32_t *machine, uint32_t *place,
                                uint32_t *order)
{
    uint32_t largest = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        place[machine[i] + 1]++;
    }
    for (uint32_t i = 1; i <= ranks; i++) {
        largest = place[i] > largest ? place[i] : largest;
        place[i] += place[i - 1];
    }
    for (uint32_t i = 0; i < ranks; i++) {
        order[place[machine[i]]++] = i;
    }
    return largest;
}

/* In that order, a holder is as many places ahead as the largest machine has ranks: further than
 * the end of any machine. Ahead around the end, it comes back to the same one only if that has more
 * than half of all. */
bool keel_mpi_copies_ring(uint32_t ranks, const uint32_t *machine, uint32_t *holder)
{
    uint32_t *place = calloc(ranks + (size_t)1, sizeof *place);
    uint32_t *order = calloc(ranks, sizeof *order);
    bool room = place != NULL && order != NULL;

    if (room) {
        uint32_t largest = sort_by_machine(ranks, machine, place, order);
        uint32_t ahead = largest < ranks ? largest : 1;
        for (uint32_t i = 0; i < ranks; i++) {
            holder[order[i]] = order[(i + (uint64_t)ahead) % ranks];
        }
    }
    free(place);
    free(order);
    return room;
}

/* --- which generation --- */

/* What a survivor has of that generation; NULL: nothing. */
static const struct keel_mpi_generation *find_generation(const struct keel_mpi_survivor *survivor,
                                                         uint64_t epoch, uint64_t step)
{
    for (size_t i = 0; i < KEEL_MPI_GENERATIONS; i++) {
        const struct keel_mpi_generation *generation = &survivor->generation[i];
        if (generation->epoch == epoch && generation->step == step) {
            return generation;
        }
    }
    return NULL;
}

uint32_t keel_mpi_copies_find(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                              uint64_t id)
{
    for (uint32_t i = 0; i < survivors; i++) {
        if (survivor[i].id == id) {
            return i;
        }
    }
    return KEEL_MPI_NO_SURVIVOR;
}

uint32_t keel_mpi_copies_provider(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                  uint64_t epoch, uint64_t step, uint64_t id)
{
    uint32_t itself = keel_mpi_copies_find(survivor, survivors, id);

    if (itself != KEEL_MPI_NO_SURVIVOR) {
        bool has = find_generation(&survivor[itself], epoch, step) != NULL;
        return has ? itself : KEEL_MPI_NO_SURVIVOR;
    }
    for (uint32_t i = 0; i < survivors; i++) {
        const struct keel_mpi_generation *generation = find_generation(&survivor[i], epoch, step);
        if (generation != NULL && generation->held == id) {
            return i;
        }
    }
    return KEEL_MPI_NO_SURVIVOR;
}

/* The first rank of whose copy there is nothing left; epoch->ranks: all are there. */
static uint32_t first_gone(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           const struct keel_mpi_generation *generation,
                           const struct keel_mpi_epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->ranks; i++) {
        uint64_t id = epoch->id[i];
        bool needed = epoch->owned == NULL || epoch->owned[i] > 0 ||
                      keel_mpi_copies_find(survivor, survivors, id) != KEEL_MPI_NO_SURVIVOR;
        if (needed && keel_mpi_copies_provider(survivor, survivors, generation->epoch,
                                               generation->step, id) == KEEL_MPI_NO_SURVIVOR) {
            return i;
        }
    }
    return epoch->ranks;
}

static bool is_later(const struct keel_mpi_generation *a, const struct keel_mpi_generation *b)
{
    return a->step != b->step ? a->step > b->step : a->epoch > b->epoch;
}

int keel_mpi_copies_choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           uint32_t own, const struct keel_mpi_epoch *epoch,
                           struct keel_mpi_gone *gone)
{
    const struct keel_mpi_generation *generation = survivor[own].generation;
    int chosen = -1;

    *gone = (struct keel_mpi_gone){.generation = -1};
    for (int i = 0; i < KEEL_MPI_GENERATIONS; i++) {
        if (generation[i].epoch == 0) {
            continue;
        }
        uint32_t missing = first_gone(survivor, survivors, &generation[i], &epoch[i]);
        if (missing == epoch[i].ranks) {
            chosen = chosen < 0 || is_later(&generation[i], &generation[chosen]) ? i : chosen;
        } else if (gone->generation < 0 ||
                   is_later(&generation[gone->generation], &generation[i])) {
            *gone = (struct keel_mpi_gone){i, missing};
        }
    }
    return chosen;
}

bool keel_mpi_copies_were_whole(const struct keel_mpi_survivor *survivor, uint32_t survivors)
{
    for (uint32_t i = 0; i < survivors; i++) {
        if (survivor[i].confirmed > 0) {
            return true;
        }
    }
    return false;
}
