/* What the file of a program takes from shared libraries: undefined dynamic symbols. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/imports.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory. */
struct image {
    const char *byte;
    size_t size;
};

static bool holds(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

/* NULL: the file has none, or is damaged. */
static const ElfW(Shdr) * sections(const struct image *image, unsigned *count)
{
    const ElfW(Ehdr) *header = (const void *)image->byte;

    if (!holds(image, 0, sizeof *header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff % sizeof(void *) != 0 ||
        !holds(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)))) {
        return NULL;
    }
    *count = header->e_shnum;
    return (const void *)(image->byte + header->e_shoff);
}

static bool begins(const struct image *image, const ElfW(Shdr) * names, uint64_t name,
                   const char *prefix)
{
    size_t length = strlen(prefix);

    return name < names->sh_size && names->sh_size - name > length &&
           memcmp(image->byte + names->sh_offset + name, prefix, length) == 0;
}

/* Whether the table of symbols has such a name. */
static bool any_symbol(const struct image *image, const ElfW(Shdr) * symbols,
                       const ElfW(Shdr) * names, const char *prefix)
{
    const ElfW(Sym) *symbol = (const void *)(image->byte + symbols->sh_offset);

    for (uint64_t i = 0; i < symbols->sh_size / sizeof *symbol; i++) {
        if (symbol[i].st_shndx == SHN_UNDEF && begins(image, names, symbol[i].st_name, prefix)) {
            return true;
        }
    }
    return false;
}

static bool search(const struct image *image, const char *prefix)
{
    unsigned count = 0;
    const ElfW(Shdr) *section = sections(image, &count);

    for (unsigned i = 0; section != NULL && i < count; i++) {
        const ElfW(Shdr) *symbols = &section[i];
        if (symbols->sh_type != SHT_DYNSYM || symbols->sh_link >= count ||
            symbols->sh_offset % sizeof(void *) != 0) {
            continue;
        }
        const ElfW(Shdr) *names = &section[symbols->sh_link];
        if (holds(image, symbols->sh_offset, symbols->sh_size) &&
            holds(image, names->sh_offset, names->sh_size) &&
            any_symbol(image, symbols, names, prefix)) {
            return true;
        }
    }
    return false;
}

bool keel_imports_any(const char *file, const char *prefix)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    bool found = false;

    if (descriptor < 0) {
        return false;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *byte = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (byte != MAP_FAILED) {
            found = search(&(struct image){byte, (size_t)status.st_size}, prefix);
            munmap(byte, (size_t)status.st_size);
        }
    }
    close(descriptor);
    return found;
}
