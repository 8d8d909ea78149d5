/* Memory for what is kept of places in the program, of Keel's own heap (own_heap.c): what is noted
 * of regions before their teams start would else move what libgomp allocates then, and so its cache
 * lines: loops of microseconds take some percent more or less for that. */
#ifndef OMP_EXT_SUPPORT_OWN_MEMORY_H
#define OMP_EXT_SUPPORT_OWN_MEMORY_H

#include <stdlib.h>
#include <string.h>

/* Zeroed, on cache lines of its own. NULL: there is none. */
static inline void *keel_own_memory(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

#endif
