/* Which file of the program an address belongs to, known again in every run of it. */
#ifndef OMP_EXT_MACHINE_MODULE_H
#define OMP_EXT_MACHINE_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_MODULE_NAME_MAX 256 /* terminator included */

struct keel_module {
    /* Its build id in hexadecimal digits; without one, its file's name without folders, and the
     * number of bytes that are mapped: "mandel:20480". */
    char name[KEEL_MODULE_NAME_MAX];
    uintptr_t base; /* what addresses in it are counted from */
    uintptr_t end;  /* of what is mapped around the address that it was found by */
};

/* Finds the module that `address` lies in. False: in none. Any thread. */
bool keel_module_of(const void *address, struct keel_module *module);

/* Its file's name without folders, cut to `size` bytes, and its base. Unlike dladdr(), it
 * does not wait for a thread that loads or unloads a library. */
bool keel_module_file(const void *address, char *file, size_t size, uintptr_t *base);

/* The path by which it can be opened, cut to `size` bytes. */
bool keel_module_path(const void *address, char *path, size_t size, uintptr_t *base);

/* --- libraries that the program unloads ---
 *
 * Another one may come to their addresses.
 *
 *   dlclose() of the program (entry/load.c) -> count -> sites are looked up again */

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
