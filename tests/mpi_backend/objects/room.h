/* Memory in programs that use libkeel_mpi.so: what is in use, and allocations of the library that
 * fail. The functions of the C library are replaced. */
#ifndef TESTS_MPI_BACKEND_OBJECTS_ROOM_H
#define TESTS_MPI_BACKEND_OBJECTS_ROOM_H

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The C library's own names. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static struct {
    uintptr_t start, end;
} room_library; /* where its code is */

static long room_left;      /* allocations of the library until one fails; 0: none does */
static bool room_all;       /* those that follow fail, too */
static unsigned room_fails; /* have failed since room_ends_after() */

static bool room_refuses(const void *caller)
{
    uintptr_t place = (uintptr_t)caller;

    if (room_left == 0 || place < room_library.start || place >= room_library.end ||
        --room_left > 0) {
        return false;
    }
    room_left = room_all;
    room_fails++;
    return true;
}

void *malloc(size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return room_refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

static int room_find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; strstr(info->dlpi_name, "libkeel_mpi.so") != NULL && i < info->dlpi_phnum;
         i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            room_library.start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            room_library.end = room_library.start + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

/* The number-th allocation of the library from now on fails, from 1; all: those after it, too. By
 * one thread. 0: none does. */
static inline void room_ends_after(long number, bool all)
{
    dl_iterate_phdr(room_find, NULL);
    room_left = number;
    room_all = all;
    room_fails = 0;
}

/* Memory of the process that was asked for and not given back, bytes. */
static inline uint64_t room_used(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* The process gets no more than so many bytes beside what it has. RLIM_INFINITY: as before. */
static inline void room_limit(rlim_t bytes)
{
    struct rlimit limit;
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    getrlimit(RLIMIT_AS, &limit);
    if (file != NULL && fscanf(file, "%ld", &pages) == 1) {
        limit.rlim_cur =
            bytes == RLIM_INFINITY ? limit.rlim_max : (rlim_t)pages * (rlim_t)getpagesize() + bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
    if (file != NULL) {
        fclose(file);
    }
}

#endif
