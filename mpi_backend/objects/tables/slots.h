/* Places in tables that are searched by linear probing. They grow by half and are filled to 4/5 at
 * most, so that they take little more memory than what is in them. */
#ifndef MPI_BACKEND_OBJECTS_TABLES_SLOTS_H
#define MPI_BACKEND_OBJECTS_TABLES_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/arithmetic/chance.h"

/* Where the search for an index begins. */
static inline size_t keel_mpi_slot_of(uint64_t index, size_t slots)
{
    /* not the hash that home ranks follow from: those here would all lie together */
    return (size_t)((unsigned __int128)keel_chance_mix(index ^ 0x5851f42d4c957f2du) * slots >> 64);
}

static inline size_t keel_mpi_slot_after(size_t at, size_t slots)
{
    return at + 1 < slots ? at + 1 : 0;
}

/* Whether what is at `at` and belongs to `wanted` may go back to `hole`, which a search for it
 * comes by: going up from `wanted`, with the end joined to the beginning, `hole` comes before
 * `at`. */
static inline bool keel_mpi_slot_is_between(size_t hole, size_t wanted, size_t at)
{
    return at >= wanted ? wanted <= hole && hole < at : wanted <= hole || hole < at;
}

/* How many slots there are to be for `count` entries, where there are `slots` now. */
static inline size_t keel_mpi_slots_for(size_t count, size_t slots)
{
    while (count > slots / 5 * 4) {
        slots = slots < 10 ? 10 : slots + slots / 2;
    }
    return slots;
}

#endif
