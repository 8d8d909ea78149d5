/* What a rank knows of objects that it has not. */
#include "mpi_backend/objects/tables/tables.h"

#include <stdlib.h>

/* Where the entry is, or would be. */
static size_t find_slot(const struct keel_mpi_location_entry *slot, size_t slots, uint64_t index)
{
    size_t at = keel_mpi_slot_of(index, slots);

    while (slot[at].location.epoch != 0 && slot[at].index != index) {
        at = keel_mpi_slot_after(at, slots);
    }
    return at;
}

struct keel_location *keel_mpi_locations_find(const struct keel_mpi_locations *locations,
                                              uint64_t index)
{
    if (locations->count == 0) {
        return NULL;
    }
    struct keel_location *found =
        &locations->slot[find_slot(locations->slot, locations->slots, index)].location;
    return found->epoch != 0 ? found : NULL;
}

static bool make_slots(struct keel_mpi_locations *locations)
{
    size_t slots = keel_mpi_slots_for(locations->count + 1, locations->slots);
    struct keel_mpi_location_entry *slot;

    if (slots == locations->slots) {
        return true;
    }
    slot = calloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    for (size_t i = 0; i < locations->slots; i++) {
        if (locations->slot[i].location.epoch != 0) {
            slot[find_slot(slot, slots, locations->slot[i].index)] = locations->slot[i];
        }
    }
    free(locations->slot);
    locations->slot = slot;
    locations->slots = slots;
    return true;
}

bool keel_mpi_locations_set(struct keel_mpi_locations *locations, uint64_t index,
                            struct keel_location location)
{
    struct keel_location *known = keel_mpi_locations_find(locations, index);

    if (known != NULL) {
        *known = location;
        return true;
    }
    if (!make_slots(locations)) {
        return false;
    }
    locations->slot[find_slot(locations->slot, locations->slots, index)] =
        (struct keel_mpi_location_entry){index, location};
    locations->count++;
    return true;
}

void keel_mpi_locations_remove(struct keel_mpi_locations *locations, uint64_t index)
{
    struct keel_mpi_location_entry *slot = locations->slot;

    if (keel_mpi_locations_find(locations, index) == NULL) {
        return;
    }
    size_t hole = find_slot(slot, locations->slots, index), at = hole;
    while (slot[at = keel_mpi_slot_after(at, locations->slots)].location.epoch != 0) {
        size_t wanted = keel_mpi_slot_of(slot[at].index, locations->slots);
        if (keel_mpi_slot_is_between(hole, wanted, at)) {
            slot[hole] = slot[at];
            hole = at;
        }
    }
    slot[hole] = (struct keel_mpi_location_entry){0};
    locations->count--;
}

void keel_mpi_locations_visit(const struct keel_mpi_locations *locations,
                              void (*visit)(void *context, uint64_t index,
                                            struct keel_location *location),
                              void *context)
{
    for (size_t i = 0; i < locations->slots; i++) {
        if (locations->slot[i].location.epoch != 0) {
            visit(context, locations->slot[i].index, &locations->slot[i].location);
        }
    }
}

void keel_mpi_locations_clear(struct keel_mpi_locations *locations)
{
    free(locations->slot);
    *locations = (struct keel_mpi_locations){0};
}
