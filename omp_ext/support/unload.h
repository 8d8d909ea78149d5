/* Libraries that the program unloads: another one may come to their addresses.
 *
 *   dlclose() of the program (entry/dlclose.c) -> count -> sites are looked up again
 */
#ifndef OMP_EXT_SUPPORT_UNLOAD_H
#define OMP_EXT_SUPPORT_UNLOAD_H

#include <stdatomic.h>

extern _Atomic unsigned keel_unload_count;

/* Counts, once before and once after a library goes: sites that are verified meanwhile are so for
 * the library that goes. Any thread. */
static inline void keel_unload_note(void)
{
    atomic_fetch_add_explicit(&keel_unload_count, 1, memory_order_relaxed);
}

/* Goes up whenever a library may have been unloaded. Any thread. */
static inline unsigned keel_unload_count_now(void)
{
    /* relaxed: a thread that runs code of a library that was loaded in place of another one has
     * taken the dynamic linker's locks since, and so sees what was written before that */
    return atomic_load_explicit(&keel_unload_count, memory_order_relaxed);
}

#endif
