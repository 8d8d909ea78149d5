/* The file of KEEL_SEEN. */
#include "omp_ext/command/programs/mark_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/programs/elf/program.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

/* Makes mark->path from its pattern; -1 with errno set where that fails. */
static int make_file(struct keel_mark_file *mark, const char *folder)
{
    char absolute[PATH_MAX];

    if (realpath(folder, absolute) == NULL) {
        return -1;
    }
    if ((size_t)snprintf(mark->path, sizeof mark->path, "%s/keel-XXXXXX", absolute) >=
        sizeof mark->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkstemp(mark->path);
}

static void say_not_noticed(const char *folder, int error)
{
    keel_message(
        "no file can be made in '%s' (TMPDIR): %s; the program runs, but whether its loops "
        "come to Keel is not noticed",
        folder, strerror(error));
}

/* The program may change its current folder: the path is absolute. */
void keel_mark_file_make(struct keel_mark_file *mark)
{
    const char *stated = keel_environment_value("TMPDIR");
    const char *folder = stated != NULL ? stated : "/tmp";
    int descriptor = make_file(mark, folder);

    if (descriptor < 0) {
        say_not_noticed(folder, errno);
        mark->path[0] = '\0';
        return;
    }
    /* so that there is room for the mark on a disk that is full by then */
    bool written = write(descriptor, "0", 1) == 1;
    int error = errno;
    close(descriptor);
    if (!written) {
        unlink(mark->path);
        say_not_noticed(folder, error);
        mark->path[0] = '\0';
    }
}

/* What libkeel.so writes, see omp_ext/loop/loop_mark.h. */
enum { KEEL_LOOP_MARK = '1', KEEL_LOOP_MARK_FOREIGN = '2' };

/* -1: there is nothing to read. */
static int has_byte(const struct keel_mark_file *mark, int byte)
{
    FILE *file = mark->path[0] != '\0' ? fopen(mark->path, "re") : NULL;
    int got = EOF;

    if (file == NULL) {
        return -1;
    }
    while ((got = getc(file)) != EOF && got != byte) {
    }
    fclose(file);
    return got == byte;
}

bool keel_mark_file_set(const struct keel_mark_file *mark)
{
    return has_byte(mark, KEEL_LOOP_MARK) != 0;
}

bool keel_mark_file_foreign(const struct keel_mark_file *mark)
{
    return has_byte(mark, KEEL_LOOP_MARK_FOREIGN) > 0;
}

static bool is_among(const char *name, char (*program)[PATH_MAX], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(program[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void name_programs(const struct keel_mark_file *mark, char *path)
{
    snprintf(path, PATH_MAX + 16, "%s.programs", mark->path);
}

size_t keel_mark_file_programs(const struct keel_mark_file *mark, const char *own,
                               char (*program)[PATH_MAX], size_t most)
{
    char path[PATH_MAX + 16], file[PATH_MAX], absolute[PATH_MAX] = "", line[PATH_MAX];
    size_t count = 0;
    bool itself = false;

    name_programs(mark, path);
    if (keel_program_find(own, file) && realpath(file, absolute) == NULL) {
        absolute[0] = '\0';
    }
    FILE *lines = mark->path[0] != '\0' ? fopen(path, "re") : NULL;
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        itself |= strcmp(line, absolute) == 0;
        if (count < most && !is_among(line, program, count)) {
            strcpy(program[count++], line);
        }
    }
    if (lines != NULL) {
        fclose(lines);
    }
    return itself ? 0 : count;
}

void keel_mark_file_remove(struct keel_mark_file *mark)
{
    char programs[PATH_MAX + 16];

    if (mark->path[0] != '\0') {
        unlink(mark->path);
        name_programs(mark, programs);
        unlink(programs);
    }
    mark->path[0] = '\0';
}
