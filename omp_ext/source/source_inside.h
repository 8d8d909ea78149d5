/* The steps from a code address to its source.
 *
 *   address -> [own stack] -> modules of this process, unit, path to the code (source_lines.c)
 *   -> [names, header lines] -> struct keel_source */
#ifndef OMP_EXT_SOURCE_SOURCE_INSIDE_H
#define OMP_EXT_SOURCE_SOURCE_INSIDE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "omp_ext/source/source_lines.h"

/* --- the path to an entry of the debug information (a DIE): its compilation unit, and the
 * entries around it ---
 *
 * libdw's dwarf_getscopes() does not find GCC's outlined functions: they are nested in the user's
 * function, which does not contain their addresses. And libdw may follow sibling references in
 * damaged data for ever; the searches here only go forward. */

enum { KEEL_DIE_PATH_DEPTH = 64 };

/* dies[0] is the unit, dies[depth - 1] the entry itself. depth == 0: not found. */
struct keel_die_path {
    unsigned depth;
    Dwarf_Die dies[KEEL_DIE_PATH_DEPTH];
};

/* The innermost function, inlined function or block that contains `pc` (a DWARF address). */
bool keel_die_path_to_code(Dwarf_Die unit, Dwarf_Addr pc, struct keel_die_path *path);

/* Whether the entry is a function, as a whole or inlined somewhere. */
bool keel_die_path_is_function(const Dwarf_Die *die);

/* Whether functions may be below the entry. Their code need not be within its addresses. */
bool keel_die_may_hold_functions(const Dwarf_Die *die);

/* Step through the entries below one. Return false at the end, and if a damaged reference leads
 * backwards; then `*die` is undefined. */
bool keel_die_first_child(const Dwarf_Die *parent, Dwarf_Die *child);
bool keel_die_next_sibling(Dwarf_Die *die);

/* A code address. `pc` and addresses from `module` are run-time addresses; an address in DWARF or
 * in a line table is a run-time address minus `bias`. */
struct keel_code_location {
    Dwarf_Addr pc;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    bool has_unit;
    Dwarf_Die unit;
    struct keel_die_path path; /* to the innermost scope; depth 0 without debug information */
    const char *file;          /* set if an inlined call was left; NULL: use the line table */
    unsigned line;             /* as `file`; 0: use the line table */
};

/* --- function names of compiler and linker, reduced to those that a user writes in a
 * rule; pure text, in place --- */

/* Whether GCC made the function from the body of an OpenMP construct (`render._omp_fn.0`). */
bool keel_name_text_is_outlined(const char *name);

/* --- names of the functions around a place, as rules may use them --- */

/* Adds the names around `place` to source->names, innermost first, each once, as many as fit. */
void keel_function_names_add(const struct keel_code_location *place, struct keel_source *source);

#endif
