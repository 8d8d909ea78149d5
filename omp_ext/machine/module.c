/* Which file of the program an address belongs to. */
#define _GNU_SOURCE
#include "omp_ext/machine/module.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/support/slow_lock.h"

enum wanted { BUILD_ID, FILE_NAME, PATH };

/* What is asked about the file that an address is in. */
struct search {
    uintptr_t address, base, end;
    enum wanted wanted;
    char *text;
    size_t size;
    bool found;
};

/* Bytes from the module's base to the end of its last segment; 0: the address is not in it. *end:
 * of the segment that it is in. */
static uintptr_t extent_around(const struct dl_phdr_info *info, uintptr_t address, uintptr_t *end)
{
    uintptr_t extent = 0;
    bool inside = false;

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD) {
            uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
            uintptr_t last = segment->p_vaddr + segment->p_memsz;
            if (address - begin < segment->p_memsz) {
                inside = true;
                *end = info->dlpi_addr + last;
            }
            extent = last > extent ? last : extent;
        }
    }
    return inside ? extent : 0;
}

static void write_hexadecimal(const unsigned char *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count && 2 * i + 2 < KEEL_MODULE_NAME_MAX; i++) {
        sprintf(text + 2 * i, "%02x", bytes[i]);
    }
}

static size_t padded(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Looks for the build id among the notes of one segment. */
static bool find_build_id(const char *notes, size_t size, size_t alignment, char *text)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
        size_t name = at + sizeof *note;
        size_t content = padded(name + note->n_namesz, alignment);
        if (content + note->n_descsz > size) {
            return false;
        }
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && note->n_descsz > 0) {
            write_hexadecimal((const unsigned char *)notes + content, note->n_descsz, text);
            return true;
        }
        at = padded(content + note->n_descsz, alignment);
    }
    return false;
}

static bool has_build_id(const struct dl_phdr_info *info, char *text)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE &&
            find_build_id((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                          segment->p_align == 8 ? 8 : 4, text)) {
            return true;
        }
    }
    return false;
}

/* Without its folders. The dynamic linker knows the program itself as "". */
static const char *file_of(const struct dl_phdr_info *info)
{
    const char *path = info->dlpi_name[0] != '\0' ? info->dlpi_name : program_invocation_name;
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    uintptr_t extent = extent_around(info, search->address, &search->end);

    (void)size;
    if (extent == 0) {
        return 0;
    }
    search->base = info->dlpi_addr;
    if (search->wanted == PATH) {
        snprintf(search->text, search->size, "%s",
                 info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe");
    } else if (search->wanted == FILE_NAME) {
        snprintf(search->text, search->size, "%s", file_of(info));
    } else if (!has_build_id(info, search->text)) {
        snprintf(search->text, search->size, "%.200s:%zu", file_of(info), (size_t)extent);
    }
    return 1;
}

static struct search search_for(const void *address, enum wanted wanted, char *text, size_t size)
{
    struct search search = {
        .address = (uintptr_t)address, .wanted = wanted, .text = text, .size = size};

    search.found = keel_slow_lock_objects(visit, &search) != 0;
    return search;
}

bool keel_module_of(const void *address, struct keel_module *module)
{
    memset(module->name, 0, sizeof module->name);
    struct search search = search_for(address, BUILD_ID, module->name, sizeof module->name);

    module->base = search.base;
    module->end = search.end;
    return search.found;
}

bool keel_module_file(const void *address, char *file, size_t size, uintptr_t *base)
{
    struct search search = search_for(address, FILE_NAME, file, size);

    *base = search.base;
    return search.found;
}

bool keel_module_path(const void *address, char *path, size_t size, uintptr_t *base)
{
    struct search search = search_for(address, PATH, path, size);

    *base = search.base;
    return search.found;
}
