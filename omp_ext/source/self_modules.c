/* The modules of this process, and their debug information in the usual places on disk. See
 * self_modules.h.
 *
 * libdwfl's standard callbacks end in a query to the servers of DEBUGINFOD_URLS. A program must not
 * start to talk to the network because a loop asks for its line, so both callbacks are our own.
 * They look where libdwfl and gdb look: the file itself, /usr/lib/debug/.build-id, and for a
 * .gnu_debuglink the file's directory, its .debug/, and the same path below /usr/lib/debug.
 */
#define _GNU_SOURCE
#include "omp_ext/source/self_modules.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

Dwfl *keel_self_modules_open(void)
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

void keel_self_modules_close(Dwfl *modules)
{
    dwfl_end(modules);
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

bool keel_self_modules_place(Dwfl *modules, Dwarf_Addr pc, struct keel_code_location *place)
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
