/* Copies of objects. */
#include "mpi_backend/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/objects/records.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"

/* --- all objects of a rank: packing, restoring, dropping --- */

struct making {
    struct keel_mpi_objects *objects;
    struct keel_mpi_copy_memory *snapshot;
    int code;
};

static bool grow(struct making *making, uint64_t bytes)
{
    struct keel_mpi_copy_memory *snapshot = making->snapshot;
    uint64_t needed = snapshot->bytes + bytes;

    if (needed > snapshot->room) {
        uint64_t room = needed + needed / 2;
        char *data = realloc(snapshot->data, room);
        if (data == NULL) {
            return false;
        }
        snapshot->data = data;
        snapshot->room = room;
    }
    return true;
}

static void add(void *context, struct keel_mpi_object *object)
{
    struct making *making = context;
    const struct keel_mpi_objects_functions *call = &making->objects->call;

    if (making->code != KEEL_MPI_OK) {
        return;
    }
    struct keel_mpi_packed_entry entry = {.index = object->index,
                                          .bytes = keel_mpi_object_bytes(making->objects, object),
                                          .weight = object->weight,
                                          .stated = object->stated};
    uint64_t padded = keel_mpi_packed_padded(entry.bytes);
    if (!grow(making, sizeof entry + padded)) {
        making->code = KEEL_MPI_NO_ROOM;
        return;
    }
    char *at = making->snapshot->data + making->snapshot->bytes;
    memcpy(at, &entry, sizeof entry);
    memset(at + sizeof entry, 0, padded);
    if (call->pack(call->context, object->index, object->data, at + sizeof entry) != 0) {
        keel_message("a program's function failed to pack object %llu, of which no copy is taken",
                     (unsigned long long)object->index);
        making->code = KEEL_MPI_CALLBACK;
        return;
    }
    making->snapshot->bytes += sizeof entry + padded;
}

/* Packs all objects of this rank in one piece, between two phases. Returns KEEL_MPI_OK, or
 * KEEL_MPI_NO_ROOM or KEEL_MPI_CALLBACK: then *snapshot is empty. */
static int make_snapshot(struct keel_mpi_objects *objects, struct keel_mpi_copy_memory *snapshot)
{
    struct keel_mpi_packed_set head = {objects->table.count, objects->new_indices * objects->ranks};
    struct making making = {.objects = objects, .snapshot = snapshot};

    *snapshot = (struct keel_mpi_copy_memory){0};
    if (grow(&making, sizeof head)) {
        memcpy(snapshot->data, &head, sizeof head);
        snapshot->bytes = sizeof head;
        keel_mpi_table_visit(&objects->table, add, &making);
    } else {
        making.code = KEEL_MPI_NO_ROOM;
    }
    if (making.code != KEEL_MPI_OK) {
        free(snapshot->data);
        *snapshot = (struct keel_mpi_copy_memory){0};
        return making.code;
    }
    char *data = realloc(snapshot->data, snapshot->bytes); /* kept for long */
    snapshot->data = data != NULL ? data : snapshot->data;
    snapshot->room = data != NULL ? snapshot->bytes : snapshot->room;
    return KEEL_MPI_OK;
}

static int restore(struct keel_mpi_objects *objects, const struct keel_mpi_packed_entry *entry,
                   const char *packed)
{
    const struct keel_mpi_objects_functions *call = &objects->call;
    void *data = NULL;

    if (call->unpack(call->context, entry->index, packed, entry->bytes, &data) != 0) {
        keel_message("a program's function failed to unpack object %llu, which does not come back",
                     (unsigned long long)entry->index);
        return KEEL_MPI_CALLBACK;
    }
    int code = keel_mpi_delivery_insert(objects, entry->index, data);
    if (code != KEEL_MPI_OK && call->drop != NULL) {
        call->drop(call->context, entry->index, data);
    }
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, entry->index);
    if (code == KEEL_MPI_OK && object != NULL) {
        object->weight = entry->weight;
        object->stated = entry->stated != 0;
    }
    return code;
}

int keel_mpi_objects_snapshot_restore(struct keel_mpi_objects *objects,
                                      const struct keel_mpi_copy_memory *snapshot)
{
    const char *at = snapshot->data;
    int code = KEEL_MPI_OK;
    struct keel_mpi_packed_set head;

    memcpy(&head, at, sizeof head);
    at += sizeof head;
    uint64_t given = (head.new_indices + objects->ranks - 1) / objects->ranks;
    objects->new_indices = given > objects->new_indices ? given : objects->new_indices;
    for (uint64_t i = 0; i < head.objects && code == KEEL_MPI_OK; i++) {
        struct keel_mpi_packed_entry entry;
        memcpy(&entry, at, sizeof entry);
        code = restore(objects, &entry, at + sizeof entry);
        at += sizeof entry + keel_mpi_packed_padded(entry.bytes);
    }
    return code;
}

static void drop(void *context, struct keel_mpi_object *object)
{
    struct keel_mpi_objects *objects = context;

    keel_mpi_object_messages_free(&object->messages);
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
    objects->ready = objects->ready_to_compute = objects->ready_messages = 0;
    objects->ready_weight = objects->ready_known_s = 0;
}

/* --- taking a copy --- */

#define WHERE "where copies of objects are taken"

static int pack(void *of, struct keel_mpi_copy *copy)
{
    struct keel_mpi_objects *objects = of;

    if (keel_mpi_movement_is_possible(objects)) {
        return make_snapshot(objects, &copy->own);
    }
    if (objects->rank == 0) {
        keel_mpi_misuse("copies of objects need the functions size, pack and unpack of "
                        "keel_mpi_objects_create()");
    }
    return KEEL_MPI_ARGUMENT;
}

static int await(void *of, int count, MPI_Request *request)
{
    struct keel_mpi_objects *objects = of;

    return keel_mpi_peers_await(&objects->peers, WHERE, count, request);
}

static int agree_to_take(void *of, int code)
{
    struct keel_mpi_objects *objects = of;
    uint64_t word = (uint64_t)code;
    int all = keel_mpi_peers_maxima(&objects->peers, WHERE, &word, 1);

    return all != KEEL_MPI_OK ? all : (int)word;
}

int keel_mpi_objects_copies_take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_copies *copies = objects->copies;
    double began_s = keel_mpi_clock_s();
    int code = keel_mpi_copies_take(copies, &(struct keel_mpi_copy_taking){.of = objects,
                                                                           .peers = &objects->peers,
                                                                           .step = objects->steps,
                                                                           .pack = pack,
                                                                           .await = await,
                                                                           .agree = agree_to_take});

    objects->report.copies_s += keel_mpi_clock_s() - began_s;
    if (code != KEEL_MPI_OK) {
        copies->over = true;
        if (code == KEEL_MPI_ARGUMENT) {
            return KEEL_MPI_OK; /* no functions, which was reported: the phase is still valid */
        }
        if (objects->rank == 0 && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
            keel_message("copies of objects can't be taken any more (%s): the last ones are those "
                         "of phase %llu",
                         keel_mpi_error_name(code), (unsigned long long)copies->confirmed);
        }
        return code;
    }
    const struct keel_mpi_copy *last = &copies->copy[copies->latest];
    objects->report.copies++;
    objects->report.copies_sent_bytes += last->own.bytes;
    objects->report.copies_bytes = last->own.bytes + last->held.bytes;
    return KEEL_MPI_OK;
}

int keel_mpi_objects_copies_note_phase(struct keel_mpi_objects *objects)
{
    objects->steps++;
    if (objects->copies == NULL || objects->copies->over ||
        objects->steps % keel_mpi_settings()->copies != 0) {
        return KEEL_MPI_OK;
    }
    return keel_mpi_objects_copies_take(objects);
}
