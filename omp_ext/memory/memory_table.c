/* The states of a memory. */
#include "omp_ext/memory/memory_table.h"

#include <stdlib.h>
#include <string.h>

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

static void free_state(struct keel_memory_state *state)
{
    free((char *)state->key.module);
    free((char *)state->key.schedule);
    free((char *)state->choice);
    free(state->thread);
}

static bool copy_state(const struct keel_memory_state *state, struct keel_memory_state *copy)
{
    size_t bytes = state->key.threads * sizeof *state->thread;

    *copy = *state;
    copy->key.module = strdup(state->key.module);
    copy->key.schedule = strdup(state->key.schedule);
    copy->choice = strdup(state->choice);
    copy->thread = malloc(bytes);
    if (copy->key.module == NULL || copy->key.schedule == NULL || copy->choice == NULL ||
        copy->thread == NULL) {
        free_state(copy);
        return false;
    }
    memcpy(copy->thread, state->thread, bytes);
    return true;
}

/* A new entry without a state; NULL: memory is short. */
static struct keel_memory_entry *add_entry(struct keel_memory_table *table)
{
    if (table->count == table->room) {
        size_t room = table->room == 0 ? 64 : 2 * table->room;
        struct keel_memory_entry *larger = realloc(table->entry, room * sizeof *larger);
        if (larger == NULL) {
            return NULL;
        }
        table->entry = larger;
        table->room = room;
    }
    return &table->entry[table->count];
}

bool keel_memory_table_put(struct keel_memory_table *table, const struct keel_memory_state *state,
                           uint64_t used)
{
    struct keel_memory_entry *entry = keel_memory_table_find(table, &state->key);
    struct keel_memory_state copy;

    if (!copy_state(state, &copy)) {
        return false;
    }
    if (entry != NULL) {
        free_state(&entry->state);
    } else if ((entry = add_entry(table)) != NULL) {
        table->count++;
    } else {
        free_state(&copy);
        return false;
    }
    *entry = (struct keel_memory_entry){copy, used};
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
        free_state(&table->entry[--table->count].state);
    }
}

void keel_memory_table_free(struct keel_memory_table *table)
{
    while (table->count > 0) {
        free_state(&table->entry[--table->count].state);
    }
    free(table->entry);
    *table = (struct keel_memory_table){0};
}
