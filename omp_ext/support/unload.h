/* Libraries that the program unloads: another one may come to their addresses.
 *
 *   dlclose() of the program -> [names that are still wanted] -> the C library's -> keel_unloadings
 */
#ifndef OMP_EXT_SUPPORT_UNLOAD_H
#define OMP_EXT_SUPPORT_UNLOAD_H

#include <stdatomic.h>

extern _Atomic unsigned keel_unloadings;

/* Goes up whenever a library may have been unloaded. Any thread. */
static inline unsigned keel_unloadings_now(void)
{
    /* relaxed: who runs code of a library that has come after another one, has seen the dynamic
     * linker's locks, and so what was written before that */
    return atomic_load_explicit(&keel_unloadings, memory_order_relaxed);
}

#endif
