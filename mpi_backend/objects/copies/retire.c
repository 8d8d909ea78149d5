/* What becomes of a bag that another one takes the place of. */
#include "mpi_backend/objects/copies/retire.h"

#include <stdlib.h>

#include "mpi_backend/objects/lists.h"
#include "mpi_backend/objects/model.h"
#include "mpi_backend/objects/progress.h"

static void drop(void *context, struct keel_mpi_object *object)
{
    struct keel_mpi_objects *objects = context;
    struct keel_mpi_parcel *parcel = object->first;

    for (uint32_t i = 0; i < object->parcels; i++) {
        struct keel_mpi_parcel *next = parcel->next;
        free(parcel);
        parcel = next;
    }
    keel_mpi_object_network_free(object);
    if (objects->call.drop != NULL) {
        objects->call.drop(objects->call.context, object->index, object->data);
    }
}

void keel_mpi_objects_drop_all(struct keel_mpi_objects *objects)
{
    keel_mpi_table_visit(&objects->table, drop, objects);
    keel_mpi_table_free(&objects->table);
    objects->first_ready = objects->last_ready = NULL;
    objects->ready = objects->ready_to_compute = objects->ready_parcels = 0;
    objects->ready_weight = objects->ready_told_s = 0;
}

void keel_mpi_objects_retire(struct keel_mpi_objects *objects)
{
    int none = KEEL_MPI_OK;

    keel_mpi_objects_unlist(objects);
    keel_mpi_model_forget(objects);
    atomic_compare_exchange_strong(&objects->peers.code, &none, KEEL_MPI_RANKS_LOST);
}
