/* Opening traces, and writing to them. */
#define _GNU_SOURCE
#include "omp_ext/support/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "schedules/text/number.h"

#define NUMBER_LEAST 64 /* of descriptors: programs may count on the first ones */
#define READER_WAIT_MS 10
#define READER_WAITS 100

/* --- opening --- */

static int copy_of(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, NUMBER_LEAST);

    return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

static bool is_open_for_writing(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* The descriptor that /dev/fd/N means; -1: `path` is something else. */
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
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int descriptor = open(path, flags, 0666);

    for (int i = 0; descriptor < 0 && errno == ENXIO && pipe && i < READER_WAITS; i++) {
        nanosleep(&step, NULL);
        descriptor = open(path, flags, 0666);
    }
    if (descriptor >= 0) {
        int copy = copy_of(descriptor);
        close(descriptor);
        descriptor = copy;
    }
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

int keel_trace_file_open(const char *path)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    int known = known_descriptor(path);

    return known >= 0 ? copy_of(known) : open_new(path, there && S_ISFIFO(status.st_mode));
}

const char *keel_trace_file_reason(int error)
{
    return error == ENXIO ? "nobody reads it" : strerror(error);
}

/* --- writing --- */

/* The signal of a reader that has gone, or of a file that may not grow, is taken back, unless the
 * program waits for one itself. */
static ssize_t write_quietly(int descriptor, const char *text, size_t length)
{
    const struct timespec at_once = {0, 0};
    sigset_t raised, before, pending;

    sigemptyset(&raised);
    sigaddset(&raised, SIGPIPE);
    sigaddset(&raised, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &raised, &before);
    ssize_t written = write(descriptor, text, length);
    int error = errno;
    int signal = error == EPIPE ? SIGPIPE : SIGXFSZ;
    if (written < 0 && (error == EPIPE || error == EFBIG) && !sigismember(&pending, signal)) {
        sigdelset(&raised, signal == SIGPIPE ? SIGXFSZ : SIGPIPE);
        sigtimedwait(&raised, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static bool may_go_on(int descriptor)
{
    struct pollfd ready = {.fd = descriptor, .events = POLLOUT};

    return errno == EINTR || (errno == EAGAIN && poll(&ready, 1, -1) >= 0);
}

/* All of it, or 0, which is an error of the stream. */
static ssize_t write_all(void *cookie, const char *text, size_t length)
{
    struct keel_trace_file *file = cookie;

    for (size_t done = 0; done < length;) {
        ssize_t written = write_quietly(file->descriptor, text + done, length - done);
        if (written < 0 && !may_go_on(file->descriptor)) {
            file->error = errno;
            return 0;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return (ssize_t)length;
}

FILE *keel_trace_file_stream(struct keel_trace_file *file)
{
    return fopencookie(file, "w", (cookie_io_functions_t){.write = write_all});
}
