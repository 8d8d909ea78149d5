/* What a memory is made of.
 *
 *   file, which several processes read and replace <-> text <-> table of states in this process */
#ifndef OMP_EXT_MEMORY_MEMORY_PARTS_H
#define OMP_EXT_MEMORY_MEMORY_PARTS_H

#include <sys/stat.h>

#include "omp_ext/memory/memory.h"

/* --- table --- */

/* {0}: empty. */
struct keel_memory_table {
    uint64_t run; /* number of saves so far */
    size_t count, room;
    struct keel_memory_entry {
        struct keel_memory_state state; /* its texts are others' */
        uint64_t used;                  /* value of `run` when it was saved last */
        struct keel_memory_thread *own; /* to be freed with it */
    } * entry;
};

/* NULL: there is none. */
struct keel_memory_entry *keel_memory_table_find(const struct keel_memory_table *table,
                                                 const struct keel_memory_key *key);

/* Takes the state in, in the place of that of the same key. What it points to has to last as long
 * as the table, which frees `own` (or NULL). False: memory is short. */
bool keel_memory_table_put(struct keel_memory_table *table, const struct keel_memory_state *state,
                           uint64_t used, struct keel_memory_thread *own);

/* Drops those that have not been used for the longest time until no more than `count` are left, and
 * those need no more than `bytes` of text. */
void keel_memory_table_shrink(struct keel_memory_table *table, size_t count, size_t bytes);

/* The table is empty afterwards. */
void keel_memory_table_free(struct keel_memory_table *table);

/* --- text ---
 *
 * A site per line, numbers in hexadecimal:
 *
 *   keel-memory 2 RUN
 *   MODULE<tab>SCHEDULE<tab>CHOICE<tab> USED CALLER OUTLINED ...
 *   ...
 *   sum SUM
 *
 * Real numbers are written by their bits. SUM is the digest of all before it: against damage, not
 * against people. */

#define KEEL_MEMORY_VERSION 2 /* 1 was JSON */

/* Whether Keel has written the beginning of the text, in any version. */
bool keel_memory_format_begins(const char *text);

/* Fills an empty table, which points into the text. That has a 0 behind its `length` bytes, and is
 * changed. False: it is not a memory, `reason` says why, and the table is empty. */
bool keel_memory_format_read(char *text, size_t length, struct keel_memory_table *table,
                             char *reason);

/* The table's text, to be freed, without states that have a number that is none; NULL: memory is
 * short. */
char *keel_memory_format_write(const struct keel_memory_table *table, size_t *length);

/* --- file ---
 *
 * Opened with care, locked, replaced at once. Functions that fail say why in `reason`: words to be
 * put behind the name of the file. */

#define KEEL_MEMORY_REASON_MAX 192

/* Writes the reason, KEEL_MEMORY_REASON_MAX bytes, and returns false. */
__attribute__((format(printf, 2, 3))) bool keel_memory_reason(char *reason, const char *format,
                                                              ...);

/* The file that `path` means, to be freed: where it is a symbolic link, what that leads to, if that
 * is a file of the link's owner. Links on the way are root's or the user's (safe_file.h), so that
 * others cannot have files read or replaced by putting a link where the file is expected.
 * NULL: it is something else. */
char *keel_memory_file_resolve(const char *path, char *reason);

/* Opens a regular file for reading, or with `locked` also for replacing: it is made where it is
 * missing, and no other process has it locked until keel_memory_file_close(). -1: a failure, or, if
 * *missing, there is none and it was not to be made. *status: what was opened. */
int keel_memory_file_open(const char *path, bool locked, bool *missing, struct stat *status,
                          char *reason);

/* All of the file and a 0, to be freed, at most `most` bytes. NULL: a failure. */
char *keel_memory_file_read(int file, size_t most, size_t *length, char *reason);

/* Puts `text` in the place of the file, which keeps its owner and rights. Others see the old or the
 * new contents, also after a crash. */
bool keel_memory_file_replace(const char *path, const struct stat *status, const char *text,
                              size_t length, char *reason);

/* Whether a file could be made in the place of `path`. */
bool keel_memory_file_may_be_made(const char *path, char *reason);

void keel_memory_file_close(int file);

#endif
