/* Folders of files that go again, and files that stay. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/report/files/report_file.h"
#include "omp_ext/support/environment.h"

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
