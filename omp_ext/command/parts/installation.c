/* The files of Keel, the compiler in use, and files that are written. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- files --- */

#define PLACES_MAX 4

/* Debian's folder for libraries of one architecture. */
#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "."
#endif

/* Relative to the executable's folder; the first that has the file counts. */
#define LIBRARIES                                      \
    {                                                  \
        ".", "../lib", "../lib64", "../lib/" MULTIARCH \
    }
#define OWN_FILES                                                        \
    {                                                                    \
        ".", "../lib/keel", "../lib64/keel", "../lib/" MULTIARCH "/keel" \
    }
#define HEADERS                 \
    {                           \
        "include", "../include" \
    }

struct part {
    const char *file;
    const char *place[PLACES_MAX];
};

static const struct part parts[] = {
    [KEEL_PART_LIBRARY] = {"libkeel.so.1", LIBRARIES},
    [KEEL_PART_LINKED_LIBRARY] = {"libkeel.so", LIBRARIES},
    [KEEL_PART_PLUGIN] = {"keel_plugin.so", OWN_FILES},
    [KEEL_PART_HEADER] = {"keel.h", HEADERS},
    [KEEL_PART_MPI_LIBRARY] = {"libkeel_mpi.so.1", LIBRARIES},
    [KEEL_PART_LINKED_MPI_LIBRARY] = {"libkeel_mpi.so", LIBRARIES},
    [KEEL_PART_MPI_HEADER] = {"keel_mpi.h", HEADERS},
    [KEEL_PART_SHARES] = {"libkeel_shares.so", OWN_FILES},
    [KEEL_PART_EARLY] = {"libkeel_early.so", OWN_FILES},
    [KEEL_PART_MPI_CALLS] = {"libkeel_mpi_calls.so", OWN_FILES},
};

/* The executable's folder; "" if /proc does not say. */
static void find_own_folder(char *folder)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

static bool is_at(const char *own, const char *place, const char *inner,
                  struct keel_installed *found)
{
    char path[3 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s/%s", own, place, inner);
    if (realpath(path, found->folder) == NULL) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", found->folder, found->file);
    return access(path, R_OK) == 0;
}

static void report_missing(const struct part *part, const char *own)
{
    char places[512] = "";
    size_t length = 0;

    for (unsigned i = 0; i < PLACES_MAX && part->place[i] != NULL; i++) {
        length = keel_text_append(places, sizeof places, length, "%s%s/%s", i == 0 ? "" : ", ",
                                  part->place[i], part->file);
    }
    keel_message("%s is not there; looked for %s, seen from %s", part->file, places, own);
}

bool keel_installation_has(enum keel_installed_part part, const char *inner,
                           struct keel_installed *found)
{
    char own[PATH_MAX];

    find_own_folder(own);
    found->file = parts[part].file;
    for (unsigned i = 0; i < PLACES_MAX && parts[part].place[i] != NULL; i++) {
        if (is_at(own, parts[part].place[i], inner, found)) {
            return true;
        }
    }
    return false;
}

bool keel_installation_find(enum keel_installed_part part, struct keel_installed *found)
{
    char own[PATH_MAX];

    if (keel_installation_has(part, "", found)) {
        return true;
    }
    find_own_folder(own);
    report_missing(&parts[part], own);
    return false;
}

bool keel_installation_is_bazels(const struct keel_installed *found)
{
    return strstr(found->folder, "/bazel-out/") != NULL;
}

void keel_installation_say_if_bazels(const struct keel_installed *found)
{
    if (keel_installation_is_bazels(found)) {
        keel_message(
            "these paths lead into Bazel's cache, so that what is built or run with them "
            "loses Keel after `bazel clean`, and on machines without that cache; `bazel run "
            "//:install -- --prefix=DIR` installs what stays");
    }
}

const char *keel_installation_again(char *line, size_t size)
{
    char own[PATH_MAX], path[2 * PATH_MAX];

    find_own_folder(own);
    snprintf(path, sizeof path, "%s/../share/keel/again", own);
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(line, (int)size, file) == NULL) {
        snprintf(line, size, "bazel run //:install -- --prefix=DIR");
    }
    if (file != NULL) {
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Each package has it, and slim systems keep it where they leave out other documents. */
bool keel_installation_is_debians(void)
{
    char own[PATH_MAX], path[2 * PATH_MAX];

    find_own_folder(own);
    snprintf(path, sizeof path, "%s/../share/doc/keel/copyright", own);
    return access(path, F_OK) == 0;
}

/* --- compilers --- */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Clang knows no such option. A shell reads the command as make does: it may hold options. */
#define QUESTION " -dumpfullversion 2>/dev/null </dev/null"

int keel_command_answer(const char *command, char *line, int size)
{
    FILE *answer = popen(command, "r");

    line[0] = '\0';
    if (answer == NULL) {
        return -1;
    }
    if (fgets(line, size, answer) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    return pclose(answer);
}

struct keel_compiler keel_compiler_ask(const char *source, const char *command)
{
    struct keel_compiler compiler = {
        .source = source, .command = command, .answer = KEEL_COMPILER_SILENT};
    char line[1024];

    snprintf(line, sizeof line, "%s" QUESTION, command);
    int status = keel_command_answer(line, compiler.version, sizeof compiler.version);
    compiler.major = (unsigned)strtoul(compiler.version, NULL, 10);
    if (status >= 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        compiler.answer =
            status == 0 && compiler.major >= 7 ? KEEL_COMPILER_GCC : KEEL_COMPILER_OTHER;
    }
    return compiler;
}

static struct keel_compiler look_in_path(void)
{
    static const char *const commands[] = {"gcc", "cc", "gfortran", "g++"};
    struct keel_compiler first = keel_compiler_ask("", commands[0]);

    for (size_t i = 1; i < COUNT(commands) && first.answer != KEEL_COMPILER_GCC; i++) {
        struct keel_compiler other = keel_compiler_ask("", commands[i]);
        first = other.answer == KEEL_COMPILER_GCC ? other : first;
    }
    return first;
}

struct keel_compiler keel_compiler_in_use(void)
{
    static const char *const variables[] = {"CC", "CXX", "FC"};

    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *command = keel_environment_value(variables[i]);
        if (command != NULL) {
            return keel_compiler_ask(variables[i], command);
        }
    }
    return look_in_path();
}

/* --- folders of files that go again, and files that stay --- */

const char *keel_temporary_within(void)
{
    const char *stated = keel_environment_value("TMPDIR");

    return stated != NULL ? stated : "/tmp";
}

int keel_temporary_try(const char *folder)
{
    static const char some[4096];
    char path[PATH_MAX];
    int error = ENAMETOOLONG;

    if ((size_t)snprintf(path, sizeof path, "%s/0.try", folder) < sizeof path) {
        error = keel_report_file_write(path, some, sizeof some);
        unlink(path);
    }
    return error;
}

char *keel_temporary_make(const char *name)
{
    char *absolute = realpath(keel_temporary_within(), NULL);
    char *folder =
        absolute != NULL ? mkdtemp(keel_command_text("%s/%s-XXXXXX", absolute, name)) : NULL;
    int error = folder != NULL ? keel_temporary_try(folder) : errno;

    if (folder != NULL && error != 0) {
        rmdir(folder);
    }
    errno = error;
    return error == 0 ? folder : NULL;
}

int keel_output_write(FILE *content, const char *path)
{
    bool there = access(path, F_OK) == 0;
    size_t length = fseek(content, 0, SEEK_END) == 0 ? (size_t)ftell(content) : 0;
    char *text = keel_command_memory(length, 1);
    mode_t mask = umask(0);

    umask(mask);
    rewind(content);
    length = fread(text, 1, length, content);
    int error = ferror(content) ? EIO : keel_report_file_write(path, text, length);
    if (error == 0 && !there) {
        chmod(path, 0666 & ~mask);
    }
    free(text);
    return error;
}
