/* The objects that a rank has, by their index: linear probing over pointers, filled to at most 4/5.
 */
#include "mpi_backend/objects/tables/tables.h"

#include <stdlib.h>
#include <string.h>

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
    size_t at = keel_mpi_slot_of(index, table->slots);
    while (table->slot[at] != NULL && table->slot[at]->index != index) {
        at = keel_mpi_slot_after(at, table->slots);
    }
    return table->slot[at];
}

/* --- growing --- */

static void put(struct keel_mpi_object **slot, size_t slots, struct keel_mpi_object *object)
{
    size_t at = keel_mpi_slot_of(object->index, slots);

    while (slot[at] != NULL) {
        at = keel_mpi_slot_after(at, slots);
    }
    slot[at] = object;
}

static bool make_slots(struct keel_mpi_table *table)
{
    size_t slots = keel_mpi_slots_for(table->count + 1, table->slots);
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
    size_t at = keel_mpi_slot_of(object->index, table->slots);

    while (table->slot[at] != object) {
        at = keel_mpi_slot_after(at, table->slots);
    }
    return at;
}

void keel_mpi_table_remove(struct keel_mpi_table *table, struct keel_mpi_object *object)
{
    size_t hole = find_slot(table, object), at = hole;

    /* those behind that a search would not find any more go into the hole */
    while (table->slot[at = keel_mpi_slot_after(at, table->slots)] != NULL) {
        size_t wanted = keel_mpi_slot_of(table->slot[at]->index, table->slots);
        if (keel_mpi_slot_is_between(hole, wanted, at)) {
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
    size_t at = keel_mpi_slot_of(number, table->slots);
    while (table->slot[at] == NULL) {
        at = keel_mpi_slot_after(at, table->slots);
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
