/* Messages to objects. */
#include "mpi_backend/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"

uint32_t keel_mpi_delivery_home(const struct keel_mpi_objects *objects, uint64_t index)
{
    return keel_directory_home(index, objects->ranks);
}

/* --- records --- */

/* Indispensable memory is missing: nothing is collective any more. May be called by any thread of a
 * team: keel_mpi_delivery_report_failure() follows. */
static void fail(struct keel_mpi_objects *objects)
{
    if (!objects->fails && keel_mpi_peers_code(&objects->peers) == KEEL_MPI_OK) {
        keel_message("no memory for messages to objects; nothing is shared among their ranks any "
                     "more");
    }
    objects->fails = true;
}

void keel_mpi_delivery_report_failure(struct keel_mpi_objects *objects)
{
    if (objects->fails) {
        keel_mpi_peers_fail(&objects->peers, KEEL_MPI_NO_ROOM);
    }
}

/* Counts a record for which the end of a phase waits: kinds before KEEL_MPI_RECORD_ASK. */
static bool count(struct keel_mpi_objects *objects, const struct keel_mpi_object_record *record,
                  bool put)
{
    objects->termination.sent += put && record->kind < KEEL_MPI_RECORD_ASK;
    return put;
}

bool keel_mpi_delivery_put_own(struct keel_mpi_objects *objects, uint32_t rank,
                               const struct keel_mpi_object_record *record, void *payload)
{
    bool large = keel_mpi_packed_is_large(record->bytes);
    bool put = large ? keel_mpi_transport_put_large(&objects->transport, rank, record, payload)
                     : keel_mpi_delivery_put(objects, rank, record, payload);

    if (!large || !put) {
        free(payload);
    }
    return large ? count(objects, record, put) : put;
}

bool keel_mpi_delivery_put(struct keel_mpi_objects *objects, uint32_t rank,
                           const struct keel_mpi_object_record *record, const void *payload)
{
    bool large = keel_mpi_packed_is_large(record->bytes);
    void *copy =
        large ? malloc(record->bytes) : keel_mpi_transport_put(&objects->transport, rank, record);

    if (copy != NULL && record->bytes > 0) {
        memcpy(copy, payload, record->bytes);
    }
    if (large) {
        return copy != NULL && keel_mpi_delivery_put_own(objects, rank, record, copy);
    }
    return count(objects, record, copy != NULL);
}

void keel_mpi_delivery_notify(struct keel_mpi_objects *objects, uint32_t rank,
                              const struct keel_mpi_object_record *record)
{
    if (!keel_mpi_delivery_put(objects, rank, record, NULL)) {
        fail(objects);
    }
}

static struct keel_mpi_object_record record_of(const struct keel_mpi_object_message *message,
                                               uint32_t kind)
{
    return (struct keel_mpi_object_record){.index = message->index,
                                           .bytes = message->bytes,
                                           .kind = kind,
                                           .handler = message->handler,
                                           .sender = message->sender,
                                           .number = message->number,
                                           .epoch = message->epoch};
}

/* Sends a message on, or back, and frees it. */
static void put_message(struct keel_mpi_objects *objects, uint32_t rank, uint32_t kind,
                        struct keel_mpi_object_message *message)
{
    struct keel_mpi_object_record record = record_of(message, kind);

    if (!keel_mpi_delivery_put(objects, rank, &record, message->payload)) {
        fail(objects);
    }
    free(message);
}

/* --- undeliverable messages --- */

/* Returns a message without an object to its sender. Takes it over. */
static void send_back(struct keel_mpi_objects *objects, struct keel_mpi_object_message *message)
{
    if (message->sender == objects->rank) {
        keel_mpi_object_messages_append(&objects->returned, message);
    } else {
        put_message(objects, message->sender, KEEL_MPI_RECORD_RETURNED, message);
    }
}

/* --- at home, for objects that no rank has --- */

static void hold(struct keel_mpi_objects *objects, struct keel_mpi_object_message *message)
{
    struct keel_mpi_object *held = keel_mpi_table_find(&objects->held, message->index);

    if (held == NULL) {
        held = keel_mpi_table_add(&objects->held, message->index);
    }
    if (held == NULL) {
        free(message);
        fail(objects);
        return;
    }
    keel_mpi_object_messages_append(&held->messages, message);
    objects->waiting++;
}

/* Takes out the messages that were held for an object. */
static struct keel_mpi_object_message_list take_held(struct keel_mpi_objects *objects,
                                                     uint64_t index)
{
    struct keel_mpi_object *held = keel_mpi_table_find(&objects->held, index);
    struct keel_mpi_object_message_list list = {0};

    if (held != NULL) {
        list = held->messages;
        keel_mpi_table_remove(&objects->held, held);
    }
    objects->waiting -= list.count;
    return list;
}

static void release_held(struct keel_mpi_objects *objects, uint64_t index)
{
    struct keel_mpi_object_message_list held = take_held(objects, index);
    struct keel_mpi_object_message *message;

    while ((message = keel_mpi_object_messages_take(&held)) != NULL) {
        keel_mpi_delivery_route(objects, message);
    }
}

/* --- known locations --- */

void keel_mpi_delivery_note(struct keel_mpi_objects *objects, uint64_t index,
                            struct keel_location location, bool home)
{
    struct keel_mpi_locations *locations = home ? &objects->homes : &objects->hints;
    struct keel_location *known = keel_mpi_locations_find(locations, index);

    if (known != NULL && !keel_location_is_news(*known, location)) {
        return;
    }
    if (!keel_mpi_locations_set(locations, index, location)) {
        if (home) {
            fail(objects); /* without a hint, messages go to the home rank */
        }
        return;
    }
    if (home) {
        objects->deleted += location.rank == KEEL_LOCATION_DELETED;
        release_held(objects, index);
    }
}

static struct keel_location what_is_known(const struct keel_mpi_objects *objects, uint64_t index)
{
    const struct keel_location *hint = keel_mpi_locations_find(&objects->hints, index);
    const struct keel_location *home = keel_mpi_locations_find(&objects->homes, index);
    struct keel_location known = {0};

    if (home != NULL) {
        known = *home;
    }
    return hint != NULL && keel_location_is_news(known, *hint) ? *hint : known;
}

/* --- arriving --- */

static bool accept(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                   struct keel_mpi_object_message *message)
{
    if (!keel_order_advance(&object->network->order, message->sender, realloc)) {
        free(message);
        fail(objects);
        return false;
    }
    keel_mpi_object_append(objects, object, message);
    return true;
}

/* Takes out an early message that is due now; NULL: there is none. */
static struct keel_mpi_object_message *take_due(struct keel_mpi_object_network *network)
{
    struct keel_mpi_object_message_list rest = {0};
    struct keel_mpi_object_message *due = NULL, *message;

    while ((message = keel_mpi_object_messages_take(&network->early)) != NULL) {
        if (due == NULL && keel_order_is_due(&network->order, message->sender, message->number)) {
            due = message;
        } else {
            keel_mpi_object_messages_append(&rest, message);
        }
    }
    network->early = rest;
    return due;
}

static void arrive(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                   struct keel_mpi_object_message *message)
{
    struct keel_mpi_object_network *network = keel_mpi_object_network_of(objects, object);

    if (network == NULL) {
        free(message);
        fail(objects);
        return;
    }
    if (object->state == KEEL_MPI_OBJECT_LEAVES) {
        keel_mpi_object_messages_append(&network->late, message);
        return;
    }
    if (!keel_order_is_due(&network->order, message->sender, message->number)) {
        keel_mpi_object_messages_append(&network->early, message);
        objects->waiting++;
        return;
    }
    bool accepted = accept(objects, object, message);
    while (accepted && network->early.count > 0 && (message = take_due(network)) != NULL) {
        objects->waiting--;
        accepted = accept(objects, object, message);
    }
}

/* --- forwarding --- */

/* Sends the object's location to the sender, for its next messages. */
static void hint_sender(struct keel_mpi_objects *objects,
                        const struct keel_mpi_object_message *message, struct keel_location known)
{
    if (message->sender != objects->rank && message->sender != known.rank) {
        keel_mpi_delivery_notify(objects, message->sender,
                                 &(struct keel_mpi_object_record){.index = message->index,
                                                                  .kind = KEEL_MPI_RECORD_HINT,
                                                                  .rank = known.rank,
                                                                  .epoch = known.epoch});
    }
}

void keel_mpi_delivery_route(struct keel_mpi_objects *objects,
                             struct keel_mpi_object_message *message)
{
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, message->index);

    if (object != NULL) {
        arrive(objects, object, message);
        return;
    }
    struct keel_location known = what_is_known(objects, message->index);
    struct keel_directory_step step = keel_directory_next(
        objects->rank, keel_mpi_delivery_home(objects, message->index), known, message->epoch);
    switch (step.action) {
    case KEEL_DIRECTORY_SEND:
        objects->report.forwarded += message->sender != objects->rank;
        if (step.epoch > message->epoch) {
            hint_sender(objects, message, known);
        }
        message->epoch = step.epoch;
        put_message(objects, step.rank, KEEL_MPI_RECORD_MESSAGE, message);
        break;
    case KEEL_DIRECTORY_HOLD:
        hold(objects, message);
        break;
    case KEEL_DIRECTORY_RETURN:
        send_back(objects, message);
        break;
    }
}

void keel_mpi_delivery_take(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload)
{
    struct keel_mpi_object_message *message =
        payload != NULL
            ? keel_mpi_object_message_make(record->index, record->handler, payload, record->bytes)
            : NULL;

    if (message == NULL) {
        fail(objects);
        return;
    }
    message->sender = record->sender;
    message->number = record->number;
    message->epoch = record->epoch;
    if (record->kind == KEEL_MPI_RECORD_RETURNED) {
        keel_mpi_object_messages_append(&objects->returned, message);
    } else {
        keel_mpi_delivery_route(objects, message);
    }
}

/* --- sending --- */

/* Numbers a message of this rank. False: no memory. */
static bool number_message(struct keel_mpi_objects *objects,
                           struct keel_mpi_object_message *message)
{
    struct keel_location *sent = keel_mpi_locations_find(&objects->numbers, message->index);

    message->sender = objects->rank;
    message->number = sent != NULL ? sent->epoch : 0;
    if (sent == NULL) {
        return keel_mpi_locations_set(&objects->numbers, message->index,
                                      (struct keel_location){.epoch = 1});
    }
    sent->epoch++;
    return true;
}

int keel_mpi_delivery_send(struct keel_mpi_objects *objects, uint64_t index, uint32_t handler,
                           const void *payload, uint64_t bytes)
{
    struct keel_mpi_object_message *message =
        keel_mpi_object_message_make(index, handler, payload, bytes);
    struct keel_mpi_object *object = keel_mpi_table_find(&objects->table, index);

    if (message == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    message->sender = objects->rank;
    if (object != NULL && object->state != KEEL_MPI_OBJECT_LEAVES && !object->behind) {
        keel_mpi_object_append(objects, object, message);
        return KEEL_MPI_OK;
    }
    if (!number_message(objects, message)) {
        free(message);
        return KEEL_MPI_NO_ROOM;
    }
    objects->report.sent_away += object == NULL;
    keel_mpi_delivery_route(objects, message);
    return KEEL_MPI_OK;
}

/* --- objects that arrive or are deleted --- */

void keel_mpi_delivery_welcome(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    object->behind = keel_mpi_locations_find(&objects->numbers, object->index) != NULL;
    keel_mpi_locations_remove(&objects->hints, object->index);
    if (objects->rank == keel_mpi_delivery_home(objects, object->index)) {
        keel_mpi_locations_remove(&objects->homes, object->index);
        release_held(objects, object->index);
    }
}

void keel_mpi_delivery_forget(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    struct keel_mpi_object_message *message;
    uint64_t index = object->index;
    struct keel_location deleted = {KEEL_LOCATION_DELETED, object->epoch};
    uint32_t home = keel_mpi_delivery_home(objects, index);

    while ((message = keel_mpi_object_messages_take(&object->messages)) != NULL) {
        send_back(objects, message);
    }
    if (object->network != NULL) {
        objects->waiting -= object->network->early.count;
        while ((message = keel_mpi_object_messages_take(&object->network->early)) != NULL) {
            send_back(objects, message);
        }
        keel_mpi_object_network_free(object);
    }
    keel_mpi_table_remove(&objects->table, object);
    keel_mpi_delivery_note(objects, index, deleted, home == objects->rank);
    if (home != objects->rank) {
        keel_mpi_delivery_notify(objects, home,
                                 &(struct keel_mpi_object_record){.index = index,
                                                                  .kind = KEEL_MPI_RECORD_DELETED,
                                                                  .rank = KEEL_LOCATION_DELETED,
                                                                  .epoch = deleted.epoch});
    }
}

/* --- the end of a phase --- */

/* Takes early messages as due, lowest numbers first, though messages before them are missing. */
static void force_early(void *context, struct keel_mpi_object *object)
{
    struct keel_mpi_objects *objects = context;
    struct keel_mpi_object_network *network = object->network;

    while (network != NULL && network->early.count > 0) {
        const struct keel_mpi_object_message *least = network->early.first;
        for (const struct keel_mpi_object_message *message = least; message != NULL;
             message = message->next) {
            least = message->number < least->number ? message : least;
        }
        while (!keel_order_is_due(&network->order, least->sender, least->number)) {
            if (!keel_order_advance(&network->order, least->sender, realloc)) {
                fail(objects);
                return;
            }
        }
        objects->waiting--;
        if (!accept(objects, object, take_due(network))) {
            return;
        }
    }
}

static void return_held(void *context, struct keel_mpi_object *held)
{
    struct keel_mpi_objects *objects = context;
    struct keel_mpi_object_message_list list = take_held(objects, held->index);
    struct keel_mpi_object_message *message;

    while ((message = keel_mpi_object_messages_take(&list)) != NULL) {
        send_back(objects, message);
    }
}

void keel_mpi_delivery_give_up(struct keel_mpi_objects *objects)
{
    keel_mpi_table_visit(&objects->held, return_held, objects);
    if (objects->waiting > 0) {
        keel_mpi_table_visit(&objects->table, force_early, objects);
    }
}

static void reset_object(void *context, struct keel_mpi_object *object)
{
    (void)context;
    keel_mpi_object_network_free(object);
    object->behind = false;
    object->stays = false;
}

void keel_mpi_delivery_reset(struct keel_mpi_objects *objects)
{
    bool moved = objects->networks > 0 || objects->numbers.count > 0 || objects->report.refused > 0;

    keel_mpi_locations_clear(&objects->numbers);
    keel_mpi_locations_clear(&objects->hints);
    if (moved) {
        keel_mpi_table_visit(&objects->table, reset_object, objects);
        objects->networks = 0;
    }
    if (objects->deleted > 0) {
        keel_mpi_locations_remove_all_of(&objects->homes, KEEL_LOCATION_DELETED);
        objects->deleted = 0;
    }
}

/* --- new objects --- */

/* Whether another rank has the object, if this is its home rank. */
static bool is_elsewhere(const struct keel_mpi_objects *objects, uint64_t index)
{
    return keel_mpi_delivery_home(objects, index) == objects->rank &&
           keel_mpi_locations_find(&objects->homes, index) != NULL;
}

int keel_mpi_delivery_insert(struct keel_mpi_objects *objects, uint64_t index, void *data)
{
    uint32_t home = keel_mpi_delivery_home(objects, index);
    struct keel_mpi_object_record made = {
        .index = index, .kind = KEEL_MPI_RECORD_MADE, .sender = objects->rank, .epoch = 1};

    if (keel_mpi_table_find(&objects->table, index) != NULL || is_elsewhere(objects, index)) {
        keel_message("keel_mpi_objects_insert(): there is an object with index %llu, or it was "
                     "deleted in this phase; expected another index; nothing is added",
                     (unsigned long long)index);
        return KEEL_MPI_ARGUMENT;
    }
    struct keel_mpi_object *object = keel_mpi_table_add(&objects->table, index);
    if (object == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    if (home != objects->rank && !keel_mpi_delivery_put(objects, home, &made, NULL)) {
        keel_mpi_table_remove(&objects->table, object);
        return KEEL_MPI_NO_ROOM;
    }
    object->data = data;
    object->weight = 1;
    object->epoch = 1;
    keel_mpi_delivery_welcome(objects, object);
    return KEEL_MPI_OK;
}
