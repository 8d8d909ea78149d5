/* A file that several processes read and replace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/memory/memory_parts.h"
#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/trace_file.h"

#define WAIT_STEP_MS 5
#define WAIT_STEPS 2000 /* ten seconds, which hundreds of processes need to take turns */

bool keel_memory_reason(char *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, KEEL_MEMORY_REASON_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static void explain(char *reason, const char *what)
{
    keel_memory_reason(reason, "%s: %s", what, strerror(errno));
}

/* --- links --- */

#define TARGET_SHOWN \
    100 /* bytes of the end of a link's target, which says more than its beginning */

static bool may_lead_to(const struct stat *link, const char *target, char *reason)
{
    const size_t length = strlen(target);
    const bool whole = length <= TARGET_SHOWN;
    const char *shown = whole ? target : target + length - TARGET_SHOWN;
    struct stat status;

    if (lstat(target, &status) != 0) {
        return keel_memory_reason(reason, "is a symbolic link to '%s%s': %s", whole ? "" : "...",
                                  shown, strerror(errno));
    }
    if (status.st_uid != link->st_uid) {
        return keel_memory_reason(reason,
                                  "is a symbolic link to '%s%s' of another owner, expected the "
                                  "same one",
                                  whole ? "" : "...", shown);
    }
    return true;
}

char *keel_memory_file_resolve(const char *path, char *reason)
{
    struct stat link;
    char *file;
    int error = keel_safe_file_resolve(path, &file);

    if (error != 0) {
        keel_memory_reason(reason, "can't be %s: %s",
                           error == KEEL_SAFE_FILE_LINK ? "used" : "followed",
                           keel_safe_file_reason(error));
    } else if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) &&
               !may_lead_to(&link, file, reason)) {
        free(file);
        file = NULL;
    }
    return file;
}

/* --- opening --- */

static bool is_regular(const struct stat *status, char *reason)
{
    const char *kind = S_ISLNK(status->st_mode)    ? "a symbolic link"
                       : S_ISDIR(status->st_mode)  ? "a folder"
                       : S_ISFIFO(status->st_mode) ? "a pipe"
                                                   : "a device or a socket";

    if (!S_ISREG(status->st_mode)) {
        keel_memory_reason(reason, "is %s, expected a regular file", kind);
    }
    return S_ISREG(status->st_mode);
}

/* Devices may do something when they are opened, so the name is looked at first; it may get another
 * meaning until it is opened, so what was opened is looked at, too. */
static int open_regular(const char *path, bool locked, bool *missing, struct stat *status,
                        char *reason)
{
    int flags = locked ? O_RDWR | O_CREAT : O_RDONLY;
    int file;

    *missing = false;
    if (lstat(path, status) == 0 && !is_regular(status, reason)) {
        return -1;
    }
    file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) {
        *missing = !locked && errno == ENOENT;
        explain(reason, "can't be opened");
        return -1;
    }
    bool known = fstat(file, status) == 0;
    if (!known) {
        explain(reason, "can't be looked at");
    }
    int error = known ? keel_safe_file_check(path, status) : 0;
    if (error != 0) {
        keel_memory_reason(reason, "can't be used: %s", keel_safe_file_reason(error));
    }
    if (!known || error != 0 || !is_regular(status, reason)) {
        close(file);
        return -1;
    }
    return file;
}

static bool lock(int file, char *reason)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000};

    for (int i = 0; i < WAIT_STEPS; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK && errno != EINTR) {
            explain(reason, "can't be locked");
            return false;
        }
        nanosleep(&step, NULL);
    }
    keel_memory_reason(reason, "has been locked by others for %d s",
                       WAIT_STEPS * WAIT_STEP_MS / 1000);
    return false;
}

/* Who waited for the lock may hold that of a file which has been replaced. */
static bool is_current(const char *path, const struct stat *status)
{
    struct stat named;

    return lstat(path, &named) == 0 && named.st_dev == status->st_dev &&
           named.st_ino == status->st_ino;
}

int keel_memory_file_open(const char *path, bool locked, bool *missing, struct stat *status,
                          char *reason)
{
    for (;;) {
        int file = open_regular(path, locked, missing, status, reason);
        if (file < 0 || !locked) {
            return file;
        }
        if (!lock(file, reason)) {
            close(file);
            return -1;
        }
        if (is_current(path, status)) {
            return file;
        }
        keel_memory_file_close(file);
    }
}

/* Children that were forked meanwhile share the lock, so closing alone would not give it up. */
void keel_memory_file_close(int file)
{
    flock(file, LOCK_UN);
    close(file);
}

/* --- reading --- */

char *keel_memory_file_read(int file, size_t most, size_t *length, char *reason)
{
    struct stat status;
    char *text = NULL;
    ssize_t count = -1;

    *length = 0;
    if (fstat(file, &status) != 0 || status.st_size < 0) {
        explain(reason, "can't be read");
    } else if ((size_t)status.st_size > most) {
        keel_memory_reason(reason, "has %zu bytes, expected at most %zu", (size_t)status.st_size,
                           most);
    } else if ((text = malloc((size_t)status.st_size + 1)) == NULL) {
        explain(reason, "can't be read");
    } else {
        while ((count = read(file, text + *length, (size_t)status.st_size - *length)) > 0) {
            *length += (size_t)count;
        }
        if (count < 0) {
            explain(reason, "can't be read");
            free(text);
            text = NULL;
        } else {
            text[*length] = '\0';
        }
    }
    return text;
}

/* --- replacing --- */

/* The group, which the rights are meant for, stays, and the owner where that is allowed; the rights
 * come last, because chown takes some away. */
static bool fill(int file, const struct stat *status, const char *text, size_t length)
{
    size_t done;
    bool same_group = fchown(file, (uid_t)-1, status->st_gid) == 0;
    bool same_owner = fchown(file, status->st_uid, (gid_t)-1) == 0;

    (void)same_owner;
    if (fchmod(file, status->st_mode & (same_group ? 0777 : 0700)) != 0) {
        return false;
    }
    errno = keel_trace_file_write(file, text, length, -1, &done);
    return errno == 0 && fsync(file) == 0;
}

bool keel_memory_file_replace(const char *path, const struct stat *status, const char *text,
                              size_t length, char *reason)
{
    char *name;
    int file = keel_replaced_file_begin(path, &name);

    if (file >= 0) {
        int error = fill(file, status, text, length) ? 0 : errno;
        errno = keel_replaced_file_end(file, name, path, error);
    }
    if (file < 0 || errno != 0) {
        explain(reason, "can't be replaced");
        return false;
    }
    return true;
}

bool keel_memory_file_may_be_made(const char *path, char *reason)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    bool may = folder != NULL && access(folder, W_OK | X_OK) == 0;

    if (!may) {
        explain(reason, "can't be made");
    }
    free(folder);
    return may;
}
