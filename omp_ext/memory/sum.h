/* The sum that shows whether a memory file is as it was written: FNV-1a, 64 bits. Against damage,
 * not against people. */
#ifndef OMP_EXT_MEMORY_SUM_H
#define OMP_EXT_MEMORY_SUM_H

#include <stdint.h>

#define KEEL_MEMORY_SUM_TEXT_MAX 17

/* Of a file that has no sites yet. */
uint64_t keel_memory_sum_begin(uint64_t run);

/* With one more site, in its shortest form. */
uint64_t keel_memory_sum_add(uint64_t sum, const char *site);

/* As it stands in the file; KEEL_MEMORY_SUM_TEXT_MAX bytes. */
void keel_memory_sum_write(uint64_t sum, char *text);

#endif
