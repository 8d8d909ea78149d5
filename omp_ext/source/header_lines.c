/* The lines of a loop's header. See source_inside.h; source_lines.h says why one line is not
 * enough.
 *
 * Everything is counted in lines of one file, over rows of one unit's table. "Own" rows are those
 * of the innermost function around the call, inlined or not:
 *
 *     for         the first line from the call's on where a block declares a variable, unless own
 *                 code lies before it. Code that is not optimised follows its call: there only
 *                 blocks around the next code count, whatever lies before. Unknown in Fortran,
 *                 and where C declares the variable elsewhere.
 *     line        the call's; the `for` line, if the call has the line of an earlier loop (an -O0
 *                 call with constant bounds has the line of the code before it); the entry row's,
 *                 if the function is outlined and no own row lies between
 *     first_line  `line`, if it is the entry row's: GCC gives that the first line of a directive in
 *                 C, the last one in Fortran. There, unless an outer loop's `do` may be above, and
 *                 for all other loops: one more than the nearest line above `line` that has code or
 *                 the `for` of another loop. Own code after the call does not count (a reduction
 *                 ends in code on the directive's line).
 *     last_line   the `for` line; if it is unknown, the nearest line below the call's that has own
 *                 code, or one less if a parallel region inside this loop starts there, as that
 *                 line names the inner loop
 */
#include "omp_ext/source/source_inside.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

/* --- functions inlined into the header ---
 *
 * One has a loop of its own only if it declares a variable, which the loop counts with. The C++
 * library's do so now and then, and have no loops of OpenMP to be inlined. */

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

/* dwarf_decl_file() does the same, but aborts the process where a unit's files cannot be read, as
 * for some split debug information. */
static const char *declaring_file(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index) != 0 ||
        dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count) {
        return NULL;
    }
    return dwarf_filesrc(files, index, NULL, NULL);
}

static bool is_in_library(Dwarf_Die *function)
{
    const char *file = declaring_file(function);

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

/* --- lines of declarations ---
 *
 * `for (int i = 0; ...)` makes a block of its own, with `i` in it, around the loop's body. */

struct search {
    const char *file;
    bool inner_functions;
    Dwarf_Addr held;       /* 0: any block */
    unsigned least, below; /* the line is from `least` to below - 1 */
    unsigned first, last;  /* found so far; 0: none */
};

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

/* Among the variables that `function` declares inside blocks in `file`: the least line from `least`
 * on; 0 if there is none. With `held` not 0, only of blocks that hold the code address `held`. */
static unsigned next_declaration(const Dwarf_Die *function, const char *file, unsigned least,
                                 Dwarf_Addr held)
{
    struct search search = {.file = file, .held = held, .least = least, .below = UINT_MAX};
    Dwarf_Die scope = *function;

    look_in_scope(&scope, 0, &search);
    return search.first;
}

/* Among all such variables in the functions of `unit`: the greatest line below `below`, or 0. */
static unsigned previous_declaration(const Dwarf_Die *unit, const char *file, unsigned below)
{
    struct search search = {.file = file, .inner_functions = true, .below = below};
    Dwarf_Die scope = *unit;

    look_in_scope(&scope, 0, &search);
    return search.last;
}

/* --- the line table --- */

/* The line table of one unit, and what is looked for in it. Addresses without bias. */
struct line_view {
    const struct keel_code_location *place;
    Dwarf_Lines *rows;
    size_t row_count;
    Dwarf_Addr call;
    const char *file; /* as dwarf_linesrc() gives it */
    bool has_function;
    Dwarf_Die function; /* whose rows are own */
};

struct row {
    Dwarf_Addr address;
    unsigned line;
    bool has_code; /* else the optimiser left only a mark that a statement began here */
};

/* Rows of another file, without a line, or damaged are no rows. */
static bool row_at(const struct line_view *view, size_t index, struct row *row)
{
    Dwarf_Line *entry = dwarf_onesrcline(view->rows, index);
    const char *file = dwarf_linesrc(entry, NULL, NULL);
    bool end = false;
    Dwarf_Addr next;
    int line;

    if (file == NULL || (file != view->file && strcmp(file, view->file) != 0) ||
        dwarf_lineendsequence(entry, &end) != 0 || end || dwarf_lineno(entry, &line) != 0 ||
        line <= 0 || dwarf_lineaddr(entry, &row->address) != 0) {
        return false;
    }
    row->line = (unsigned)line;
    row->has_code = index + 1 == view->row_count ||
                    dwarf_lineaddr(dwarf_onesrcline(view->rows, index + 1), &next) != 0 ||
                    next != row->address;
    return true;
}

static bool is_own(const struct line_view *view, const struct row *row)
{
    Dwarf_Die function = view->function;

    return view->has_function && dwarf_haspc(&function, row->address) > 0;
}

static void find_function(struct line_view *view)
{
    const struct keel_die_path *path = &view->place->path;

    for (unsigned i = path->depth; i > 0 && !view->has_function; i--) {
        view->function = path->dies[i - 1];
        view->has_function = keel_die_path_is_function(&view->function);
    }
}

/* The line of the first row at the function's entry; 0 if the function is not outlined. Later rows
 * at the same address belong to statements that the optimiser moved there. */
static unsigned entry_line(const struct line_view *view)
{
    Dwarf_Die function = view->function;
    const char *name = view->has_function ? dwarf_diename(&function) : NULL;
    Dwarf_Addr entry;
    struct row row;

    if (name == NULL || !keel_name_text_is_outlined(name) ||
        dwarf_entrypc(&function, &entry) != 0) {
        return 0;
    }
    for (size_t i = 0; i < view->row_count; i++) {
        bool begins = false; /* not where what stands before the function ends */
        if (row_at(view, i, &row) && row.address == entry &&
            dwarf_linebeginstatement(dwarf_onesrcline(view->rows, i), &begins) == 0 && begins) {
            return row.line;
        }
    }
    return 0;
}

/* The nearest own line below `line`, or UINT_MAX. */
static unsigned next_own_line(const struct line_view *view, unsigned line)
{
    unsigned next = UINT_MAX;
    struct row row;

    for (size_t i = 0; i < view->row_count; i++) {
        if (row_at(view, i, &row) && row.line > line && row.line < next && row.has_code &&
            is_own(view, &row)) {
            next = row.line;
        }
    }
    return next;
}

/* Where the first own row after the call begins, or 0. */
static Dwarf_Addr row_after_call(const struct line_view *view)
{
    struct row row;

    for (size_t i = 0; i < view->row_count; i++) {
        if (row_at(view, i, &row) && row.address > view->call && row.has_code &&
            is_own(view, &row)) {
            return row.address;
        }
    }
    return 0;
}

static bool is_optimised(const struct line_view *view)
{
    Dwarf_Die function = view->function;

    return dwarf_hasattr(&function, DW_AT_call_all_calls) ||
           dwarf_hasattr(&function, DW_AT_GNU_all_call_sites) ||
           dwarf_tag(&function) == DW_TAG_inlined_subroutine;
}

static unsigned declared_line(const struct line_view *view, unsigned least, Dwarf_Addr held)
{
    return view->has_function ? next_declaration(&view->function, view->file, least, held) : 0;
}

/* The code of the loop, where it is known to follow the call; else 0. */
static Dwarf_Addr loop_code(const struct line_view *view)
{
    return view->has_function && !is_optimised(view) ? row_after_call(view) : 0;
}

/* The line of the `for`, or 0. */
static unsigned for_line(const struct line_view *view, unsigned call_line)
{
    Dwarf_Addr code = loop_code(view);
    unsigned line = code == 0 ? 0 : declared_line(view, call_line + 1, code);

    if (line == 0) {
        line = declared_line(view, call_line, 0);
        if (line > next_own_line(view, call_line)) {
            line = 0;
        }
    }
    return line;
}

/* Whether the call has the line of an earlier loop: from there on, a `for` comes first that is not
 * around the code of this one. */
static bool is_other_loop(const struct line_view *view, unsigned call_line, unsigned for_line)
{
    Dwarf_Addr code = loop_code(view);
    unsigned declared = declared_line(view, call_line, 0);

    return code != 0 && declared != 0 && declared < for_line &&
           declared_line(view, call_line, code) != declared;
}

/* `for_line` is 0 if it is not known. */
static unsigned header_line(const struct line_view *view, unsigned call_line, unsigned for_line)
{
    unsigned entry = entry_line(view);
    unsigned line = is_other_loop(view, call_line, for_line) ? for_line : call_line;

    return entry != 0 && entry < line && next_own_line(view, entry) >= line ? entry : line;
}

static unsigned max_line(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned line_above(const struct line_view *view, unsigned line)
{
    Dwarf_Die unit = view->place->path.dies[0];
    unsigned above = view->has_function ? previous_declaration(&unit, view->file, line) : 0;
    struct row row;

    for (size_t i = 0; i < view->row_count; i++) {
        if (row_at(view, i, &row) && row.line < line && row.line > above &&
            (!is_own(view, &row) || (row.has_code && row.address <= view->call))) {
            above = row.line;
        }
    }
    return above;
}

static bool is_fortran(const struct line_view *view)
{
    Dwarf_Die unit = view->place->unit;
    int language = dwarf_srclang(&unit);

    return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
           language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
           language == DW_LANG_Fortran08;
}

/* Whether the loop opens a parallel region inside another one. */
static bool is_nested(const struct line_view *view)
{
    int outlined = 0;

    for (unsigned i = 0; i < view->place->path.depth; i++) {
        Dwarf_Die die = view->place->path.dies[i];
        const char *name = keel_die_path_is_function(&die) ? dwarf_diename(&die) : NULL;

        outlined += name != NULL && keel_name_text_is_outlined(name);
    }
    return outlined > 1;
}

/* The entry row names a directive's first line in C, its last one in Fortran. */
static unsigned first_line(const struct line_view *view, unsigned line)
{
    if (line == entry_line(view) && (!is_fortran(view) || is_nested(view))) {
        return line;
    }
    return line_above(view, line) + 1;
}

/* The first line after `line`, up to `last`, with which another outlined function starts;
 * 0 if there is none. */
static unsigned region_line(const struct line_view *view, unsigned line, unsigned last)
{
    unsigned found = 0;
    struct row row;

    for (size_t i = 0; i < view->row_count; i++) {
        GElf_Off offset;
        GElf_Sym symbol;
        const char *name;

        if (!row_at(view, i, &row) || row.line <= line || row.line > last ||
            (found != 0 && row.line >= found) || is_own(view, &row)) {
            continue;
        }
        name = dwfl_module_addrinfo(view->place->module, row.address + view->place->bias, &offset,
                                    &symbol, NULL, NULL, NULL);
        if (name != NULL && offset == 0 && keel_name_text_is_outlined(name)) {
            found = row.line;
        }
    }
    return found;
}

static unsigned last_line(const struct line_view *view, unsigned line, unsigned call_line)
{
    unsigned next = next_own_line(view, max_line(line, call_line));
    unsigned last = next != UINT_MAX ? next : max_line(line, call_line);
    unsigned region = region_line(view, line, last);

    return region != 0 ? region - 1 : last;
}

/* Copy `path` and drop its "." and ".." steps and double slashes, so that the end of it can be
 * compared. Symbolic links are not looked at. A path that does not fit keeps its end. */
static void set_file(struct keel_source *source, const char *path)
{
    size_t length = strlen(path);
    char *out = source->file;

    if (length >= sizeof source->file) {
        path += length - sizeof source->file + 1;
        path = strchr(path, '/') != NULL ? strchr(path, '/') : path;
    }
    while (*path != '\0') {
        size_t step = strcspn(path, "/");

        if (step == 2 && memcmp(path, "..", 2) == 0 && out > source->file + 1) {
            /* `out` stands after a slash: go back to after the one before it. */
            for (out--; out > source->file && out[-1] != '/'; out--) {
            }
        } else if (step > 0 && !(step == 1 && *path == '.')) {
            memcpy(out, path, step);
            out += step;
            if (path[step] == '/') {
                *out++ = '/';
            }
        } else if (step == 0 && out == source->file) {
            *out++ = '/';
        }
        path += step + (path[step] == '/');
    }
    *out = '\0';
}

/* Sets view->file, too. */
static bool find_call_line(struct line_view *view, int *line)
{
    Dwarf_Die unit = view->place->unit;
    Dwarf_Line *row = dwarf_getsrc_die(&unit, view->call);

    if (view->place->file != NULL) {
        view->file = view->place->file;
        *line = (int)view->place->line;
        return true;
    }
    view->file = dwarf_linesrc(row, NULL, NULL);
    return view->file != NULL && dwarf_lineno(row, line) == 0 && *line > 0;
}

bool keel_header_lines_find(const struct keel_code_location *place, struct keel_source *source)
{
    struct line_view view = {.place = place, .call = place->pc - place->bias};
    Dwarf_Die unit = place->unit;
    int call_line;
    unsigned for_at;

    if (!place->has_unit || dwarf_getsrclines(&unit, &view.rows, &view.row_count) != 0) {
        return false;
    }
    if (!find_call_line(&view, &call_line)) {
        return false;
    }
    find_function(&view);
    set_file(source, view.file);
    for_at = for_line(&view, (unsigned)call_line);
    source->line = header_line(&view, (unsigned)call_line, for_at);
    source->first_line = first_line(&view, source->line);
    source->last_line = for_at != 0 ? for_at : last_line(&view, source->line, (unsigned)call_line);
    return true;
}
