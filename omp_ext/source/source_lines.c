/* Loop site -> source, in one visit to the debug information. See source_lines.h.
 *
 * libdwfl's standard callbacks end in a query to the servers of DEBUGINFOD_URLS. A program must not
 * start to talk to the network because a loop asks for its line, so both callbacks are our own.
 * They look where libdwfl and gdb look: the file itself, /usr/lib/debug/.build-id, and for a
 * .gnu_debuglink the file's directory, its .debug/, and the same path below /usr/lib/debug.
 */
#define _GNU_SOURCE
#include "omp_ext/source/source_inside.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
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

/* A .gnu_debuglink carries a check sum; a name without one (dwz's shared part) goes by build ID
 * alone. */
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

/* All modules that are mapped now, so one that came by dlopen() a moment ago is among them. NULL if
 * they cannot be read. The files themselves are opened when something asks for them. */
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

/* .debug_aranges knows the unit at once, but not every compiler writes it. */
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

/* Finds the module of `pc`, and the unit and scope, if there is debug information. False if no file
 * of this process holds the address. */
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

/* --- the loop --- */

/* Makes `place`, where an outlined function begins, that function's own: the code of another one
 * may have been inlined or moved to its first byte. The first row there that begins a statement is
 * the directive's; a row of the function before may end there. */
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
    if (!place->has_unit || dwarf_getsrclines(&unit, &rows, &count) != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr address;
        bool end, begins;
        int line;
        if (dwarf_lineaddr(row, &address) == 0 && address == place->pc - place->bias &&
            dwarf_lineendsequence(row, &end) == 0 && !end &&
            dwarf_linebeginstatement(row, &begins) == 0 && begins &&
            dwarf_lineno(row, &line) == 0 && line > 0) {
            place->file = dwarf_linesrc(row, NULL, NULL);
            place->line = (unsigned)line;
            return;
        }
    }
}

/* The outlined function's names come second: behind the call may be an inlined function. */
static bool find(Dwfl *modules, const void *address, const void *outlined,
                 struct keel_source *source)
{
    struct keel_code_location call;
    struct keel_code_location entry;
    bool has_entry = outlined != NULL && find_place(modules, (uintptr_t)outlined, &entry);

    /* The call's last byte is its line's; the return address may be the next statement's. */
    if (!find_place(modules, (uintptr_t)address - 1, &call)) {
        return false;
    }
    if (!has_entry) {
        keel_header_calls_leave(&call);
    } else {
        keep_to_entry(&entry);
        call = call.pc == entry.pc ? entry : call;
    }
    keel_function_names_add(&call, source);
    if (has_entry) {
        keel_function_names_add(&entry, source);
    }
    if (!(has_entry && keel_header_lines_find(&entry, source))) {
        keel_header_lines_find(&call, source);
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
    /* libdw promises nothing about threads. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct question question = {address, outlined, source, false};
    int saved_errno = errno, cancel_state;

    /* The program's thread must not be cancelled on another stack, with the lock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    memset(source, 0, sizeof *source);
    pthread_mutex_lock(&lock);
    keel_own_stack_run(answer, &question);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return question.found;
}
