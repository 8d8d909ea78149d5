/* Opening what is written to, replacing files as a whole, and reading small ones. */
#define _GNU_SOURCE
#include "omp_ext/support/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "omp_ext/support/uncancelled.h"

#define LINKS_MAX 40 /* from one to the next, as the kernel has it */
#define RIGHTS 0600

/* --- links --- */

/* The folder of `path`, to be freed: it ends in a slash, or is ".". NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
}

/* Links of /proc lead to the open files of a process, whatever their text, and can't be forged. */
static bool is_of_the_kernel(const char *path)
{
    char *folder = folder_of(path);
    struct statfs system;
    bool is = folder != NULL && statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;

    free(folder);
    return is;
}

/* What a link says, which is to be freed; NULL: errno. */
static char *read_link(const char *path)
{
    char *said = malloc(PATH_MAX);
    ssize_t length = said != NULL ? readlink(path, said, PATH_MAX) : -1;

    if (length < 0 || length >= PATH_MAX) {
        errno = said == NULL ? ENOMEM : length < 0 ? errno : ENAMETOOLONG;
        free(said);
        return NULL;
    }
    said[length] = '\0';
    return said;
}

/* Replaces *path, a link, by what it says, counted from its own folder; 0 or an errno. */
static int follow(char **path)
{
    const char *slash = strrchr(*path, '/');
    char *said = read_link(*path), *target = NULL;

    if (said == NULL) {
        return errno;
    }
    int folder = said[0] == '/' || slash == NULL ? 0 : (int)(slash - *path) + 1;
    int length = asprintf(&target, "%.*s%s", folder, *path, said);
    free(said);
    if (length < 0) {
        return ENOMEM;
    }
    free(*path);
    *path = target;
    return 0;
}

/* 0 where *target is no link that counts. */
static int follow_all(char **target)
{
    struct stat status;

    for (int i = 0; i <= LINKS_MAX; i++) {
        if (lstat(*target, &status) != 0) {
            return errno == ENOENT ? 0 : errno;
        }
        if (!S_ISLNK(status.st_mode) || is_of_the_kernel(*target)) {
            return 0;
        }
        if (status.st_uid != geteuid() && status.st_uid != 0) {
            return KEEL_SAFE_FILE_LINK;
        }
        int error = follow(target);
        if (error != 0) {
            return error;
        }
    }
    return ELOOP;
}

int keel_safe_file_resolve(const char *path, char **target)
{
    *target = strdup(path);
    int error = *target != NULL ? follow_all(target) : ENOMEM;

    if (error != 0) {
        free(*target);
        *target = NULL;
    }
    return error;
}

/* --- what is there --- */

int keel_safe_file_check(const char *path, const struct stat *status)
{
    char *name = folder_of(path);
    struct stat folder;

    if (name == NULL) {
        return ENOMEM;
    }
    bool known = stat(name, &folder) == 0;
    free(name);
    if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) || !known ||
        (folder.st_mode & S_IWOTH) == 0) {
        return 0;
    }
    bool foreign = status->st_uid != geteuid() && status->st_uid != folder.st_uid;
    bool has_other_names = S_ISREG(status->st_mode) && status->st_nlink > 1;
    return foreign || has_other_names ? KEEL_SAFE_FILE_OTHERS : 0;
}

/* --- opening --- */

/* What was opened, not what the name meant a moment ago. */
static int check_opened(const char *target, int file, int flags)
{
    struct stat status;

    if (fstat(file, &status) != 0) {
        return errno;
    }
    int error = keel_safe_file_check(target, &status);
    if (error == 0 && (flags & O_TRUNC) != 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        ftruncate(file, 0) != 0) {
        error = errno;
    }
    return error;
}

static int open_target(const char *target, int flags, int *file)
{
    int stays = is_of_the_kernel(target) ? 0 : O_NOFOLLOW;

    *file = open(target, (flags & ~O_TRUNC) | stays, RIGHTS);
    if (*file < 0) {
        return errno;
    }
    int error = check_opened(target, *file, flags);
    if (error != 0) {
        close(*file);
    }
    return error;
}

int keel_safe_file_open(const char *path, int flags)
{
    char *target;
    int file = -1, error = keel_safe_file_resolve(path, &target);

    if (error == 0) {
        error = open_target(target, flags, &file);
        free(target);
    }
    if (error != 0) {
        errno = error;
        return -1;
    }
    return file;
}

const char *keel_safe_file_reason(int error)
{
    switch (error) {
    case KEEL_SAFE_FILE_LINK:
        return "it is a symbolic link of another user";
    case KEEL_SAFE_FILE_OTHERS:
        return "it is another user's, or has two names, in a folder that all may write to";
    default:
        return strerror(error);
    }
}

/* --- files that are put in place as a whole --- */

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

/* --- files of /proc and /sys --- */

bool keel_small_file_read(const char *path, char *text, size_t size)
{
    int cancel_state = keel_uncancelled_begin();
    int before = errno, file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;

    if (file >= 0) {
        close(file);
    }
    if (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length > 0 ? length : 0] = '\0';
    keel_uncancelled_end(cancel_state);
    errno = before;
    return length > 0;
}
