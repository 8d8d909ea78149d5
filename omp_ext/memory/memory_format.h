/* The text of a memory file: JSON, one site per line.
 *
 *   {"format": "keel-memory", "version": 1, "run": 7, "sites": [
 *   {"module":...,"caller":...,...},
 *   ...
 *   ], "sum": "..."}
 *
 * `sum` is the FNV-1a hash, 64 bits in hexadecimal, of `run` and of the sites in their shortest
 * form, so that a file whose blanks were changed is still good and one whose numbers were is not.
 */
#ifndef OMP_EXT_MEMORY_MEMORY_FORMAT_H
#define OMP_EXT_MEMORY_MEMORY_FORMAT_H

#include "omp_ext/memory/memory_table.h"

#define KEEL_MEMORY_FORMAT "keel-memory"
#define KEEL_MEMORY_VERSION 1

/* Fills an empty table. False: the text is not a memory, `reason` (reason.h) says
 * why, and the table is empty. */
bool keel_memory_format_read(const char *text, size_t length, struct keel_memory_table *table,
                             char *reason);

/* The table's text, to be freed, without states that have a number that is none; NULL: memory is
 * short. */
char *keel_memory_format_write(const struct keel_memory_table *table, size_t *length);

#endif
