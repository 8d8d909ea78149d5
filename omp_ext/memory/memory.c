/* What Keel keeps between runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_parts.h"

struct keel_memory_file {
    char *stated;                   /* what the environment calls it */
    char *path;                     /* the same without symbolic links */
    char *text;                     /* of the file as it was opened */
    struct keel_memory_table table; /* of that text */
    bool replace;                   /* what `replaced` names is not to be looked at */
    struct stat replaced;
};

/* --- problems --- */

#define NAME_LENGTH 160 /* bytes of a path in a message: its end, which says most */

static void report(char *problem, const char *path, const char *reason, const char *consequence)
{
    size_t length = strlen(path);
    bool whole = length <= NAME_LENGTH;

    snprintf(problem, KEEL_MEMORY_PROBLEM_MAX, "'%s%s' %s; %s", whole ? "" : "...",
             whole ? path : path + length - NAME_LENGTH, reason, consequence);
}

static const char nothing_remembered[] = "nothing is remembered in this run";
static const char not_kept[] = "what this run has learned is not kept";
static const char left_alone[] =
    "it is left alone and nothing is remembered; 'replace:' before its name replaces it";

/* --- open --- */

/* An empty file is a memory of nothing. *text: to be freed after the table. *refused: what happens
 * to a file that is none; otherwise NULL. */
static bool read_table(int file, char **text, struct keel_memory_table *table, const char **refused,
                       char *reason)
{
    size_t length;

    *refused = NULL;
    *text = keel_memory_file_read(file, KEEL_MEMORY_BYTES_MAX, &length, reason);
    if (*text == NULL || length == 0 || keel_memory_format_read(*text, length, table, reason)) {
        return *text != NULL;
    }
    *refused = left_alone;
    if (!keel_memory_format_begins(*text)) {
        *refused = "ignored";
        keel_memory_reason(reason, "is not a Keel memory file");
    }
    return false;
}

static bool take_in(struct keel_memory_file *memory, char *problem)
{
    char reason[KEEL_MEMORY_REASON_MAX];
    const char *refused = NULL;
    bool missing, good = true;
    int file = keel_memory_file_open(memory->path, false, &missing, &memory->replaced, reason);

    if (file >= 0) {
        good = memory->replace || read_table(file, &memory->text, &memory->table, &refused, reason);
        keel_memory_file_close(file);
    } else {
        memory->replace = false;
        good = missing && keel_memory_file_may_be_made(memory->path, reason);
    }
    if (!good) {
        report(problem, memory->stated, reason, refused != NULL ? refused : nothing_remembered);
    }
    return good;
}

void keel_memory_close(struct keel_memory_file *memory)
{
    if (memory != NULL) {
        keel_memory_table_free(&memory->table);
        free(memory->text);
        free(memory->stated);
        free(memory->path);
        free(memory);
    }
}

struct keel_memory_file *keel_memory_open(const char *path, bool replace, char *problem)
{
    struct keel_memory_file *memory = calloc(1, sizeof *memory);

    char reason[KEEL_MEMORY_REASON_MAX] = "needs more memory than there is";

    problem[0] = '\0';
    if (memory == NULL || (memory->stated = strdup(path)) == NULL ||
        (memory->path = keel_memory_file_resolve(path, reason)) == NULL) {
        report(problem, path, reason, nothing_remembered);
        keel_memory_close(memory);
        return NULL;
    }
    memory->replace = replace;
    if (!take_in(memory, problem)) {
        keel_memory_close(memory);
        return NULL;
    }
    return memory;
}

/* --- find --- */

const struct keel_memory_state *keel_memory_find(const struct keel_memory_file *memory,
                                                 const struct keel_memory_key *key)
{
    const struct keel_memory_entry *entry = keel_memory_table_find(&memory->table, key);

    return entry != NULL ? &entry->state : NULL;
}

/* --- save --- */

/* The file has not been replaced since it was opened. */
static bool is_to_be_replaced(const struct keel_memory_file *memory, const struct stat *status)
{
    const struct stat *old = &memory->replaced;

    return memory->replace && old->st_dev == status->st_dev && old->st_ino == status->st_ino &&
           old->st_size == status->st_size && old->st_mtim.tv_sec == status->st_mtim.tv_sec &&
           old->st_mtim.tv_nsec == status->st_mtim.tv_nsec;
}

static bool merge(struct keel_memory_table *table, const struct keel_memory_state *state,
                  size_t count, char *reason)
{
    table->run++;
    for (size_t i = 0; i < count; i++) {
        if (!keel_memory_table_put(table, &state[i], table->run, NULL)) {
            return keel_memory_reason(reason, "needs more memory than there is");
        }
    }
    keel_memory_table_shrink(table, KEEL_MEMORY_SITES_MAX, KEEL_MEMORY_BYTES_MAX - 1024);
    return true;
}

static bool write_table(const char *path, const struct stat *status,
                        const struct keel_memory_table *table, char *reason)
{
    size_t length;
    char *text = keel_memory_format_write(table, &length);
    bool written = text != NULL && keel_memory_file_replace(path, status, text, length, reason);

    if (text == NULL) {
        keel_memory_reason(reason, "needs more memory than there is");
    }
    free(text);
    return written;
}

bool keel_memory_save(struct keel_memory_file *memory, const struct keel_memory_state *state,
                      size_t count, char *problem)
{
    char reason[KEEL_MEMORY_REASON_MAX];
    struct keel_memory_table table = {0};
    struct stat status;
    const char *refused;
    char *text = NULL;
    bool missing, saved = false;
    int file = keel_memory_file_open(memory->path, true, &missing, &status, reason);

    problem[0] = '\0';
    if (file >= 0) {
        saved = (is_to_be_replaced(memory, &status) ||
                 read_table(file, &text, &table, &refused, reason)) &&
                merge(&table, state, count, reason) &&
                write_table(memory->path, &status, &table, reason);
        keel_memory_file_close(file);
        keel_memory_table_free(&table);
        free(text);
    }
    if (!saved) {
        report(problem, memory->stated, reason, not_kept);
    }
    return saved;
}
