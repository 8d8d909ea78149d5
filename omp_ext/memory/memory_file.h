/* A file that several processes read and replace: opened with care, locked, replaced at once.
 *
 * Knows nothing of what is in it. Functions that fail say why in `reason`: words to be put behind
 * the name of the file. */
#ifndef OMP_EXT_MEMORY_MEMORY_FILE_H
#define OMP_EXT_MEMORY_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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
 * missing, and nobody else has it locked until keel_memory_file_close(). -1: a failure, or, if
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
