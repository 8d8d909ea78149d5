/* The text of a memory file: a site per line, numbers in hexadecimal.
 *
 *   keel-memory 2 RUN
 *   MODULE<tab>SCHEDULE<tab>CHOICE<tab> USED CALLER OUTLINED ...
 *   ...
 *   sum SUM
 *
 * Real numbers stand there by their bits. SUM is the digest of all before it: against damage, not
 * against people. */
#ifndef OMP_EXT_MEMORY_MEMORY_FORMAT_H
#define OMP_EXT_MEMORY_MEMORY_FORMAT_H

#include "omp_ext/memory/memory_table.h"

#define KEEL_MEMORY_VERSION 2 /* 1 was JSON */

/* Whether Keel has written the beginning of the text, in any version. */
bool keel_memory_format_begins(const char *text);

/* Fills an empty table. The text has a 0 behind its `length` bytes, and is changed. False: it is
 * not a memory, `reason` (memory_file.h) says why, and the table is empty. */
bool keel_memory_format_read(char *text, size_t length, struct keel_memory_table *table,
                             char *reason);

/* The table's text, to be freed, without states that have a number that is none; NULL: memory is
 * short. */
char *keel_memory_format_write(const struct keel_memory_table *table, size_t *length);

#endif
