/* Memory that is never given back to the system, outside of the program's heap.
 *
 * What is noted of regions before their teams start would else move what libgomp allocates then,
 * and so its cache lines: loops of microseconds take some percent more or less for that. */
#ifndef OMP_EXT_SUPPORT_OWN_MEMORY_H
#define OMP_EXT_SUPPORT_OWN_MEMORY_H

#include <stddef.h>

/* Zeroed, on cache lines of its own. NULL: there is none. Call with keel_slow_lock held. */
void *keel_own_memory(size_t bytes);

/* Takes back what keel_own_memory(bytes) has returned, if that was the last time; else, or if it
 * was NULL, does nothing. Likewise. */
void keel_own_memory_take_back(void *memory, size_t bytes);

#endif
