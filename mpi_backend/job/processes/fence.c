/* The fence in front of a process that others have left out. */
#define _GNU_SOURCE
#include "mpi_backend/job/processes/fence.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE sizeof(struct fence)
#define CLOSES_ON_EXEC 1u /* MFD_CLOEXEC, which glibc has since 2.27 */
#define FENCE_MIN 3       /* descriptors below are the program's, also where it has closed them */

/* Both begin at 0. */
struct fence {
    _Atomic uint64_t epoch;
    _Atomic uint64_t out; /* 1 more than the epoch in which it was shut last */
};

static struct fence *own; /* NULL: there is none */
static int64_t own_fence;
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Not among the first descriptors. Less than 0: there is none. */
static int make_file(void)
{
    int file = (int)syscall(SYS_memfd_create, "keel-fence", CLOSES_ON_EXEC);
    int moved = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, FENCE_MIN) : -1;

    if (file >= 0) {
        close(file);
    }
    return moved;
}

static void make(void)
{
    int file = make_file();

    if (file < 0) {
        return;
    }
    void *at = ftruncate(file, SIZE) == 0
                   ? mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        close(file);
        return;
    }
    own = at;
    own_fence = file;
}

int64_t keel_mpi_fence_make(void)
{
    pthread_once(&made, make);
    return own_fence;
}

/* --- this process's --- */

bool keel_mpi_fence_read(uint64_t *epoch)
{
    *epoch = own != NULL ? atomic_load(&own->epoch) : 0;
    return own != NULL && atomic_load(&own->out) == *epoch + 1;
}

bool keel_mpi_fence_is_shut(void)
{
    uint64_t epoch;

    return keel_mpi_fence_read(&epoch);
}

bool keel_mpi_fence_shut_own(void)
{
    if (own != NULL) {
        atomic_store(&own->out, atomic_load(&own->epoch) + 1);
    }
    return own != NULL;
}

void keel_mpi_fence_lift(uint64_t epoch)
{
    if (own != NULL) {
        atomic_store(&own->epoch, epoch);
    }
}

/* --- those of others --- */

static int open_other(int64_t pid, int64_t fence, int how)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)pid, (long long)fence);
    return fence > 0 ? open(path, how | O_CLOEXEC) : -1;
}

static bool read_other(int file, uint64_t word[2])
{
    return file >= 0 && pread(file, word, SIZE, 0) == (ssize_t)SIZE;
}

bool keel_mpi_fence_look(int64_t pid, int64_t fence)
{
    int file = open_other(pid, fence, O_RDONLY);
    uint64_t word[2];
    bool shut = read_other(file, word) && word[1] == word[0] + 1;

    if (file >= 0) {
        close(file);
    }
    return shut;
}

bool keel_mpi_fence_shut(int64_t pid, int64_t fence)
{
    int file = open_other(pid, fence, O_RDWR);
    uint64_t word[2];
    bool written = false;

    if (read_other(file, word)) {
        word[1] = word[0] + 1;
        written = pwrite(file, &word[1], sizeof word[1], sizeof word[0]) == sizeof word[1];
    }

    if (file >= 0) {
        close(file);
    }
    return written;
}
