/* What a place in code is found to be, step by step.
 *
 *   address -> [own stack] -> modules of this process, unit, path to the code (source_lines.c)
 *   -> [names, header lines] -> struct keel_source */
#ifndef OMP_EXT_SOURCE_SOURCE_INSIDE_H
#define OMP_EXT_SOURCE_SOURCE_INSIDE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "omp_ext/source/source_lines.h"

/* --- where an entry of the debug information (a DIE) is in its compilation unit:
 * the entries around it ---
 *
 * libdw's dwarf_getscopes() does not find GCC's outlined functions: they are nested in the user's
 * function, which does not hold their addresses. And libdw follows sibling references in damaged
 * data without end; the walks here only go forward. */

enum { KEEL_DIE_PATH_DEPTH = 64 };

/* dies[0] is the unit, dies[depth - 1] the entry itself. depth == 0: not found. */
struct keel_die_path {
    unsigned depth;
    Dwarf_Die dies[KEEL_DIE_PATH_DEPTH];
};

/* The innermost function, inlined function or block that holds `pc` (as counted in the DWARF). */
bool keel_die_path_to_code(Dwarf_Die unit, Dwarf_Addr pc, struct keel_die_path *path);

/* Whether the entry is a function, as a whole or inlined somewhere. */
bool keel_die_path_is_function(const Dwarf_Die *die);

/* Whether functions may stand below the entry. Their code need not be within its addresses. */
bool keel_die_may_hold_functions(const Dwarf_Die *die);

/* Steps through the entries below one. False at the end, and where a damaged reference leads
 * backwards; then `*die` is undefined. */
bool keel_die_first_child(const Dwarf_Die *parent, Dwarf_Die *child);
bool keel_die_next_sibling(Dwarf_Die *die);

/* Where one code address lies. `pc` and everything from `module` are run-time addresses; an
 * address in DWARF or in a line table is a run-time address minus `bias`. */
struct keel_code_location {
    Dwarf_Addr pc;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    bool has_unit;
    Dwarf_Die unit;
    struct keel_die_path path; /* to the innermost scope; depth 0 without debug information */
    const char *file;          /* set where the call is left; NULL: as the line table says */
    unsigned line;             /* likewise */
};

/* --- function names as the compiler and the linker spell them, cut down to what a
 * person would write in a rule; pure text, in place --- */

/* Whether GCC made the function from the body of an OpenMP construct (`render._omp_fn.0`). */
bool keel_name_text_is_outlined(const char *name);

/* --- the functions around a place, by the names that a rule may use --- */

/* Adds the names around `place` to source->names, innermost first, each once, as many as fit. */
void keel_function_names_add(const struct keel_code_location *place, struct keel_source *source);

#endif
