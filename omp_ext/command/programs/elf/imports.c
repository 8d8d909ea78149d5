/* What the file of a program takes from shared libraries: undefined dynamic symbols. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/elf/imports.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Called with each section of the kind that is looked for. */
typedef void section_visitor(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, void *context);

static void visit_sections(Elf *elf, GElf_Word kind, section_visitor *visit, void *context)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == kind) {
            visit(elf, section, &header, context);
        }
    }
}

/* O_NONBLOCK: a name may be that of a pipe. */
static bool visit_file(const char *file, GElf_Word kind, section_visitor *visit, void *context)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Elf *elf = NULL;

    if (descriptor < 0) {
        return false;
    }
    elf_version(EV_CURRENT);
    elf = elf_begin(descriptor, ELF_C_READ, NULL);
    bool readable = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    if (readable) {
        visit_sections(elf, kind, visit, context);
    }
    elf_end(elf);
    close(descriptor);
    return readable;
}

/* --- imports --- */

struct importing {
    void (*visit)(const char *name, void *context);
    void *context;
    bool defined; /* those that the file has, not those that it wants */
};

static void visit_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, void *context)
{
    const struct importing *importing = context;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if ((symbol.st_shndx != SHN_UNDEF) == importing->defined && name != NULL) {
            importing->visit(name, importing->context);
        }
    }
}

void keel_imports_visit(const char *file, void (*visit)(const char *name, void *context),
                        void *context)
{
    struct importing importing = {visit, context, false};

    visit_file(file, SHT_DYNSYM, visit_symbols, &importing);
}

void keel_exports_visit(const char *file, void (*visit)(const char *name, void *context),
                        void *context)
{
    struct importing exporting = {visit, context, true};

    visit_file(file, SHT_DYNSYM, visit_symbols, &exporting);
}

struct wanted {
    const char *text;
    bool found;
};

static void compare_prefix(const char *name, void *context)
{
    struct wanted *wanted = context;

    wanted->found |= strncmp(name, wanted->text, strlen(wanted->text)) == 0;
}

bool keel_imports_any(const char *file, const char *prefix)
{
    struct wanted wanted = {prefix, false};

    keel_imports_visit(file, compare_prefix, &wanted);
    return wanted.found;
}

/* --- versions --- */

static void visit_versions(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, void *context)
{
    struct wanted *wanted = context;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Verdef version;
    GElf_Verdaux name;

    for (int offset = 0; data != NULL && gelf_getverdef(data, offset, &version) != NULL;
         offset += (int)version.vd_next) {
        if (gelf_getverdaux(data, offset + (int)version.vd_aux, &name) != NULL) {
            const char *text = elf_strptr(elf, header->sh_link, name.vda_name);
            wanted->found |= text != NULL && strcmp(text, wanted->text) == 0;
        }
        if (version.vd_next == 0) {
            return;
        }
    }
}

bool keel_imports_version(const char *library, const char *version)
{
    struct wanted wanted = {version, false};

    return !visit_file(library, SHT_GNU_verdef, visit_versions, &wanted) || wanted.found;
}
