/* What the file of a program and the libraries that it is linked with say. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/programs/programs.h"
#include "omp_ext/support/environment.h"

/* --- the file --- */

static bool is_program(const char *file)
{
    struct stat status;

    return access(file, X_OK) == 0 && stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

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
        if (is_program(file)) {
            return true;
        }
        path += length;
        if (*path == '\0') {
            return false;
        }
    }
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

/* What follows "#!" in its first line. */
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
        read_interpreter(elf, program->interpreter);
        kind = program->interpreter[0] != '\0' ? KEEL_PROGRAM_USUAL : KEEL_PROGRAM_STATIC;
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
}

/* --- symbols --- */

typedef void symbol_visitor(const char *name, void *context);

static void visit_section(Elf *elf, Elf_Scn *section, size_t names, bool defined,
                          symbol_visitor *visit, void *context)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, names, symbol.st_name);
        if ((symbol.st_shndx != SHN_UNDEF) == defined && name != NULL) {
            visit(name, context);
        }
    }
}

/* Each dynamic symbol that the file has for others (defined), or wants from elsewhere. O_NONBLOCK:
 * a name may be that of a pipe. */
static void visit_symbols(const char *file, bool defined, symbol_visitor *visit, void *context)
{
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Elf *elf = NULL;
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    elf_version(EV_CURRENT);
    if (descriptor >= 0) {
        elf = elf_begin(descriptor, ELF_C_READ, NULL);
    }
    while (elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM) {
            visit_section(elf, section, header.sh_link, defined, visit, context);
        }
    }
    elf_end(elf);
    if (descriptor >= 0) {
        close(descriptor);
    }
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

    visit_symbols(file, false, compare_prefix, &wanted);
    return wanted.found;
}

/* --- what the dynamic linker loads --- */

static _Noreturn void become_linker(const char *linker, const char *file, int output)
{
    int null = open("/dev/null", O_RDWR);

    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(linker, linker, "--list", file, (char *)NULL);
    _exit(EXIT_FAILURE);
}

/* A line is "NAME => FILE (ADDRESS)", "NAME => not found" or, as of what LD_PRELOAD names by its
 * path, "FILE (ADDRESS)". */
static void read_line(char *line,
                      void (*visit)(const char *name, const char *library, void *context),
                      void *context)
{
    char *name = line + strspn(line, " \t"), *arrow = strstr(line, " => ");
    char *library = arrow != NULL ? arrow + strlen(" => ") : name;
    char *end = strstr(library, " (0x");

    if (end != NULL) {
        *end = '\0';
    }
    if (arrow != NULL) {
        *arrow = '\0';
        visit(name, end != NULL ? library : "", context);
    } else if (end != NULL && strrchr(library, '/') != NULL) {
        visit(strrchr(library, '/') + 1, library, context);
    }
}

void keel_loaded_visit(const char *linker, const char *file,
                       void (*visit)(const char *name, const char *library, void *context),
                       void *context)
{
    char line[2 * PATH_MAX];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        become_linker(linker, file, ends[1]);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        read_line(line, visit, context);
    }
    if (answer != NULL) {
        fclose(answer);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* --- OpenMP --- */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* How their files are named, up to a version. */
static const struct {
    const char *prefix;
    enum keel_openmp_runtime runtime;
} runtimes[] = {
    {"libgomp.so", KEEL_OPENMP_GCC},     {"libomp.so", KEEL_OPENMP_LLVM},
    {"libomp-", KEEL_OPENMP_LLVM},       {"libiomp5.so", KEEL_OPENMP_INTEL},
    {"libnvomp.so", KEEL_OPENMP_NVIDIA},
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Calls that GCC makes of loops and regions; those of Keel's plugin are weak. */
static void note_import(const char *name, void *context)
{
    struct keel_openmp *openmp = context;

    openmp->regions |= begins(name, "GOMP_parallel");
    if (begins(name, "keel_worksharing_")) {
        openmp->runtime_loops = true;
    } else if (begins(name, "GOMP_loop_") || begins(name, "GOMP_parallel_loop_")) {
        bool runtime = strstr(name, "runtime") != NULL;
        openmp->runtime_loops |= runtime;
        openmp->explicit_loops |=
            !runtime && (strstr(name, "dynamic") != NULL || strstr(name, "guided") != NULL);
    }
}

static void note_runtime(const char *name, const char *file, struct keel_openmp *openmp)
{
    for (size_t i = 0; i < COUNT(runtimes); i++) {
        if (begins(name, runtimes[i].prefix) && runtimes[i].runtime > openmp->runtime) {
            openmp->runtime = runtimes[i].runtime;
            snprintf(openmp->library, sizeof openmp->library, "%s", file[0] != '\0' ? file : name);
        }
    }
}

#define SINCE_GCC_9 "GOMP_loop_maybe_nonmonotonic_runtime_next"

/* What a libgomp has. LLVM's runtime has libgomp's functions, and may be installed under its
 * name. */
static void note_export(const char *name, void *context)
{
    struct keel_openmp *openmp = context;

    openmp->old &= strcmp(name, SINCE_GCC_9) != 0;
    if (strcmp(name, "__kmpc_fork_call") == 0) {
        openmp->runtime = KEEL_OPENMP_LLVM;
    }
}

static bool is_runtime(const char *name)
{
    struct keel_openmp none = {.runtime = KEEL_OPENMP_NONE};

    note_runtime(name, "", &none);
    return none.runtime != KEEL_OPENMP_NONE;
}

/* Libraries come in the order in which they are searched for functions: that of DT_NEEDED, those of
 * the program before those of its libraries. */
static void note_library(const char *name, const char *file, void *context)
{
    struct keel_openmp *openmp = context;

    if (begins(name, "libkeel.so")) {
        openmp->linked = true;
        openmp->behind |= openmp->runtime == KEEL_OPENMP_GCC;
    }
    note_runtime(name, file, openmp);
    if (file[0] != '\0' && !is_runtime(name) && !begins(name, "libkeel")) {
        visit_symbols(file, false, note_import, openmp);
    }
}

void keel_openmp_read(const struct keel_program *program, struct keel_openmp *openmp)
{
    memset(openmp, 0, sizeof *openmp);
    visit_symbols(program->file, false, note_import, openmp);
    if (program->interpreter[0] != '\0') {
        keel_loaded_visit(program->interpreter, program->file, note_library, openmp);
    }
    if (openmp->runtime == KEEL_OPENMP_GCC) {
        openmp->old = true;
        visit_symbols(openmp->library, true, note_export, openmp);
    }
    openmp->old &= openmp->runtime == KEEL_OPENMP_GCC;
}
