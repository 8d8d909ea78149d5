/* The states of a memory. */
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_parts.h"

static bool keys_equal(const struct keel_memory_key *a, const struct keel_memory_key *b)
{
    return a->caller == b->caller && a->outlined == b->outlined && a->threads == b->threads &&
           strcmp(a->module, b->module) == 0 && strcmp(a->schedule, b->schedule) == 0;
}

struct keel_memory_entry *keel_memory_table_find(const struct keel_memory_table *table,
                                                 const struct keel_memory_key *key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (keys_equal(&table->entry[i].state.key, key)) {
            return &table->entry[i];
        }
    }
    return NULL;
}

bool keel_memory_table_put(struct keel_memory_table *table, const struct keel_memory_state *state,
                           uint64_t used, struct keel_memory_thread *own)
{
    struct keel_memory_entry *entry = keel_memory_table_find(table, &state->key);

    if (entry != NULL) {
        free(entry->own);
    } else {
        if (table->count == table->room) {
            size_t room = table->room == 0 ? 64 : 2 * table->room;
            struct keel_memory_entry *larger = realloc(table->entry, room * sizeof *larger);
            if (larger == NULL) {
                free(own);
                return false;
            }
            table->entry = larger;
            table->room = room;
        }
        entry = &table->entry[table->count++];
    }
    *entry = (struct keel_memory_entry){*state, used, own};
    return true;
}

/* Those used last come first. */
static int by_age(const void *a, const void *b)
{
    uint64_t x = ((const struct keel_memory_entry *)a)->used;
    uint64_t y = ((const struct keel_memory_entry *)b)->used;

    return (x < y) - (x > y);
}

/* Upper bound of the text of a state: a number takes at most 17 bytes with its blank. */
static size_t text_bytes(const struct keel_memory_state *state)
{
    return 17 * (2 * KEEL_PROFILE_BINS + 8 * state->key.threads) + strlen(state->key.module) +
           strlen(state->key.schedule) + strlen(state->choice) + 512;
}

void keel_memory_table_shrink(struct keel_memory_table *table, size_t count, size_t bytes)
{
    size_t kept = 0, needed = 0;

    if (table->count > 0) {
        qsort(table->entry, table->count, sizeof *table->entry, by_age);
    }
    while (kept < count && kept < table->count &&
           (needed += text_bytes(&table->entry[kept].state)) <= bytes) {
        kept++;
    }
    while (table->count > kept) {
        free(table->entry[--table->count].own);
    }
}

void keel_memory_table_free(struct keel_memory_table *table)
{
    while (table->count > 0) {
        free(table->entry[--table->count].own);
    }
    free(table->entry);
    *table = (struct keel_memory_table){0};
}
