/* The list of ready objects, and lists of messages. */
#include "mpi_backend/objects/objects.h"

#include <stdlib.h>
#include <string.h>

struct keel_mpi_object_message *keel_mpi_object_message_make(uint64_t index, uint32_t handler,
                                                             const void *payload, uint64_t bytes)
{
    struct keel_mpi_object_message *message =
        bytes < SIZE_MAX / 2 ? malloc(sizeof *message + bytes) : NULL;

    if (message != NULL) {
        *message =
            (struct keel_mpi_object_message){.index = index, .bytes = bytes, .handler = handler};
        if (bytes > 0) {
            memcpy(message->payload, payload, bytes);
        }
    }
    return message;
}

void keel_mpi_object_messages_append(struct keel_mpi_object_message_list *list,
                                     struct keel_mpi_object_message *message)
{
    message->next = NULL;
    if (list->first == NULL) {
        list->first = message;
    } else {
        list->last->next = message;
    }
    list->last = message;
    list->count++;
}

struct keel_mpi_object_message *
keel_mpi_object_messages_take(struct keel_mpi_object_message_list *list)
{
    struct keel_mpi_object_message *message = list->first;

    if (message != NULL) {
        list->first = message->next;
        list->count--;
    }
    return message;
}

void keel_mpi_object_messages_free(struct keel_mpi_object_message_list *list)
{
    for (struct keel_mpi_object_message *message;
         (message = keel_mpi_object_messages_take(list)) != NULL;) {
        free(message);
    }
}

struct keel_mpi_object_network *keel_mpi_object_network_of(struct keel_mpi_objects *objects,
                                                           struct keel_mpi_object *object)
{
    if (object->network == NULL) {
        object->network = calloc(1, sizeof *object->network);
        objects->networks++;
    }
    return object->network;
}

void keel_mpi_object_network_free(struct keel_mpi_object *object)
{
    if (object->network != NULL) {
        keel_mpi_object_messages_free(&object->network->early);
        keel_mpi_object_messages_free(&object->network->late);
        free(object->network->order.entry);
        free(object->network);
        object->network = NULL;
    }
}

/* --- ready objects --- */

static bool has_work(const struct keel_mpi_object *object)
{
    return object->to_compute || object->messages.count > 0;
}

/* What ready objects come to. */
static void count_ready(struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                        int sign)
{
    objects->ready += (uint64_t)sign;
    objects->ready_to_compute += object->to_compute ? (uint64_t)sign : 0;
    if (object->to_compute) {
        double told_s = keel_mpi_object_told_s(object);
        objects->ready_told_s += sign * told_s;
        objects->ready_weight += told_s > 0 ? 0 : sign * (double)object->weight;
    }
    objects->ready_messages += (uint64_t)sign * object->messages.count;
    if (objects->ready == 0) {
        objects->ready_weight = objects->ready_told_s = 0; /* no rounding adds up */
    }
}

static void append_ready(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    object->state = KEEL_MPI_OBJECT_READY;
    object->next = NULL;
    object->before = objects->last_ready;
    if (objects->last_ready != NULL) {
        objects->last_ready->next = object;
    } else {
        objects->first_ready = object;
    }
    objects->last_ready = object;
    count_ready(objects, object, 1);
}

static void unlink_ready(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    *(object->before != NULL ? &object->before->next : &objects->first_ready) = object->next;
    *(object->next != NULL ? &object->next->before : &objects->last_ready) = object->before;
}

void keel_mpi_ready_go_first(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    unlink_ready(objects, object);
    object->before = NULL;
    object->next = objects->first_ready;
    *(object->next != NULL ? &object->next->before : &objects->last_ready) = object;
    objects->first_ready = object;
}

void keel_mpi_ready_remove(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    unlink_ready(objects, object);
    object->state = KEEL_MPI_OBJECT_RESTS;
    count_ready(objects, object, -1);
}

struct keel_mpi_object *keel_mpi_ready_take(struct keel_mpi_objects *objects)
{
    struct keel_mpi_object *object = objects->first_ready;

    if (object != NULL) {
        keel_mpi_ready_remove(objects, object);
        object->state = KEEL_MPI_OBJECT_RUNS;
    }
    return object;
}

void keel_mpi_object_settle(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    object->state = KEEL_MPI_OBJECT_RESTS;
    if (has_work(object)) {
        append_ready(objects, object);
    }
}

void keel_mpi_object_append(struct keel_mpi_objects *objects, struct keel_mpi_object *object,
                            struct keel_mpi_object_message *message)
{
    keel_mpi_object_messages_append(&object->messages, message);
    if (object->state == KEEL_MPI_OBJECT_READY) {
        objects->ready_messages++;
    } else if (object->state == KEEL_MPI_OBJECT_RESTS) {
        append_ready(objects, object);
    }
}
