/* Kinds of programs, as far as the dynamic linker cares. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/elf/program.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "omp_ext/support/environment.h"

bool keel_program_find(const char *name, char *file)
{
    const char *path = keel_environment_value("PATH");

    if (strchr(name, '/') != NULL || path == NULL) {
        snprintf(file, PATH_MAX, "%s", name);
        return true;
    }
    for (;; path++) {
        size_t length = strcspn(path, ":");
        snprintf(file, PATH_MAX, "%.*s%s%s", (int)length, path, length > 0 ? "/" : "", name);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += length;
        if (*path == '\0') {
            return false;
        }
    }
}

/* As the kernel decides about AT_SECURE. */
static bool gets_rights(const char *file)
{
    struct stat status;

    if (stat(file, &status) != 0) {
        return false;
    }
    return ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
           ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            status.st_gid != getgid()) ||
           (getuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0);
}

/* Its dynamic linker, or "". */
static void read_interpreter(Elf *elf, char *interpreter)
{
    size_t count = 0;
    GElf_Phdr segment;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_INTERP) {
            Elf_Data *data =
                elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
            if (data != NULL) {
                snprintf(interpreter, PATH_MAX, "%.*s", (int)data->d_size,
                         (const char *)data->d_buf);
            }
            return;
        }
    }
}

/* This command's own file is of Keel's kind. */
static bool machine_is_ours(const GElf_Ehdr *header)
{
    bool ours = true;
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Elf *self = descriptor >= 0 ? elf_begin(descriptor, ELF_C_READ, NULL) : NULL;
    GElf_Ehdr own;

    if (self != NULL && gelf_getehdr(self, &own) != NULL) {
        ours = own.e_machine == header->e_machine;
    }
    elf_end(self);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return ours;
}

static enum keel_program_kind kind_of_elf(Elf *elf, struct keel_program *program)
{
    GElf_Ehdr header;

    if (gelf_getehdr(elf, &header) == NULL) {
        return KEEL_PROGRAM_USUAL;
    }
    if (header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
        return KEEL_PROGRAM_BITS;
    }
    if (!machine_is_ours(&header)) {
        return KEEL_PROGRAM_OTHER;
    }
    read_interpreter(elf, program->interpreter);
    return program->interpreter[0] != '\0' ? KEEL_PROGRAM_USUAL : KEEL_PROGRAM_STATIC;
}

/* What stands behind "#!" in its first line. */
static bool is_script(int descriptor, char *interpreter)
{
    char line[256];
    ssize_t length = pread(descriptor, line, sizeof line - 1, 0);

    line[length > 0 ? length : 0] = '\0';
    if (strncmp(line, "#!", 2) != 0) {
        return false;
    }
    const char *first = line + 2 + strspn(line + 2, " \t");
    snprintf(interpreter, PATH_MAX, "%.*s", (int)strcspn(first, "\n"), first);
    return true;
}

static enum keel_program_kind kind_of(int descriptor, struct keel_program *program)
{
    enum keel_program_kind kind = KEEL_PROGRAM_USUAL;

    if (is_script(descriptor, program->interpreter)) {
        return KEEL_PROGRAM_SCRIPT;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
        kind = kind_of_elf(elf, program);
    }
    elf_end(elf);
    return kind;
}

void keel_program_read(const char *name, struct keel_program *program)
{
    program->kind = KEEL_PROGRAM_USUAL;
    program->interpreter[0] = '\0';
    if (!keel_program_find(name, program->file)) {
        program->file[0] = '\0';
        return;
    }
    int descriptor = open(program->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor >= 0) {
        program->kind = kind_of(descriptor, program);
        close(descriptor);
    }
    if (gets_rights(program->file)) {
        program->kind = KEEL_PROGRAM_SECURE;
    }
}
