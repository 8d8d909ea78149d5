/* Lines of declarations inside a function's blocks. See for_line.h.
 *
 * `for (int i = 0; ...)` makes a block of its own, with `i` in it, around the loop's body.
 */
#include "omp_ext/source/for_line.h"

#include <dwarf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "omp_ext/source/die_path.h"

struct search {
    const char *file;
    bool inner_functions;
    Dwarf_Addr held;       /* 0: any block */
    unsigned least, below; /* the line is from `least` to below - 1 */
    unsigned first, last;  /* found so far; 0: none */
};

/* dwarf_decl_file() does the same, but aborts the process where a unit's files cannot be read, as
 * for some split debug information. */
static const char *declaring_file(Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr_integrate(variable, DW_AT_decl_file, &attribute), &index) != 0 ||
        dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count) {
        return NULL;
    }
    return dwarf_filesrc(files, index, NULL, NULL);
}

static void look_at_variable(Dwarf_Die *variable, struct search *search)
{
    const char *file = declaring_file(variable);
    int line;

    if (file == NULL || strcmp(file, search->file) != 0 || dwarf_decl_line(variable, &line) != 0 ||
        line <= 0 || (unsigned)line < search->least || (unsigned)line >= search->below) {
        return;
    }
    if (search->first == 0 || (unsigned)line < search->first) {
        search->first = (unsigned)line;
    }
    if ((unsigned)line > search->last) {
        search->last = (unsigned)line;
    }
}

static void look_in_scope(Dwarf_Die *scope, unsigned depth, struct search *search)
{
    bool wanted = dwarf_tag(scope) == DW_TAG_lexical_block &&
                  (search->held == 0 || dwarf_haspc(scope, search->held) > 0);
    Dwarf_Die die;

    if (depth == KEEL_DIE_PATH_DEPTH) {
        return;
    }
    for (bool more = keel_die_first_child(scope, &die); more; more = keel_die_next_sibling(&die)) {
        if (dwarf_tag(&die) == DW_TAG_variable && wanted) {
            look_at_variable(&die, search);
        } else if (dwarf_tag(&die) == DW_TAG_lexical_block ||
                   (search->inner_functions && keel_die_may_hold_functions(&die))) {
            look_in_scope(&die, depth + 1, search);
        }
    }
}

unsigned keel_for_line_next(const Dwarf_Die *function, const char *file, unsigned least,
                            Dwarf_Addr held)
{
    struct search search = {.file = file, .held = held, .least = least, .below = UINT_MAX};
    Dwarf_Die scope = *function;

    look_in_scope(&scope, 0, &search);
    return search.first;
}

unsigned keel_for_line_previous(const Dwarf_Die *unit, const char *file, unsigned below)
{
    struct search search = {.file = file, .inner_functions = true, .below = below};
    Dwarf_Die scope = *unit;

    look_in_scope(&scope, 0, &search);
    return search.last;
}
