/* Where an entry of the debug information (a DIE) stands in its compilation unit: the entries
 * around it. Used by self_modules.c for code, by function_names.c for declarations.
 *
 * libdw's dwarf_getscopes() does not find GCC's outlined functions: they are nested in the user's
 * function, which does not hold their addresses. And libdw follows sibling references in damaged
 * data without end; the walks here only go forward.
 */
#ifndef OMP_EXT_SOURCE_DIE_PATH_H
#define OMP_EXT_SOURCE_DIE_PATH_H

#include <elfutils/libdw.h>
#include <stdbool.h>

enum { KEEL_DIE_PATH_DEPTH = 64 };

/* dies[0] is the unit, dies[depth - 1] the entry itself. depth == 0: not found. */
struct keel_die_path {
    unsigned depth;
    Dwarf_Die dies[KEEL_DIE_PATH_DEPTH];
};

/* The innermost function, inlined function or block that holds `pc` (as counted in the DWARF). */
bool keel_die_path_to_code(Dwarf_Die unit, Dwarf_Addr pc, struct keel_die_path *path);

/* The entry itself, in the unit that holds it. */
bool keel_die_path_to_die(Dwarf_Die die, struct keel_die_path *path);

/* Whether the entry is a function, as a whole or inlined somewhere. */
bool keel_die_path_is_function(const Dwarf_Die *die);

/* Whether functions may stand below the entry. Their code need not be within its addresses. */
bool keel_die_may_hold_functions(const Dwarf_Die *die);

/* Steps through the entries below one. False at the end, and where a damaged reference leads
 * backwards; then `*die` is undefined. */
bool keel_die_first_child(const Dwarf_Die *parent, Dwarf_Die *child);
bool keel_die_next_sibling(Dwarf_Die *die);

#endif
