/* Objects that move by chance. */
#include "mpi_backend/objects/shake.h"

#include "mpi_backend/objects/movement.h"
#include "schedules/arithmetic/chance.h"

#define SHAKE_PART 4 /* one object moves for so many that were worked on */

void keel_mpi_shake(struct keel_mpi_objects *objects)
{
    if (objects->policy.kind != KEEL_OBJECTS_SHAKE || !keel_mpi_movement_is_possible(objects)) {
        return;
    }
    uint64_t draw = keel_chance_mix(++objects->draws * objects->ranks + objects->rank);
    struct keel_mpi_object *object = keel_mpi_table_draw(&objects->table, draw);
    uint32_t rank = (uint32_t)((draw >> 40) % (objects->ranks - 1));
    if (draw % SHAKE_PART == 0 && object != NULL && !object->stays &&
        (object->state == KEEL_MPI_OBJECT_RESTS || object->state == KEEL_MPI_OBJECT_READY)) {
        keel_mpi_movement_give(objects, object, rank + (rank >= objects->rank));
    }
}
