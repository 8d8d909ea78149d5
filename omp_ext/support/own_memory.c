/* Memory outside of the program's heap. */
#define _GNU_SOURCE
#include "omp_ext/support/own_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
#define BLOCK ((size_t)64 << 10) /* what is asked of the system at a time */

static char *next; /* guarded by keel_slow_lock, and so is `left` */
static size_t left;

/* A new block; what is left of the last one is lost. */
static bool add_block(size_t bytes)
{
    size_t size = bytes > BLOCK ? (bytes + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
    int kept_errno = errno;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    errno = kept_errno;
    if (block == MAP_FAILED) {
        return false;
    }
    next = block;
    left = size;
    return true;
}

static size_t in_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

void *keel_own_memory(size_t bytes)
{
    size_t size = in_lines(bytes);

    if (bytes > SIZE_MAX - BLOCK || (size > left && !add_block(size))) {
        return NULL;
    }
    void *memory = next;
    next += size;
    left -= size;
    return memory;
}

void keel_own_memory_take_back(void *memory, size_t bytes)
{
    size_t size = in_lines(bytes);

    if (memory != NULL && (char *)memory + size == next) {
        memset(memory, 0, bytes);
        next -= size;
        left += size;
    }
}
