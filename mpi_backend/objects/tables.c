/* The objects of a rank, and the locations of others, by their index; ready objects, and lists of
 * messages. */
#include "mpi_backend/objects/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/objects/objects.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- slots ---
 *
 * Tables with linear probing. They grow by half and are filled to 4/5 at most, so that they take
 * little more memory than their entries. */

/* Where the search for an index begins. */
static size_t slot_of(uint64_t index, size_t slots)
{
    /* not the hash of home ranks: entries of one rank would all lie together */
    return (size_t)((unsigned __int128)keel_chance_mix(index ^ 0x5851f42d4c957f2du) * slots >> 64);
}

static size_t slot_after(size_t at, size_t slots)
{
    return at + 1 < slots ? at + 1 : 0;
}

/* Whether the entry at `at`, whose search begins at `wanted`, may move to `hole`: going up from
 * `wanted`, with the end joined to the beginning, `hole` comes before `at`. */
static bool is_between(size_t hole, size_t wanted, size_t at)
{
    return at >= wanted ? wanted <= hole && hole < at : wanted <= hole || hole < at;
}

/* Returns the number of slots for `count` entries, given `slots` now. */
static size_t slots_for(size_t count, size_t slots)
{
    while (count > slots / 5 * 4) {
        slots = slots < 10 ? 10 : slots + slots / 2;
    }
    return slots;
}

/* --- objects: pointers to them --- */

#define BLOCK 256 /* objects */

struct keel_mpi_object_block {
    struct keel_mpi_object_block *next;
    struct keel_mpi_object object[BLOCK];
};

struct keel_mpi_object *keel_mpi_table_find(const struct keel_mpi_table *table, uint64_t index)
{
    if (table->count == 0) {
        return NULL;
    }
    size_t at = slot_of(index, table->slots);
    while (table->slot[at] != NULL && table->slot[at]->index != index) {
        at = slot_after(at, table->slots);
    }
    return table->slot[at];
}

/* --- growing --- */

static void put(struct keel_mpi_object **slot, size_t slots, struct keel_mpi_object *object)
{
    size_t at = slot_of(object->index, slots);

    while (slot[at] != NULL) {
        at = slot_after(at, slots);
    }
    slot[at] = object;
}

static bool make_slots(struct keel_mpi_table *table)
{
    size_t slots = slots_for(table->count + 1, table->slots);
    struct keel_mpi_object **slot;

    if (slots == table->slots) {
        return true;
    }
    slot = calloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->slots; i++) {
        if (table->slot[i] != NULL) {
            put(slot, slots, table->slot[i]);
        }
    }
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    return true;
}

static bool make_objects(struct keel_mpi_table *table)
{
    if (table->unused != NULL) {
        return true;
    }
    struct keel_mpi_object_block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        return false;
    }
    for (size_t i = BLOCK; i-- > 0;) {
        block->object[i].next = table->unused;
        table->unused = &block->object[i];
    }
    *(table->last_block != NULL ? &table->last_block->next : &table->first_block) = block;
    table->last_block = block;
    return true;
}

struct keel_mpi_object *keel_mpi_table_add(struct keel_mpi_table *table, uint64_t index)
{
    if (!make_slots(table) || !make_objects(table)) {
        return NULL;
    }
    struct keel_mpi_object *object = table->unused;
    table->unused = object->next;
    *object = (struct keel_mpi_object){.index = index, .state = KEEL_MPI_OBJECT_RESTS};
    put(table->slot, table->slots, object);
    table->count++;
    return object;
}

/* --- removing --- */

static size_t find_slot(const struct keel_mpi_table *table, const struct keel_mpi_object *object)
{
    size_t at = slot_of(object->index, table->slots);

    while (table->slot[at] != object) {
        at = slot_after(at, table->slots);
    }
    return at;
}

void keel_mpi_table_remove(struct keel_mpi_table *table, struct keel_mpi_object *object)
{
    size_t hole = find_slot(table, object), at = hole;

    /* entries behind it that a search would not find any more move to the hole */
    while (table->slot[at = slot_after(at, table->slots)] != NULL) {
        size_t wanted = slot_of(table->slot[at]->index, table->slots);
        if (is_between(hole, wanted, at)) {
            table->slot[hole] = table->slot[at];
            hole = at;
        }
    }
    table->slot[hole] = NULL;
    table->count--;
    *object = (struct keel_mpi_object){.next = table->unused, .state = KEEL_MPI_OBJECT_NONE};
    table->unused = object;
}

/* --- all of them --- */

void keel_mpi_table_visit(const struct keel_mpi_table *table,
                          void (*visit)(void *context, struct keel_mpi_object *object),
                          void *context)
{
    for (struct keel_mpi_object_block *block = table->first_block; block != NULL;
         block = block->next) {
        for (size_t i = 0; i < BLOCK; i++) {
            if (block->object[i].state != KEEL_MPI_OBJECT_NONE) {
                visit(context, &block->object[i]);
            }
        }
    }
}

struct keel_mpi_object *keel_mpi_table_draw(const struct keel_mpi_table *table, uint64_t number)
{
    if (table->count == 0) {
        return NULL;
    }
    size_t at = slot_of(number, table->slots);
    while (table->slot[at] == NULL) {
        at = slot_after(at, table->slots);
    }
    return table->slot[at];
}

size_t keel_mpi_table_bytes(const struct keel_mpi_table *table)
{
    size_t bytes = table->slots * sizeof *table->slot;

    for (const struct keel_mpi_object_block *block = table->first_block; block != NULL;
         block = block->next) {
        bytes += sizeof *block;
    }
    return bytes;
}

void keel_mpi_table_free(struct keel_mpi_table *table)
{
    while (table->first_block != NULL) {
        struct keel_mpi_object_block *block = table->first_block;
        table->first_block = block->next;
        free(block);
    }
    free(table->slot);
    *table = (struct keel_mpi_table){0};
}

/* --- locations of objects on other ranks --- */

/* Returns the slot where the entry is, or would be. */
static size_t find_location_slot(const struct keel_mpi_location_entry *slot, size_t slots,
                                 uint64_t index)
{
    size_t at = slot_of(index, slots);

    while (slot[at].location.epoch != 0 && slot[at].index != index) {
        at = slot_after(at, slots);
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
        &locations->slot[find_location_slot(locations->slot, locations->slots, index)].location;
    return found->epoch != 0 ? found : NULL;
}

static bool make_location_slots(struct keel_mpi_locations *locations)
{
    size_t slots = slots_for(locations->count + 1, locations->slots);
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
            slot[find_location_slot(slot, slots, locations->slot[i].index)] = locations->slot[i];
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
    if (!make_location_slots(locations)) {
        return false;
    }
    locations->slot[find_location_slot(locations->slot, locations->slots, index)] =
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
    size_t hole = find_location_slot(slot, locations->slots, index), at = hole;
    while (slot[at = slot_after(at, locations->slots)].location.epoch != 0) {
        size_t wanted = slot_of(slot[at].index, locations->slots);
        if (is_between(hole, wanted, at)) {
            slot[hole] = slot[at];
            hole = at;
        }
    }
    slot[hole] = (struct keel_mpi_location_entry){0};
    locations->count--;
}

/* Where an entry is removed, one from behind may move there, around the end as well: from a slot
 * that is visited later, or was before: none is missed. */
void keel_mpi_locations_remove_all_of(struct keel_mpi_locations *locations, uint32_t rank)
{
    for (size_t i = 0; i < locations->slots; i++) {
        const struct keel_mpi_location_entry *entry = &locations->slot[i];
        while (entry->location.epoch != 0 && entry->location.rank == rank) {
            keel_mpi_locations_remove(locations, entry->index);
        }
    }
}

void keel_mpi_locations_clear(struct keel_mpi_locations *locations)
{
    free(locations->slot);
    *locations = (struct keel_mpi_locations){0};
}

/* --- lists --- */

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

/* Adds an object to the sums of ready objects (sign 1), or subtracts it (-1). */
static void count_ready(struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                        int sign)
{
    objects->ready += (uint64_t)sign;
    objects->ready_to_compute += object->to_compute ? (uint64_t)sign : 0;
    if (object->to_compute) {
        double known_s = keel_mpi_object_known_s(object);
        double weight = known_s > 0 ? 0 : sign * (double)object->weight;
        /* differences of sums of very different weights may be < 0 by rounding */
        objects->ready_known_s = fmax(objects->ready_known_s + sign * known_s, 0);
        objects->ready_weight = fmax(objects->ready_weight + weight, 0);
    }
    objects->ready_messages += (uint64_t)sign * object->messages.count;
    if (objects->ready == 0) {
        objects->ready_weight = objects->ready_known_s = 0; /* rounding errors do not add up */
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
