/* Loop site -> source, in one visit to the debug information. See source_lines.h.
 *
 * libdwfl's standard callbacks end in a query to the servers of DEBUGINFOD_URLS. A program must not
 * use the network because of a loop's line, so both callbacks are Keel's own. They search where
 * libdwfl and gdb do: the file itself, /usr/lib/debug/.build-id, and for a .gnu_debuglink the
 * file's directory, its .debug/, and the same path below /usr/lib/debug.
 */
#define _GNU_SOURCE
#include "omp_ext/source/source_inside.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/own_stack.h"

/* --- the modules of this process, and their debug information in the usual places on disk --- */

static int open_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The name of a module is its path in /proc/self/maps, which is marked if the file was deleted or
 * replaced; the program itself can be opened even then. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *path, Dwarf_Addr base,
                    char **file_name, Elf **elf)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    (void)module, (void)userdata, (void)base, (void)elf;
    if (path[0] != '/') {
        return -1;
    }
    *file_name = strdup(path);
    if (length > 0) {
        program[length] = '\0';
        if (strcmp(path, program) == 0) {
            return open_read("/proc/self/exe");
        }
    }
    return open_read(path);
}

/* The check sum of .gnu_debuglink: CRC-32 of the whole file, reflected, polynomial 0x04c11db7. */
static uint32_t crc32_update(uint32_t crc, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return crc;
}

static bool has_crc(int fd, uint32_t expected)
{
    unsigned char buffer[4096];
    uint32_t crc = ~0u;
    off_t offset = 0;
    ssize_t count;

    while ((count = pread(fd, buffer, sizeof buffer, offset)) > 0) {
        crc = crc32_update(crc, buffer, (size_t)count);
        offset += count;
    }
    return count == 0 && ~crc == expected;
}

static int open_debuglink(const char *before, const char *file, const char *between,
                          const char *link, uint32_t crc, char **found)
{
    int directory = (int)(strrchr(file, '/') - file);
    char *path;
    int fd;

    if (asprintf(&path, "%s%.*s%s/%s", before, directory, file, between, link) < 0) {
        return -1;
    }
    fd = open_read(path);
    if (fd >= 0 && has_crc(fd, crc)) {
        *found = path;
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    return -1;
}

/* A .gnu_debuglink contains a check sum; a name without one (dwz's shared part) is found by build
 * ID alone. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **found)
{
    static const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};
    int fd = dwfl_build_id_find_debuginfo(module, userdata, name, base, file, link, crc, found);

    if (fd >= 0 || file == NULL || file[0] != '/' || link == NULL || crc == 0) {
        return fd;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && fd < 0; i++) {
        fd = open_debuglink(places[i][0], file, places[i][1], link, crc, found);
    }
    return fd;
}

/* Returns all modules that are mapped now, including those just loaded by dlopen(); NULL if they
 * cannot be read. libdwfl opens the files on demand. */
static Dwfl *open_modules(void)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = find_elf,
        .find_debuginfo = find_debuginfo,
    };
    Dwfl *modules = dwfl_begin(&callbacks);
    FILE *maps = fopen("/proc/self/maps", "re");
    bool read = false;

    if (modules != NULL && maps != NULL) {
        dwfl_report_begin(modules);
        read = dwfl_linux_proc_maps_report(modules, maps) == 0;
        read = dwfl_report_end(modules, NULL, NULL) == 0 && read;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    if (!read) {
        dwfl_end(modules);
        return NULL;
    }
    return modules;
}

/* .debug_aranges gives the unit at once, but not every compiler writes it. */
static bool find_unit(struct keel_code_location *place)
{
    Dwarf_Die *unit = dwfl_module_addrdie(place->module, place->pc, &place->bias);

    if (unit == NULL) {
        while ((unit = dwfl_module_nextcu(place->module, unit, &place->bias)) != NULL &&
               dwarf_haspc(unit, place->pc - place->bias) <= 0) {
        }
    }
    if (unit == NULL) {
        return false;
    }
    place->unit = *unit;
    return true;
}

/* Finds the module of `pc`, and the unit and scope if there is debug information. Returns false if
 * no file of this process contains the address. */
static bool find_place(Dwfl *modules, Dwarf_Addr pc, struct keel_code_location *place)
{
    GElf_Addr elf_bias;

    place->pc = pc;
    place->bias = 0;
    place->module = dwfl_addrmodule(modules, pc);
    if (place->module == NULL || dwfl_module_getelf(place->module, &elf_bias) == NULL) {
        return false;
    }
    place->path.depth = 0;
    place->file = NULL;
    place->line = 0;
    place->has_unit = find_unit(place);
    if (place->has_unit) {
        keel_die_path_to_code(place->unit, pc - place->bias, &place->path);
    }
    return true;
}

/* --- the lines of a loop's header ---
 *
 * All lines are of one file, and all rows of one unit's table. "Own" rows are those of the
 * innermost function around the call, inlined or not:
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

/* --- functions inlined into the header ---
 *
 * Such a function may have a loop of its own only if it declares a variable, the loop's. Functions
 * of the C++ library may declare some, but have no OpenMP loops. */

#define BLOCKS_DEEP 16 /* searched levels; deeper ones are assumed to have a variable */

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

/* As dwarf_decl_file(), which aborts the process if a unit's files cannot be read, as for some
 * split debug information. */
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

/* Inlined code lacks the variables that the optimiser has removed; its origin has them. */
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

/* Sets file and line of the inlined call. Returns false if they are not known. */
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

/* In `i < v.size()`, GCC may attribute the call of libgomp to the inlined size(). Steps out of such
 * functions: cuts place->path to the function that has the loop, and sets place->file and
 * place->line to its call of them. Otherwise it changes nothing. */
static void leave_header_calls(struct keel_code_location *place)
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
 * `for (int i = 0; ...)` makes a block with `i` in it around the loop's body. */

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

/* The first row at an address that begins a statement and does not end a sequence; later rows there
 * belong to statements that the optimiser moved. in: the file of the row; NULL: any. */
static bool find_first_row(Dwarf_Lines *rows, size_t count, Dwarf_Addr wanted, const char *in,
                           const char **file, unsigned *line)
{
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr address;
        bool end, begins;
        int number;
        if (dwarf_lineaddr(row, &address) == 0 && address == wanted &&
            dwarf_lineendsequence(row, &end) == 0 && !end &&
            dwarf_linebeginstatement(row, &begins) == 0 && begins &&
            dwarf_lineno(row, &number) == 0 && number > 0 &&
            (*file = dwarf_linesrc(row, NULL, NULL)) != NULL &&
            (in == NULL || strcmp(in, *file) == 0)) {
            *line = (unsigned)number;
            return true;
        }
    }
    return false;
}

/* The line table of one unit, and the call that is searched in it. Addresses without bias. */
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
    bool has_code; /* false: only the mark of a statement that the optimiser moved */
};

/* Returns false for rows of another file, without a line, or damaged. */
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

/* The line of the first row at the function's entry; 0 if the function is not outlined. */
static unsigned entry_line(const struct line_view *view)
{
    Dwarf_Die function = view->function;
    const char *name = view->has_function ? dwarf_diename(&function) : NULL;
    Dwarf_Addr entry;
    const char *file;
    unsigned line;

    return name != NULL && keel_name_text_is_outlined(name) &&
                   dwarf_entrypc(&function, &entry) == 0 &&
                   find_first_row(view->rows, view->row_count, entry, view->file, &file, &line)
               ? line
               : 0;
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

/* The address of the first own row after the call, or 0. */
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

/* The code of the loop if it is known to follow the call, or 0. */
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

/* Whether the call has the line of an earlier loop: the first `for` from that line on is not around
 * the code of this loop. */
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

/* Copies `path` without its "." and ".." steps and double slashes, so that its end can be compared.
 * Symbolic links are not resolved. If the path does not fit, its end is kept. */
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
            /* `out` is after a slash: go back to after the one before it. */
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

/* Also sets view->file. */
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

/* Fills file, line, first_line and last_line for the loop that starts at `place`: at the call that
 * starts it or, for a combined loop, at the entry of its outlined function. Returns false if the
 * line table does not contain the address. */
static bool find_header_lines(const struct keel_code_location *place, struct keel_source *source)
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

/* --- the loop --- */

/* Assigns `place`, the entry of an outlined function, to that function: code of another one may
 * have been inlined or moved to its first byte. The first row there that begins a statement is the
 * directive's; a row of the previous function may end there. */
static void keep_to_entry(struct keel_code_location *place)
{
    Dwarf_Die unit = place->unit;
    Dwarf_Lines *rows;
    size_t count;

    for (unsigned i = place->path.depth; i > 1; i--) {
        if (dwarf_tag(&place->path.dies[i - 1]) == DW_TAG_subprogram) {
            place->path.depth = i;
            break;
        }
    }
    if (place->has_unit && dwarf_getsrclines(&unit, &rows, &count) == 0) {
        find_first_row(rows, count, place->pc - place->bias, NULL, &place->file, &place->line);
    }
}

/* Adds the outlined function's names second: the call may be in an inlined function. */
static bool find(Dwfl *modules, const void *address, const void *outlined,
                 struct keel_source *source)
{
    struct keel_code_location call;
    struct keel_code_location entry;
    bool has_entry = outlined != NULL && find_place(modules, (uintptr_t)outlined, &entry);

    /* The call's last byte has its line; the return address may have the next statement's. */
    if (!find_place(modules, (uintptr_t)address - 1, &call)) {
        return false;
    }
    if (!has_entry) {
        leave_header_calls(&call);
    } else {
        keep_to_entry(&entry);
        call = call.pc == entry.pc ? entry : call;
    }
    keel_function_names_add(&call, source);
    if (has_entry) {
        keel_function_names_add(&entry, source);
    }
    if (!(has_entry && find_header_lines(&entry, source))) {
        find_header_lines(&call, source);
    }
    return source->line != 0 || source->name_count != 0;
}

struct question {
    const void *address, *outlined;
    struct keel_source *source;
    bool found;
};

static void answer(void *context)
{
    struct question *question = context;
    Dwfl *modules = open_modules();

    if (modules != NULL) {
        question->found = find(modules, question->address, question->outlined, question->source);
        dwfl_end(modules);
    }
}

bool keel_source_find(const void *address, const void *outlined, struct keel_source *source)
{
    /* libdw is not documented as thread-safe. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct question question = {address, outlined, source, false};
    int saved_errno = errno, cancel_state;

    /* The program's thread must not be cancelled on another stack while it holds the lock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    memset(source, 0, sizeof *source);
    pthread_mutex_lock(&lock);
    keel_own_stack_run(answer, &question);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return question.found;
}
