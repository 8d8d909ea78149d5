/* Kinds of programs, as far as the dynamic linker cares. */
#define _GNU_SOURCE
#include "omp_ext/command/programs/program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
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

/* Whether it is an ELF file of this machine's kind that asks for no dynamic linker. */
static bool is_static(int descriptor)
{
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;

    if (pread(descriptor, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        off_t place = (off_t)(header.e_phoff + i * sizeof segment);
        if (pread(descriptor, &segment, sizeof segment, place) != (ssize_t)sizeof segment ||
            segment.p_type == PT_INTERP) {
            return false;
        }
    }
    return true;
}

enum keel_program keel_program_kind(const char *name)
{
    char file[PATH_MAX];

    if (!keel_program_find(name, file)) {
        return KEEL_PROGRAM_USUAL;
    }
    if (gets_rights(file)) {
        return KEEL_PROGRAM_SECURE;
    }
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool alone = descriptor >= 0 && is_static(descriptor);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return alone ? KEEL_PROGRAM_STATIC : KEEL_PROGRAM_USUAL;
}
