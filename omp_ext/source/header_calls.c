/* Leaves functions that were inlined into the header of a loop. See header_calls.h.
 *
 * An inlined function has a loop of its own only if it declares a variable, which the loop counts
 * with. The C++ library's do so now and then, and have no loops of OpenMP to be inlined. */
#include "omp_ext/source/header_calls.h"

#include <dwarf.h>
#include <string.h>

#define BLOCKS_DEEP 16 /* that are looked into; deeper ones are taken to have a variable */

static bool has_variable(const Dwarf_Die *scope, int deep)
{
    Dwarf_Die die;
    bool found = deep == 0;

    for (bool more = keel_die_first_child(scope, &die); more && !found;
         more = keel_die_next_sibling(&die)) {
        int tag = dwarf_tag(&die);
        found =
            tag == DW_TAG_variable || (tag == DW_TAG_lexical_block && has_variable(&die, deep - 1));
    }
    return found;
}

static bool is_in_library(Dwarf_Die *function)
{
    const char *file = dwarf_decl_file(function);

    return file != NULL && strstr(file, "/include/c++/") != NULL;
}

/* Code that was inlined lacks variables that the optimiser has removed: its origin has them. */
static bool may_have_loop(Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    if (dwarf_attr(inlined, DW_AT_abstract_origin, &attribute) == NULL ||
        dwarf_formref_die(&attribute, &origin) == NULL) {
        return true;
    }
    return has_variable(&origin, BLOCKS_DEEP) && !is_in_library(&origin);
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
    Dwarf_Attribute attribute;

    return dwarf_attr(die, name, &attribute) != NULL && dwarf_formudata(&attribute, value) == 0;
}

/* False where the caller's line is not known. */
static bool step_out(struct keel_code_location *place, Dwarf_Die *inlined)
{
    Dwarf_Die unit = place->path.dies[0];
    Dwarf_Files *files;
    size_t count;
    Dwarf_Word file, line;

    if (!number_of(inlined, DW_AT_call_file, &file) ||
        !number_of(inlined, DW_AT_call_line, &line) || line == 0 ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count) {
        return false;
    }
    place->file = dwarf_filesrc(files, file, NULL, NULL);
    place->line = (unsigned)line;
    return place->file != NULL;
}

void keel_header_calls_leave(struct keel_code_location *place)
{
    for (unsigned i = place->path.depth; i > 1; i--) {
        Dwarf_Die die = place->path.dies[i - 1];

        if (!keel_die_path_is_function(&die)) {
            continue; /* a block within a function */
        }
        if (dwarf_tag(&die) != DW_TAG_inlined_subroutine || may_have_loop(&die) ||
            !step_out(place, &die)) {
            return;
        }
        place->path.depth = i - 1;
    }
}
