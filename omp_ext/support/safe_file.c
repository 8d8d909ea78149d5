/* Opening what is written to. */
#define _GNU_SOURCE
#include "omp_ext/support/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* from one to the next, as the kernel has it */
#define RIGHTS 0600

/* --- links --- */

/* The folder of `path`, which ends in a slash or is "."; path[PATH_MAX]. */
static void folder_of(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path);
    }
}

/* Links of /proc lead to what a process has open, whatever they say, and nobody can make one. */
static bool is_of_the_kernel(const char *path)
{
    char folder[PATH_MAX];
    struct statfs system;

    folder_of(path, folder);
    return statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Replaces path[PATH_MAX], a link, by what it says; 0 or an errno. */
static int follow(char *path)
{
    char folder[PATH_MAX], said[PATH_MAX];
    ssize_t length = readlink(path, said, sizeof said);

    if (length < 0) {
        return errno;
    }
    folder_of(path, folder);
    bool whole = length > 0 && said[0] == '/';
    int written = snprintf(path, PATH_MAX, "%s%.*s",
                           whole                                   ? ""
                           : folder[0] == '.' && folder[1] == '\0' ? "./"
                                                                   : folder,
                           (int)length, said);
    return length < PATH_MAX && written < PATH_MAX ? 0 : ENAMETOOLONG;
}

int keel_safe_file_resolve(const char *path, char *target)
{
    struct stat status;
    int error = 0;

    if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    for (int i = 0; error == 0; i++) {
        if (lstat(target, &status) != 0) {
            return errno == ENOENT ? 0 : errno;
        }
        if (!S_ISLNK(status.st_mode) || is_of_the_kernel(target)) {
            return 0;
        }
        if (status.st_uid != geteuid() && status.st_uid != 0) {
            return KEEL_SAFE_FILE_LINK;
        }
        error = i < LINKS_MAX ? follow(target) : ELOOP;
    }
    return error;
}

/* --- what is there --- */

int keel_safe_file_check(const char *path, const struct stat *status)
{
    char name[PATH_MAX];
    struct stat folder;

    folder_of(path, name);
    if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) || stat(name, &folder) != 0 ||
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

int keel_safe_file_open(const char *path, int flags)
{
    char target[PATH_MAX];
    int error = keel_safe_file_resolve(path, target);
    int stays = error == 0 && is_of_the_kernel(target) ? 0 : O_NOFOLLOW;
    int file = error == 0 ? open(target, (flags & ~O_TRUNC) | stays, RIGHTS) : -1;

    if (error == 0 && file < 0) {
        return -1;
    }
    if (error == 0) {
        error = check_opened(target, file, flags);
    }
    if (error != 0 && file >= 0) {
        close(file);
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
