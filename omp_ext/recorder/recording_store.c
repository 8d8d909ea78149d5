/* The memory or file of the recording. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

#define STEP (UINT64_C(256) << 10) /* bytes by which a file grows at least */

static struct {
    char *base;          /* NULL before it is opened */
    size_t bytes;        /* usable ones */
    char path[PATH_MAX]; /* absolute; "": in memory */
    dev_t device;
    ino_t inode;
} store;

/* --- the name of the file --- */

const char *keel_report_file_name(void)
{
    static char known[PATH_MAX]; /* written by the first call, before other threads call */
    static bool asked, found;
    const char *name = keel_settings()->report_file;

    if (!asked) {
        found = name != NULL && keel_report_file_path(name, known);
        asked = true;
    }
    return found ? known : NULL;
}

/* Whether to make files beside it: not for devices or files that the program itself writes to. */
static bool has_files_beside(const char *path)
{
    struct stat status;

    return !keel_trace_file_is_shared(path) &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ||
            S_ISDIR(status.st_mode));
}

/* Whether the file is of an earlier program of this process, which has called exec(). */
static bool is_left_by_exec(const char *path)
{
    struct keel_recording_header header;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = file >= 0 ? read(file, &header, sizeof header) : 0;

    if (file >= 0) {
        close(file);
    }
    return got == sizeof header &&
           memcmp(header.magic, KEEL_RECORDING_MAGIC, sizeof header.magic) == 0 &&
           header.pid == getpid();
}

/* For KEEL_EXPLAIN alone: beside the mark file of `keel run`, which reports the recording if a
 * signal has ended the program. */
static bool name_beside_mark(void)
{
    const struct keel_settings *settings = keel_settings();
    const char *mark = settings->mark_file;

    if (settings->report || mark == NULL || strlen(mark) >= PATH_MAX - KEEL_REPORT_ENDING_MAX ||
        keel_launch_role(keel_environment_value) == KEEL_LAUNCH_OTHER) {
        return false;
    }
    sprintf(store.path, "%s.%ld", mark, (long)getpid());
    return true;
}

/* Sets store.path: the name of the report's file and ".recording"; for a rank of a job,
 * ".RANK.recording". If exec() has left a file of that name, which is kept, a number is added. "":
 * the recording is kept in memory. */
static void find_name(int rank)
{
    const char *report = keel_report_file_name();

    if (!name_beside_mark()) {
        strcpy(store.path, report != NULL && has_files_beside(report) ? report : "");
    }
    size_t length = strlen(store.path);
    if (length == 0) {
        return;
    }
    if (store.path[length - 1] == '/') {
        length += (size_t)sprintf(store.path + length, "%ld", (long)getpid());
    }
    if (rank >= 0) {
        length += (size_t)sprintf(store.path + length, ".%d", rank);
    }
    strcpy(store.path + length, ".recording");
    for (unsigned i = 2; i < 100 && is_left_by_exec(store.path); i++) {
        sprintf(store.path + length, ".%u.recording", i);
    }
}

/* --- the file --- */

/* A file of the name may be mapped by another process, which must not lose its contents: it is
 * replaced, not truncated. */
static int create(void)
{
    struct stat status;

    if (lstat(store.path, &status) == 0 && S_ISREG(status.st_mode)) {
        unlink(store.path);
    }
    int descriptor = keel_trace_file_move(
        open(store.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
        store.device = status.st_dev;
        store.inode = status.st_ino;
    }
    return descriptor;
}

/* The file is not kept open: the program may close all descriptors and open others. */
static int open_again(void)
{
    struct stat status;
    int descriptor = keel_trace_file_move(open(store.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));

    if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || status.st_dev != store.device ||
                            status.st_ino != store.inode || (size_t)status.st_size < store.bytes)) {
        close(descriptor);
        errno = ENOENT;
        return -1;
    }
    return descriptor;
}

/* --- memory --- */

static size_t rounded(size_t bytes)
{
    return (bytes + STEP - 1) / STEP * STEP;
}

/* Maps all addresses that the recording may ever need, also those beyond the end of a file. */
static int map(int file)
{
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, KEEL_RECORDING_BYTES_MAX, PROT_READ | PROT_WRITE, flags, file, 0);

    store.base = memory != MAP_FAILED ? memory : NULL;
    return store.base != NULL ? 0 : errno;
}

static int open_file(size_t bytes)
{
    int file = create();
    int error = file >= 0 ? map(file) : errno;

    if (error == 0) {
        store.bytes = rounded(bytes);
        error = keel_trace_file_allocate(file, 0, store.bytes);
    }
    if (error != 0 && store.base != NULL) {
        munmap(store.base, KEEL_RECORDING_BYTES_MAX);
    }
    if (error != 0 && file >= 0) {
        keel_recording_store_remove();
    }
    if (file >= 0) {
        close(file);
    }
    return error;
}

void *keel_recording_store_open(size_t bytes, int rank)
{
    find_name(rank);
    int error = store.path[0] != '\0' ? open_file(bytes) : 0;
    if (error != 0 && keel_settings()->report) {
        keel_message("KEEL_REPORT: '%.300s' cannot be written: %s; if the program is killed, "
                     "its recording is lost",
                     store.path, strerror(error));
    }
    if (error != 0 || store.path[0] == '\0') {
        store.path[0] = '\0';
        error = map(-1);
        store.bytes = KEEL_RECORDING_BYTES_MAX;
    }
    if (error != 0) {
        keel_message("KEEL_REPORT: no memory to record anything: %s", strerror(error));
    }
    return error == 0 ? store.base : NULL;
}

int keel_recording_store_grow(size_t bytes)
{
    int kept_errno = errno;

    if (bytes <= store.bytes) {
        return 0;
    }
    if (rounded(bytes) > KEEL_RECORDING_BYTES_MAX) {
        return ENOMEM;
    }
    int file = open_again();
    int error = file >= 0 ? keel_trace_file_allocate(file, store.bytes, rounded(bytes)) : errno;
    if (error == 0) {
        store.bytes = rounded(bytes);
    }
    if (file >= 0) {
        close(file);
    }
    errno = kept_errno;
    return error;
}

void keel_recording_store_remove(void)
{
    struct stat status;

    if (store.path[0] != '\0' && lstat(store.path, &status) == 0 && status.st_dev == store.device &&
        status.st_ino == store.inode) {
        unlink(store.path);
    }
}
