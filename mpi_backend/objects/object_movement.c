/* Moving an object to another rank. */
#include "mpi_backend/objects/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/objects/records.h"
#include "omp_ext/support/message.h"

bool keel_mpi_movement_is_possible(const struct keel_mpi_objects *objects)
{
    return objects->ranks > 1 && objects->call.size != NULL && objects->call.pack != NULL &&
           objects->call.unpack != NULL;
}

/* --- giving --- */

static uint64_t messages_bytes(const struct keel_mpi_object_message_list *list)
{
    const struct keel_mpi_object_message *message = list->first;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < list->count; i++, message = message->next) {
        bytes += sizeof(struct keel_mpi_packed_message) + keel_mpi_packed_padded(message->bytes);
    }
    return bytes;
}

static char *write_messages(char *at, const struct keel_mpi_object_message_list *list)
{
    const struct keel_mpi_object_message *message = list->first;

    for (uint32_t i = 0; i < list->count; i++, message = message->next) {
        struct keel_mpi_packed_message head = {message->bytes, message->handler, message->sender,
                                               message->number, 0};
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, message->payload, message->bytes);
        at += sizeof head + keel_mpi_packed_padded(message->bytes);
    }
    return at;
}

double keel_mpi_movement_bytes(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_object *object)
{
    return (double)keel_mpi_object_bytes(objects, object) +
           (double)messages_bytes(&object->messages);
}

static const struct keel_mpi_object_network no_network;

struct keel_work keel_mpi_movement_computing(const struct keel_mpi_objects *objects)
{
    double running_s = keel_mpi_clock_s() - objects->running_since_s;

    if (objects->running_since_s <= 0 || objects->running_known_s > 0 || !(running_s > 0)) {
        return objects->computing;
    }
    return keel_work_with(&objects->computing, objects->running_weight, running_s,
                          objects->threads);
}

/* Returns its expected time, known from another rank, or by own objects; if there are none yet, by
 * the running one: then *measured is false. */
static float common_s_of(const struct keel_mpi_objects *objects,
                         const struct keel_mpi_object *object, bool *measured)
{
    const struct keel_work computing = keel_mpi_movement_computing(objects);
    double common_s =
        object->known_s > 0
            ? object->known_s
            : keel_common_s(&computing, keel_speed_of(&objects->speed), object->weight);

    *measured = common_s > 0;
    if (!*measured && objects->running_since_s > 0 && objects->running_weight > 0) {
        common_s = keel_work_expected_s(object->weight, objects->running_weight,
                                        keel_mpi_clock_s() - objects->running_since_s);
    }
    return isfinite((float)common_s) ? (float)common_s : 0;
}

static struct keel_mpi_packed_object head_of(const struct keel_mpi_objects *objects,
                                             const struct keel_mpi_object *object, uint64_t bytes)
{
    bool measured;
    float common_s = common_s_of(objects, object, &measured);
    const struct keel_mpi_object_network *network =
        object->network != NULL ? object->network : &no_network;

    return (struct keel_mpi_packed_object){.bytes = bytes,
                                           .orders = network->order.count,
                                           .messages = object->messages.count,
                                           .early = network->early.count,
                                           .weight = object->weight,
                                           .common_s = common_s,
                                           .to_compute = object->to_compute,
                                           .stated = object->stated,
                                           .measured = measured};
}

/* Returns the packed object, *size bytes; NULL: no memory, or pack() has failed. */
static char *pack(struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                  uint64_t *size)
{
    const struct keel_mpi_object_network *network =
        object->network != NULL ? object->network : &no_network;
    uint64_t bytes = keel_mpi_object_bytes(objects, object);
    struct keel_mpi_packed_object head = head_of(objects, object, bytes);
    size_t orders = head.orders * sizeof *network->order.entry;

    *size = sizeof head + orders + messages_bytes(&object->messages) +
            messages_bytes(&network->early) + bytes;
    char *payload = malloc(*size), *at = payload;
    if (payload == NULL) {
        keel_message("no memory to pack object %llu of %llu bytes; it stays where it is",
                     (unsigned long long)object->index, (unsigned long long)bytes);
        return NULL;
    }
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    if (orders > 0) {
        memcpy(at, network->order.entry, orders);
    }
    at = write_messages(at + orders, &object->messages);
    at = write_messages(at, &network->early);
    int failed = objects->call.pack(objects->call.context, object->index, object->data, at);
    if (failed != 0) {
        keel_message("a program's function failed with %d to pack object %llu; it stays where it "
                     "is",
                     failed, (unsigned long long)object->index);
        free(payload);
        return NULL;
    }
    return payload;
}

/* Updates the average time of packing a byte. */
static void note_packing(struct keel_mpi_objects *objects, double took_s, uint64_t bytes)
{
    double byte_s = took_s / (double)(bytes + 64);

    objects->report.packing_s += took_s;
    objects->packing_s =
        objects->packing_s > 0 ? objects->packing_s + (byte_s - objects->packing_s) / 8 : byte_s;
}

bool keel_mpi_movement_give(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            uint32_t rank)
{
    uint64_t size;
    double began_s = keel_mpi_clock_s();
    char *payload = pack(objects, object, &size);
    struct keel_mpi_object_record record = {.index = object->index,
                                            .bytes = size,
                                            .kind = KEEL_MPI_RECORD_OBJECT,
                                            .sender = objects->rank,
                                            .epoch = object->epoch + 1};

    if (payload == NULL || !keel_mpi_delivery_put_own(objects, rank, &record, payload)) {
        object->stays = true;
        objects->report.refused++;
        return false;
    }
    note_packing(objects, keel_mpi_clock_s() - began_s, size);
    if (object->state == KEEL_MPI_OBJECT_READY) {
        keel_mpi_ready_remove(objects, object);
    }
    if (object->network != NULL) {
        objects->waiting -= object->network->early.count;
    }
    object->state = KEEL_MPI_OBJECT_LEAVES;
    objects->report.given++;
    objects->report.bytes_given += size;
    return true;
}

/* --- taking --- */

static const char *read_messages(const char *at, uint64_t index, uint32_t count,
                                 struct keel_mpi_object_message_list *list)
{
    struct keel_mpi_packed_message head;

    for (uint32_t i = 0; i < count; i++) {
        memcpy(&head, at, sizeof head);
        struct keel_mpi_object_message *message =
            keel_mpi_object_message_make(index, head.handler, at + sizeof head, head.bytes);
        if (message == NULL) {
            return NULL;
        }
        message->sender = head.sender;
        message->number = head.number;
        keel_mpi_object_messages_append(list, message);
        at += sizeof head + keel_mpi_packed_padded(head.bytes);
    }
    return at;
}

/* Reads all but the program's data, and returns where these begin; NULL: no memory. */
static const char *read_object(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                               const char *payload, struct keel_mpi_object_message_list *messages)
{
    struct keel_mpi_packed_object head;
    struct keel_mpi_object_network *network = NULL;

    memcpy(&head, payload, sizeof head);
    payload += sizeof head;
    bool guessed = !head.measured && objects->computing.amount <= 0;
    object->weight = head.stated || head.common_s <= 0 || guessed
                         ? head.weight
                         : (float)keel_common_weight(&objects->computing,
                                                     keel_speed_of(&objects->speed), head.common_s);
    object->known_s = head.measured ? head.common_s : 0;
    object->stated = head.stated;
    object->to_compute = head.to_compute;
    if (head.orders > 0 || head.early > 0) {
        network = keel_mpi_object_network_of(objects, object);
        if (network == NULL || (network->order.entry = malloc(
                                    (head.orders + 1) * sizeof *network->order.entry)) == NULL) {
            return NULL;
        }
        memcpy(network->order.entry, payload, head.orders * sizeof *network->order.entry);
        network->order.count = head.orders;
        network->order.room = head.orders + 1;
    }
    payload += head.orders * sizeof(struct keel_order_entry);
    payload = read_messages(payload, object->index, head.messages, messages);
    if (payload != NULL && head.early > 0) {
        payload = read_messages(payload, object->index, head.early, &network->early);
    }
    return payload;
}

/* Makes the object's data. False, after a message, if unpack() has failed. */
static bool unpack(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                   const char *payload, uint64_t bytes)
{
    double began_s = keel_mpi_clock_s();
    int failed =
        objects->call.unpack(objects->call.context, object->index, payload, bytes, &object->data);

    if (failed != 0) {
        keel_message("a program's function failed with %d to unpack object %llu; it stays where it "
                     "was",
                     failed, (unsigned long long)object->index);
        return false;
    }
    note_packing(objects, keel_mpi_clock_s() - began_s, bytes);
    return true;
}

static void drop(struct keel_mpi_objects *objects, const struct keel_mpi_object *object)
{
    if (objects->call.drop != NULL) {
        objects->call.drop(objects->call.context, object->index, object->data);
    }
}

/* Whether the program can take objects on this rank, too; if not, prints a message. */
static bool can_take(const struct keel_mpi_objects *objects,
                     const struct keel_mpi_object_record *record)
{
    bool can = keel_mpi_movement_is_possible(objects);

    if (!can) {
        keel_message(
            "object %llu has come from rank %u, but no functions to unpack are set; it stays there",
            (unsigned long long)record->index, record->sender);
    }
    return can;
}

/* Returns the received object; NULL: it could not be taken. */
static struct keel_mpi_object *make(struct keel_mpi_objects *objects,
                                    const struct keel_mpi_object_record *record,
                                    const char *payload,
                                    struct keel_mpi_object_message_list *messages)
{
    if (payload != NULL && !can_take(objects, record)) {
        return NULL;
    }
    struct keel_mpi_object *object =
        payload != NULL ? keel_mpi_table_add(&objects->table, record->index) : NULL;
    const char *data = object != NULL ? read_object(objects, object, payload, messages) : NULL;

    if (data == NULL) {
        keel_message("no memory for object %llu of %llu bytes, which was to come from rank %u; it "
                     "stays there",
                     (unsigned long long)record->index, (unsigned long long)record->bytes,
                     record->sender);
    }
    if (data == NULL ||
        !unpack(objects, object, data, record->bytes - (uint64_t)(data - payload))) {
        keel_mpi_object_messages_free(messages);
        if (object != NULL) {
            keel_mpi_object_network_free(object);
            keel_mpi_table_remove(&objects->table, object);
        }
        return NULL;
    }
    object->epoch = record->epoch;
    return object;
}

static void answer(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record,
                   enum keel_mpi_record_kind kind)
{
    keel_mpi_delivery_notify(
        objects, record->sender,
        &(struct keel_mpi_object_record){
            .index = record->index, .kind = kind, .rank = objects->rank, .epoch = record->epoch});
}

/* --- the answers --- */

/* Removes an object that is on another rank by now; late messages follow it. */
static void let_go(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                   struct keel_location location)
{
    struct keel_mpi_object_message_list late = {0};
    struct keel_mpi_object_message *message;
    uint64_t index = object->index;

    drop(objects, object);
    keel_mpi_object_messages_free(&object->messages);
    if (object->network != NULL) {
        late = object->network->late;
        object->network->late = (struct keel_mpi_object_message_list){0};
        keel_mpi_object_network_free(object);
    }
    keel_mpi_table_remove(&objects->table, object);
    keel_mpi_delivery_note(objects, index, location, false);
    if (objects->rank == keel_mpi_delivery_home(objects, index)) {
        keel_mpi_delivery_note(objects, index, location, true);
    }
    while ((message = keel_mpi_object_messages_take(&late)) != NULL) {
        keel_mpi_delivery_route(objects, message);
    }
}

/* Returns the object of an answer; NULL: its move was known before. */
static struct keel_mpi_object *object_of(const struct keel_mpi_objects *objects,
                                         const struct keel_mpi_object_record *record)
{
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, record->index);

    return object != NULL && object->state == KEEL_MPI_OBJECT_LEAVES &&
                   record->epoch == object->epoch + 1
               ? object
               : NULL;
}

void keel_mpi_movement_taken(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record)
{
    struct keel_mpi_object *object = object_of(objects, record);

    if (object != NULL) {
        let_go(objects, object, (struct keel_location){record->rank, record->epoch});
    }
}

void keel_mpi_movement_stays(struct keel_mpi_objects *objects,
                             const struct keel_mpi_object_record *record)
{
    struct keel_mpi_object *object = object_of(objects, record);
    struct keel_mpi_object_message_list late = {0};
    struct keel_mpi_object_message *message;

    if (object == NULL) {
        return;
    }
    objects->report.refused++;
    objects->report.given--;
    object->stays = true;
    if (object->network != NULL) {
        late = object->network->late;
        object->network->late = (struct keel_mpi_object_message_list){0};
        objects->waiting += object->network->early.count;
    }
    keel_mpi_object_settle(objects, object);
    keel_mpi_delivery_welcome(objects, object);
    while ((message = keel_mpi_object_messages_take(&late)) != NULL) {
        keel_mpi_delivery_route(objects, message);
    }
}

/* --- an object arrives --- */

/* Whether the object can be taken. If it has come back before the answer that it was taken, that
 * answer is known now. */
static bool make_way(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record)
{
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, record->index);

    if (object == NULL) {
        return true;
    }
    if (object->state != KEEL_MPI_OBJECT_LEAVES) {
        return false; /* two objects of one index: their home rank reports that */
    }
    let_go(objects, object, (struct keel_location){record->sender, record->epoch - 1});
    return true;
}

/* Informs the home rank that the object is here now. */
static void note_home(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record)
{
    uint32_t home = keel_mpi_delivery_home(objects, record->index);

    if (home != objects->rank) {
        keel_mpi_delivery_notify(objects, home,
                                 &(struct keel_mpi_object_record){.index = record->index,
                                                                  .kind = KEEL_MPI_RECORD_CAME,
                                                                  .rank = objects->rank,
                                                                  .epoch = record->epoch});
    }
}

struct keel_mpi_object *keel_mpi_movement_take(struct keel_mpi_objects *objects,
                                               const struct keel_mpi_object_record *record,
                                               const void *payload)
{
    struct keel_mpi_object_message_list messages = {0};
    struct keel_mpi_object *object =
        make_way(objects, record) ? make(objects, record, payload, &messages) : NULL;
    struct keel_mpi_object_message *message;

    if (object == NULL) {
        objects->report.refused++;
        answer(objects, record, KEEL_MPI_RECORD_STAYS);
        return NULL;
    }
    objects->report.taken++;
    objects->report.bytes_taken += record->bytes;
    answer(objects, record, KEEL_MPI_RECORD_TAKEN);
    note_home(objects, record);
    if (object->network != NULL) {
        objects->waiting += object->network->early.count;
    }
    while ((message = keel_mpi_object_messages_take(&messages)) != NULL) {
        keel_mpi_object_append(objects, object, message);
    }
    if (object->state == KEEL_MPI_OBJECT_RESTS) {
        keel_mpi_object_settle(objects, object);
    }
    keel_mpi_delivery_welcome(objects, object);
    return object;
}
