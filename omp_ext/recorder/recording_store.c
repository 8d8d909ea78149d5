/* Memory for a recording. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording_store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/recorder/recording_format.h"

#define RESERVED_MIN (UINT64_C(1) << 20)
#define STEP (UINT64_C(256) << 10) /* by which a file grows at least */

static size_t rounded(size_t bytes)
{
    return (bytes + STEP - 1) / STEP * STEP;
}

/* All addresses that it may ever need; of a file, also those behind its end. Where addresses are
 * limited, fewer will do. */
static int map(struct keel_recording_store *store, int file)
{
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

    for (size_t bytes = KEEL_RECORDING_BYTES_MAX; bytes >= RESERVED_MIN; bytes /= 4) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
        if (memory != MAP_FAILED) {
            store->base = memory;
            store->reserved = bytes;
            return 0;
        }
    }
    return errno;
}

/* --- the file --- */

/* Not among the first descriptors, one of which the program may have closed to open another in its
 * place. */
static int out_of_the_way(int descriptor)
{
    int copy = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 100) : -1;

    if (copy >= 0) {
        close(descriptor);
    }
    return copy >= 0 ? copy : descriptor;
}

/* A file of the name may be another process's, which must not lose what it has mapped: it is
 * replaced, not emptied. */
static int create(struct keel_recording_store *store)
{
    struct stat status;

    if (lstat(store->path, &status) == 0 && S_ISREG(status.st_mode)) {
        unlink(store->path);
    }
    int descriptor =
        out_of_the_way(open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
        store->device = status.st_dev;
        store->inode = status.st_ino;
    }
    return descriptor;
}

/* It is not kept open: the program may close all descriptors, and open others. */
static int open_again(const struct keel_recording_store *store)
{
    struct stat status;
    int descriptor = out_of_the_way(open(store->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));

    if (descriptor >= 0 &&
        (fstat(descriptor, &status) != 0 || status.st_dev != store->device ||
         status.st_ino != store->inode || (size_t)status.st_size < store->bytes)) {
        close(descriptor);
        errno = ENOENT;
        return -1;
    }
    return descriptor;
}

/* Asks for blocks. The signal of a file that would be too large is taken back. */
static int allocate(int descriptor, size_t from, size_t to)
{
    const struct timespec at_once = {0, 0};
    sigset_t too_large, before, pending;

    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    int error = posix_fallocate(descriptor, (off_t)from, (off_t)(to - from));
    if (error == EFBIG && !sigismember(&pending, SIGXFSZ)) {
        sigtimedwait(&too_large, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* --- both --- */

int keel_recording_store_open(struct keel_recording_store *store, const char *path, size_t bytes)
{
    *store = (struct keel_recording_store){0};
    if (path != NULL && strlen(path) >= sizeof store->path) {
        return ENAMETOOLONG;
    }
    snprintf(store->path, sizeof store->path, "%s", path != NULL ? path : "");
    int file = path != NULL ? create(store) : -1;
    if (path != NULL && file < 0) {
        return errno;
    }
    int error = map(store, file);
    store->bytes = store->reserved;
    if (error == 0 && file >= 0) {
        store->bytes = rounded(bytes);
        error = allocate(file, 0, store->bytes);
    }
    if (file >= 0) {
        close(file);
    }
    if (error != 0) {
        keel_recording_store_remove(store);
        munmap(store->base, store->reserved);
        store->base = NULL;
    }
    return error;
}

int keel_recording_store_grow(struct keel_recording_store *store, size_t bytes)
{
    int kept_errno = errno;

    if (bytes <= store->bytes) {
        return 0;
    }
    if (rounded(bytes) > store->reserved) {
        return ENOMEM;
    }
    int file = open_again(store);
    int error = file >= 0 ? allocate(file, store->bytes, rounded(bytes)) : errno;
    if (error == 0) {
        store->bytes = rounded(bytes);
    }
    if (file >= 0) {
        close(file);
    }
    errno = kept_errno;
    return error;
}

void keel_recording_store_remove(struct keel_recording_store *store)
{
    struct stat status;

    if (store->path[0] != '\0' && lstat(store->path, &status) == 0 &&
        status.st_dev == store->device && status.st_ino == store->inode) {
        unlink(store->path);
    }
}
