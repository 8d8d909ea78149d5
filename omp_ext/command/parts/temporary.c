/* Folders of files that go again. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/environment.h"

const char *keel_temporary_within(void)
{
    const char *stated = keel_environment_value("TMPDIR");

    return stated != NULL ? stated : "/tmp";
}

char *keel_temporary_make(const char *name)
{
    char *folder = NULL, *absolute = realpath(keel_temporary_within(), NULL);

    if (absolute == NULL || asprintf(&folder, "%s/%s-XXXXXX", absolute, name) < 0 ||
        mkdtemp(folder) == NULL) {
        int error = errno;
        free(folder);
        folder = NULL;
        errno = error;
    }
    free(absolute);
    return folder;
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
