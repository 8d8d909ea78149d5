/* What programs ask between phases: where objects are, what is here, how it has gone. */
#include <stdlib.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/objects/objects.h"
#include "omp_ext/support/message.h"

/* --- owners --- */

static void ask_owner(struct keel_mpi_objects *objects, uint64_t index, uint32_t number)
{
    uint32_t home = keel_mpi_delivery_home(objects, index);
    const struct keel_location *known = keel_mpi_locations_find(&objects->homes, index);

    objects->owner[number] = -1;
    if (keel_mpi_table_find(&objects->table, index) != NULL) {
        objects->owner[number] = (int)objects->rank;
    } else if (home != objects->rank) {
        keel_mpi_delivery_tell(objects, home,
                               &(struct keel_mpi_object_record){.index = index,
                                                                .kind = KEEL_MPI_RECORD_WHERE,
                                                                .sender = objects->rank,
                                                                .number = number});
    } else if (known != NULL && known->rank != KEEL_LOCATION_DELETED) {
        objects->owner[number] = (int)known->rank;
    }
}

/* What was inserted since the last phase is known to home ranks when this has ended, so that two
 * phases are needed: they come to hear of it, then they are asked. */
KEEL_MPI_PUBLIC int keel_mpi_objects_owner(struct keel_mpi_objects *objects, const uint64_t *index,
                                           size_t count, int *rank)
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_owner");

    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    if (count > UINT32_MAX) {
        objects->code = KEEL_MPI_ARGUMENT;
        count = 0;
    }
    objects->owners = 0;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_OWNER);
    code = keel_mpi_phase_run(objects, "in keel_mpi_objects_owner()");
    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    objects->owner = rank;
    objects->owners = count;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_OWNER);
    for (size_t i = 0; i < count; i++) {
        ask_owner(objects, index[i], (uint32_t)i);
    }
    return keel_mpi_error_return(keel_mpi_phase_run(objects, "in keel_mpi_objects_owner()"));
}

/* --- gathering --- */

struct gathering {
    struct keel_mpi_objects *objects;
    uint32_t root;
};

static int pack_object(struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                       uint32_t root)
{
    uint64_t size = objects->call.size(objects->call.context, object->index, object->data);
    struct keel_mpi_object_record record = {.index = object->index,
                                            .bytes = size,
                                            .kind = KEEL_MPI_RECORD_GATHERED,
                                            .sender = objects->rank};
    void *packed = malloc(size > 0 ? size : 1);
    int code = packed == NULL ? KEEL_MPI_NO_ROOM : KEEL_MPI_OK;

    if (code == KEEL_MPI_OK &&
        objects->call.pack(objects->call.context, object->index, object->data, packed) != 0) {
        keel_message("a program's function failed to pack object %llu, which is not gathered",
                     (unsigned long long)object->index);
        code = KEEL_MPI_CALLBACK;
    }
    if (code == KEEL_MPI_OK && root == objects->rank) {
        objects->gather(objects->call.context, object->index, packed, size);
    } else if (code == KEEL_MPI_OK) {
        return keel_mpi_delivery_put_own(objects, root, &record, packed) ? KEEL_MPI_OK
                                                                         : KEEL_MPI_NO_ROOM;
    }
    free(packed);
    return code;
}

static void gather_object(void *context, struct keel_mpi_object *object)
{
    struct gathering *gathering = context;
    int code = pack_object(gathering->objects, object, gathering->root);

    if (code != KEEL_MPI_OK) {
        gathering->objects->code = code;
    }
}

KEEL_MPI_PUBLIC int keel_mpi_objects_gather(struct keel_mpi_objects *objects, int root,
                                            void (*take)(void *context, uint64_t index,
                                                         const void *packed, size_t size))
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_gather");

    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    bool right = root >= 0 && (uint32_t)root < objects->ranks && objects->call.size != NULL &&
                 objects->call.pack != NULL && ((uint32_t)root != objects->rank || take != NULL);
    uint64_t wrong = !right;
    code = keel_mpi_peers_maxima(&objects->peers, "in keel_mpi_objects_gather()", &wrong, 1);
    if (code != KEEL_MPI_OK || wrong != 0) {
        if (!right) {
            keel_mpi_misuse(
                "keel_mpi_objects_gather(): root %d of %u ranks, or one of the functions "
                "size, pack and take is missing; nothing is gathered",
                root, objects->ranks);
        }
        return keel_mpi_error_return(code != KEEL_MPI_OK ? code : KEEL_MPI_ARGUMENT);
    }
    struct gathering gathering = {objects, (uint32_t)root};
    objects->gather = take;
    keel_mpi_phase_begin(objects, KEEL_MPI_PHASE_GATHER);
    keel_mpi_table_visit(&objects->table, gather_object, &gathering);
    return keel_mpi_error_return(keel_mpi_phase_run(objects, "in keel_mpi_objects_gather()"));
}

/* --- what is here --- */

struct listing {
    uint64_t *list;
    uint64_t count;
};

static void list_object(void *context, struct keel_mpi_object *object)
{
    struct listing *listing = context;

    listing->list[listing->count++] = object->index;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

KEEL_MPI_PUBLIC int keel_mpi_objects_list(struct keel_mpi_objects *objects, const uint64_t **index,
                                          uint64_t *count)
{
    int code = keel_mpi_phase_check(objects, "keel_mpi_objects_list");

    *count = 0;
    if (code != KEEL_MPI_OK) {
        return code;
    }
    uint64_t *list = realloc(objects->list, (objects->table.count + 1) * sizeof *list);
    if (list == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    struct listing listing = {list, 0};
    keel_mpi_table_visit(&objects->table, list_object, &listing);
    qsort(list, listing.count, sizeof *list, compare);
    *index = objects->list = list;
    *count = listing.count;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC void *keel_mpi_objects_data(struct keel_mpi_objects *objects, uint64_t index)
{
    void *data = NULL;

    if (objects != NULL) {
        keel_mpi_objects_lock(objects);
        struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, index);
        data = object != NULL && object->state != KEEL_MPI_OBJECT_LEAVES ? object->data : NULL;
        keel_mpi_objects_unlock(objects);
    }
    return data;
}

/* --- reports --- */

KEEL_MPI_PUBLIC int keel_mpi_objects_report(const struct keel_mpi_objects *objects,
                                            struct keel_mpi_objects_report *report)
{
    if (objects == NULL || report == NULL ||
        !keel_mpi_sized_check(report, sizeof(size_t), "keel_mpi_objects_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_objects_report own = objects->report;
    own.objects = objects->table.count;
    own.messages = objects->transport.messages;
    own.bytes_kept = keel_mpi_table_bytes(&objects->table) + keel_mpi_table_bytes(&objects->held) +
                     (objects->homes.slots + objects->hints.slots + objects->numbers.slots) *
                         sizeof(struct keel_mpi_location_entry);
    keel_mpi_sized_give(report, &own, sizeof own);
    return KEEL_MPI_OK;
}
