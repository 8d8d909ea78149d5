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
#define STEP (UINT64_C(256) << 10) /* by which it grows at least */

static size_t rounded(size_t bytes)
{
    return (bytes + STEP - 1) / STEP * STEP;
}

/* Addresses alone. Where they are limited, fewer will do. */
static bool reserve(struct keel_recording_store *store)
{
    for (size_t bytes = KEEL_RECORDING_BYTES_MAX; bytes >= RESERVED_MIN; bytes /= 4) {
        void *memory =
            mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            store->base = memory;
            store->reserved = bytes;
            return true;
        }
    }
    return false;
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
         status.st_ino != store->inode || (size_t)status.st_size != store->bytes)) {
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

static int map_file(struct keel_recording_store *store, int descriptor, size_t to)
{
    int error = allocate(descriptor, store->bytes, to);

    if (error == 0 && mmap(store->base + store->bytes, to - store->bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_FIXED, descriptor, (off_t)store->bytes) == MAP_FAILED) {
        error = errno;
    }
    if (error != 0 && ftruncate(descriptor, (off_t)store->bytes) != 0) {
        return errno;
    }
    return error;
}

/* --- both --- */

static int extend(struct keel_recording_store *store, int descriptor, size_t to)
{
    int error = 0;

    if (store->path[0] != '\0') {
        error = map_file(store, descriptor, to);
    } else if (mprotect(store->base + store->bytes, to - store->bytes, PROT_READ | PROT_WRITE) !=
               0) {
        error = errno;
    }
    if (error == 0) {
        store->bytes = to;
    }
    return error;
}

static int open_and_extend(struct keel_recording_store *store, size_t to)
{
    bool in_file = store->path[0] != '\0';
    int descriptor = !in_file ? -1 : store->bytes == 0 ? create(store) : open_again(store);

    if (in_file && descriptor < 0) {
        return errno;
    }
    int error = extend(store, descriptor, to);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return error;
}

int keel_recording_store_open(struct keel_recording_store *store, const char *path, size_t bytes)
{
    *store = (struct keel_recording_store){0};
    if (path != NULL && strlen(path) >= sizeof store->path) {
        return ENAMETOOLONG;
    }
    if (!reserve(store)) {
        return ENOMEM;
    }
    snprintf(store->path, sizeof store->path, "%s", path != NULL ? path : "");
    int error = open_and_extend(store, rounded(bytes));
    if (error != 0) {
        if (store->inode != 0) {
            unlink(store->path);
        }
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
    int error = open_and_extend(store, rounded(bytes));
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
