/* Which rank holds the copy of whose rows. */
#include "mpi_backend/rows/copies/ring.h"

#include <stdlib.h>

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
bool keel_mpi_ring_make(uint32_t ranks, const uint32_t *machine, uint32_t *holder)
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
