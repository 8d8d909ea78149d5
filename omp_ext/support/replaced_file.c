/* Putting files in place. */
#define _GNU_SOURCE
#include "omp_ext/support/replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* names for a new file; others may have taken some */

static int make_beside(const char *path, char **name)
{
    static _Atomic unsigned number;

    for (int i = 0; i < TRIES; i++) {
        if (asprintf(name, "%s.new-%ld-%u", path, (long)getpid(), number++) < 0) {
            *name = NULL;
            errno = ENOMEM;
            return -1;
        }
        int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0) {
            return file;
        }
        int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST) {
            return -1;
        }
    }
    return -1;
}

int keel_replaced_file_begin(const char *path, char **name)
{
    struct stat before;
    int file = make_beside(path, name);

    /* as far as they may be given */
    if (file >= 0 && stat(path, &before) == 0 && fchmod(file, before.st_mode & 0777) != 0) {
        errno = 0;
    }
    return file;
}

int keel_replaced_file_end(int file, char *name, const char *path, int error)
{
    error = close(file) != 0 && error == 0 ? errno : error;
    error = error == 0 && rename(name, path) != 0 ? errno : error;
    if (error != 0) {
        unlink(name);
    }
    free(name);
    return error;
}
