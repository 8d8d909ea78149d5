/* Opening traces, and writing to them. */
#define _GNU_SOURCE
#include "omp_ext/support/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/text/text.h"

#define NUMBER_LEAST 64 /* of descriptors: programs may count on the first ones */
#define READER_WAIT_MS 10
#define READER_WAITS 100

/* --- opening --- */

bool keel_trace_file_name(const char *name, char *path)
{
    const char *slash = strrchr(name, '/');
    size_t length = 0;

    for (; *name != '\0' && length < PATH_MAX - 16; name++) {
        if (name[0] == '%' && name[1] == 'p' && (slash == NULL || name > slash)) {
            length += (size_t)sprintf(path + length, "%ld", (long)getpid());
            name++;
        } else {
            path[length++] = *name;
        }
    }
    path[length] = '\0';
    return *name == '\0';
}

/* Without memory of the program's heap, or much of its stack. */
bool keel_trace_file_absolute(char *path)
{
    size_t length = strlen(path);

    if (path[0] == '/') {
        return true;
    }
    char *name = memmove(path + PATH_MAX - 1 - length, path, length + 1);
    bool fits = getcwd(path, PATH_MAX - 1 - length) != NULL;
    size_t before = fits ? strlen(path) : 0;
    memmove(path + before + fits, name, length + 1);
    if (fits) {
        path[before] = '/';
    }
    return fits;
}

static int copy_of(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, NUMBER_LEAST);

    return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

int keel_trace_file_move(int descriptor)
{
    int copy = descriptor >= 0 ? copy_of(descriptor) : -1;

    if (copy >= 0) {
        close(descriptor);
    }
    return copy >= 0 ? copy : descriptor;
}

static bool is_open_for_writing(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* The descriptor N of /dev/fd/N; -1: `path` is another file. */
static int numbered(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t number;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 &&
            keel_number_whole(path + length, 0, INT32_MAX, &number)) {
            return (int)number;
        }
    }
    return -1;
}

/* The standard descriptor that has the file open already; -1: none. */
static int standard(const struct stat *file)
{
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct stat status;
        if (fstat(descriptor, &status) == 0 && status.st_dev == file->st_dev &&
            status.st_ino == file->st_ino && is_open_for_writing(descriptor)) {
            return descriptor;
        }
    }
    return -1;
}

/* Without waiting for a reader of a pipe longer than a second. */
static int open_new(const char *path, bool pipe)
{
    const struct timespec step = {.tv_nsec = READER_WAIT_MS * 1000000};
    int flags = O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int descriptor = keel_safe_file_open(path, flags);

    for (int i = 0; descriptor < 0 && errno == ENXIO && pipe && i < READER_WAITS; i++) {
        nanosleep(&step, NULL);
        descriptor = keel_safe_file_open(path, flags);
    }
    descriptor = keel_trace_file_move(descriptor);
    if (descriptor >= 0) {
        fcntl(descriptor, F_SETFL, 0); /* may block from here on */
    }
    return descriptor;
}

/* The descriptor that `path` means, or that has it open already; -1: none. */
static int known_descriptor(const char *path)
{
    struct stat status;
    int known = numbered(path);

    return known < 0 && stat(path, &status) == 0 ? standard(&status) : known;
}

bool keel_trace_file_is_shared(const char *path)
{
    return known_descriptor(path) >= 0;
}

bool keel_trace_file_is_plain(const char *path)
{
    struct stat status;

    return !keel_trace_file_is_shared(path) &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

int keel_trace_file_open(const char *path)
{
    struct stat status;
    bool pipe = stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
    int known = known_descriptor(path);

    return known >= 0 ? copy_of(known) : open_new(path, pipe);
}

const char *keel_trace_file_reason(int error)
{
    return error == ENXIO ? "no process reads it" : keel_safe_file_reason(error);
}

/* --- writing --- */

/* The signals of a reader that has gone, and of a file that is as large as it may be, come to the
 * thread that writes. They are taken back, unless the program waits for one itself. */
struct quiet {
    sigset_t signals, before, pending;
};

static void begin_quiet(struct quiet *quiet)
{
    sigemptyset(&quiet->signals);
    sigaddset(&quiet->signals, SIGPIPE);
    sigaddset(&quiet->signals, SIGXFSZ);
    sigpending(&quiet->pending);
    pthread_sigmask(SIG_BLOCK, &quiet->signals, &quiet->before);
}

/* is_short: not all was written. A pipe whose reader goes meanwhile raises the signal and still
 * returns what it has taken. */
static void end_quiet(struct quiet *quiet, bool is_short)
{
    static const int numbers[] = {SIGPIPE, SIGXFSZ};
    const struct timespec at_once = {0, 0};

    for (size_t i = 0; is_short && i < sizeof numbers / sizeof *numbers; i++) {
        if (!sigismember(&quiet->pending, numbers[i])) {
            sigset_t raised;
            sigemptyset(&raised);
            sigaddset(&raised, numbers[i]);
            sigtimedwait(&raised, NULL, &at_once);
        }
    }
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
}

ssize_t keel_trace_file_write_once(int descriptor, const char *text, size_t length, int64_t offset)
{
    struct quiet quiet;

    begin_quiet(&quiet);
    ssize_t written = offset >= 0 ? pwrite(descriptor, text, length, (off_t)offset)
                                  : write(descriptor, text, length);
    int error = written < 0 ? errno : 0;
    end_quiet(&quiet, written < (ssize_t)length);
    errno = error;
    return written;
}

/* Waits where the descriptor would block. */
static bool may_go_on(int descriptor)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};

    return errno == EINTR || (errno == EAGAIN && (poll(&ready, 1, -1) > 0 || errno == EINTR));
}

static int write_whole(int descriptor, const char *text, size_t length, int64_t offset,
                       size_t *done)
{
    *done = 0;
    while (*done < length) {
        ssize_t written = keel_trace_file_write_once(descriptor, text + *done, length - *done,
                                                     offset < 0 ? -1 : offset + (int64_t)*done);
        if (written < 0 && !may_go_on(descriptor)) {
            return errno;
        }
        *done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int keel_trace_file_write(int descriptor, const char *text, size_t length, int64_t offset,
                          size_t *done)
{
    int cancel_state = keel_uncancelled_begin();
    int error = write_whole(descriptor, text, length, offset, done);

    keel_uncancelled_end(cancel_state);
    return error;
}

int keel_trace_file_allocate(int descriptor, size_t from, size_t to)
{
    struct quiet quiet;

    begin_quiet(&quiet);
    int error = posix_fallocate(descriptor, (off_t)from, (off_t)(to - from));
    end_quiet(&quiet, error == EFBIG);
    return error;
}
