/* What the dynamic linker has loaded, by the objects' own tables. dlopen() and dlsym() would tell
 * as well, but each leaves something on the program's heap, and so moves what libgomp allocates. */
#ifndef OMP_EXT_GOMP_LINK_MAP_H
#define OMP_EXT_GOMP_LINK_MAP_H

#include <stdbool.h>

struct link_map;

/* Whether the object itself defines the symbol. It stays loaded meanwhile, as it does if the
 * caller's code lies in it. Any thread, also before constructors have run. */
bool keel_link_map_defines(const struct link_map *object, const char *symbol);

/* Whether it was linked with a library whose name begins so. Likewise. */
bool keel_link_map_needs(const struct link_map *object, const char *library);

/* Of those loaded beside `object`, the first one that defines the symbol; NULL: none does. Any
 * thread; does not wait for a thread that loads or unloads a library. */
const struct link_map *keel_link_map_first(const struct link_map *object, const char *symbol);

/* Of those loaded beside `object`, the one that the dynamic linker takes for the library; NULL:
 * none. Likewise. */
const struct link_map *keel_link_map_named(const struct link_map *object, const char *library);

/* Of `object`, what it needs, what that needs and so on, in the order in which the dynamic linker
 * searches them, the first one that defines the symbol; NULL: none does. Likewise. */
const struct link_map *keel_link_map_reached(const struct link_map *object, const char *symbol);

/* Whether `one` was loaded before `other`, or is the same. Likewise. */
bool keel_link_map_is_before(const struct link_map *one, const struct link_map *other);

#endif
