/* Open addressing, at most half full. */
#include "omp_ext/command/trace/name_list.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/arithmetic/digest.h"

static uint64_t hash_of(const char *name)
{
    uint64_t hash = keel_digest_text(KEEL_DIGEST_START, name);

    return hash ^ (hash >> 29);
}

/* The slot that has the name, or the free one where it belongs. */
static uint32_t *slot_of(const struct keel_name_list *list, const char *name)
{
    size_t place = hash_of(name) & (list->slots - 1);

    while (list->slot[place] != KEEL_NAME_LIST_NONE &&
           strcmp(list->name[list->slot[place]], name) != 0) {
        place = (place + 1) & (list->slots - 1);
    }
    return &list->slot[place];
}

static bool grow(struct keel_name_list *list)
{
    size_t slots = list->slots > 0 ? 2 * list->slots : 64;
    char **name = realloc(list->name, slots / 2 * sizeof *name);
    uint32_t *slot;

    if (name == NULL) {
        return false;
    }
    list->name = name;
    slot = malloc(slots * sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    free(list->slot);
    list->slot = slot;
    list->slots = slots;
    memset(slot, 0xff, slots * sizeof *slot);
    for (uint32_t i = 0; i < list->count; i++) {
        *slot_of(list, list->name[i]) = i;
    }
    return true;
}

uint32_t keel_name_list_number(struct keel_name_list *list, const char *name)
{
    if (list->slots > 0 && *slot_of(list, name) != KEEL_NAME_LIST_NONE) {
        return *slot_of(list, name);
    }
    if (list->count >= KEEL_NAME_LIST_MAX || (2 * list->count >= list->slots && !grow(list))) {
        return KEEL_NAME_LIST_NONE;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return KEEL_NAME_LIST_NONE;
    }
    *slot_of(list, name) = list->count;
    list->name[list->count] = copy;
    return list->count++;
}

void keel_name_list_end(struct keel_name_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->name[i]);
    }
    free(list->name);
    free(list->slot);
    *list = (struct keel_name_list){0};
}
