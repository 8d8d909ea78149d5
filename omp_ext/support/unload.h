/* Libraries that the program unloads: another one may come to their addresses.
 *
 *   dlclose() of the program -> [names still wanted] -> the C library's -> keel_unload_count
 */
#ifndef OMP_EXT_SUPPORT_UNLOAD_H
#define OMP_EXT_SUPPORT_UNLOAD_H

#include <stdatomic.h>

extern _Atomic unsigned keel_unload_count;

/* Goes up whenever a library may have been unloaded. Any thread. */
static inline unsigned keel_unload_count_now(void)
{
    /* relaxed: who runs code of a library that has come after another one, has seen the dynamic
     * linker's locks, and so what was written before that */
    return atomic_load_explicit(&keel_unload_count, memory_order_relaxed);
}

#endif
