/* Folders of files that go again, and files that stay. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/replaced_file.h"

const char *keel_temporary_within(void)
{
    const char *stated = keel_environment_value("TMPDIR");

    return stated != NULL ? stated : "/tmp";
}

char *keel_temporary_make(const char *name)
{
    char *absolute = realpath(keel_temporary_within(), NULL);

    return absolute != NULL ? mkdtemp(keel_command_text("%s/%s-XXXXXX", absolute, name)) : NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void keel_temporary_remove(char *folder)
{
    if (folder != NULL) {
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    free(folder);
}

/* --- results --- */

static bool copy(FILE *from, int to)
{
    char piece[65536];
    size_t got;

    rewind(from);
    while ((got = fread(piece, 1, sizeof piece, from)) > 0) {
        for (size_t done = 0; done < got;) {
            ssize_t more = write(to, piece + done, got - done);
            if (more < 0 && errno != EINTR) {
                return false;
            }
            done += more > 0 ? (size_t)more : 0;
        }
    }
    return !ferror(from);
}

int keel_output_write(FILE *content, const char *path)
{
    struct stat before;
    bool there = stat(path, &before) == 0;
    bool whole = !there || S_ISREG(before.st_mode);
    char *real = there ? realpath(path, NULL) : strdup(path), *name = NULL;

    if (real == NULL) {
        return errno;
    }
    int file = whole ? keel_replaced_file_begin(real, &name) : open(real, O_WRONLY | O_CLOEXEC);
    int error = file < 0 ? errno : 0;
    if (file >= 0 && !there) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file, 0666 & ~mask);
    }
    if (file >= 0) {
        error = copy(content, file) ? 0 : errno;
    }
    if (file >= 0 && whole) {
        error = keel_replaced_file_end(file, name, real, error);
    } else if (file >= 0 && close(file) != 0 && error == 0) {
        error = errno;
    }
    free(real);
    return error;
}
