/* The heap of Keel's libraries: the linker puts these functions in the place of malloc() and its
 * relatives (--wrap) in all that is linked into one of them.
 *
 * Keel's memory for a loop that has begun would lie in the program's heap above the program's own
 * arrays. Then glibc no longer gives back to the system the memory that the program frees below,
 * and a large block that Keel frees raises the sizes from which glibc does so. The program would
 * have fewer page faults, or more, for a reason that is not Keel's: what is measured is not
 * scheduling.
 *
 * Blocks have sizes of powers of two and are kept for reuse. Where another allocator stands in for
 * glibc's, such as a sanitizer's, it is used. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
#define LEAST_CLASS 7           /* blocks of 128 bytes, header included */
#define CLASSES 44              /* up to 2^43 bytes */
#define LARGE ((size_t)1 << 17) /* bytes from which the pages of a free block are given back */
#define REGION ((size_t)1 << 18)
#define REGIONS 48 /* each at least as large as all before it */

extern void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t),
    *__real_aligned_alloc(size_t, size_t);
extern void __real_free(void *);
extern void *__libc_malloc(size_t);

/* In front of what the caller gets, which begins on a cache line. */
struct block {
    _Alignas(64) unsigned kind; /* its size is 2^kind */
    struct block *next;         /* while it is free */
};

/* Written under `mutex`. Each change becomes valid by one store, so that a child that was forked
 * while another thread was in here finds the heap whole. */
static struct block *_Atomic unused[CLASSES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handled = PTHREAD_ONCE_INIT;

/* New blocks begin at `next` of the last region. */
static struct {
    char *begin, *end;
    char *_Atomic next;
} region[REGIONS];
static _Atomic unsigned regions;

static void unlock_in_child(void)
{
    pthread_mutex_init(&mutex, NULL);
}

static void handle_fork(void)
{
    pthread_atfork(NULL, NULL, unlock_in_child);
}

static bool is_own(const void *memory)
{
    /* acquire: pairs with the release in add_region() */
    unsigned count = atomic_load_explicit(&regions, memory_order_acquire);

    for (unsigned i = 0; i < count; i++) {
        if ((const char *)memory >= region[i].begin && (const char *)memory < region[i].end) {
            return true;
        }
    }
    return false;
}

/* What is left of the last one is lost. */
static bool add_region(size_t bytes)
{
    unsigned count = atomic_load_explicit(&regions, memory_order_relaxed);
    size_t size = count < REGIONS ? REGION << (count < 24 ? count : 24) : 0;
    int kept_errno = errno;

    if (size == 0) {
        return false;
    }
    size = size < bytes ? bytes : size;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = kept_errno;
    if (memory == MAP_FAILED) {
        return false;
    }
    region[count].begin = memory;
    region[count].end = memory + size;
    atomic_store_explicit(&region[count].next, memory, memory_order_relaxed);
    /* release: see is_own() */
    atomic_store_explicit(&regions, count + 1, memory_order_release);
    return true;
}

/* What the last region has never given away. */
static size_t fresh_bytes(void)
{
    unsigned count = atomic_load(&regions);

    return count > 0 ? (size_t)(region[count - 1].end - atomic_load(&region[count - 1].next)) : 0;
}

/* *clean: the block has never been used. NULL: there is no memory. */
static struct block *take_block(unsigned kind, bool *clean)
{
    struct block *block = atomic_load(&unused[kind]);

    *clean = block == NULL;
    if (block != NULL) {
        atomic_store(&unused[kind], block->next);
        return block;
    }
    size_t size = (size_t)1 << kind;
    if (fresh_bytes() < size && !add_region(size)) {
        return NULL;
    }
    char *_Atomic *next = &region[atomic_load(&regions) - 1].next;
    block = (struct block *)atomic_load(next);
    atomic_store(next, (char *)block + size);
    block->kind = kind;
    return block;
}

static unsigned kind_of(size_t bytes)
{
    size_t size = bytes + sizeof(struct block);
    unsigned kind = 64 - (unsigned)__builtin_clzl(size - 1);

    return kind < LEAST_CLASS ? LEAST_CLASS : kind;
}

/* NULL: glibc's malloc() has to do. */
static void *take(size_t bytes, bool *clean)
{
    if (__real_malloc != __libc_malloc || bytes > (size_t)1 << (CLASSES - 2)) {
        return NULL;
    }
    pthread_once(&fork_handled, handle_fork);
    pthread_mutex_lock(&mutex);
    struct block *block = take_block(kind_of(bytes), clean);
    pthread_mutex_unlock(&mutex);
    return block != NULL ? block + 1 : NULL;
}

void *__wrap_malloc(size_t bytes)
{
    bool clean;
    void *memory = take(bytes, &clean);

    return memory != NULL ? memory : __real_malloc(bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    bool clean;
    void *memory = alignment <= LINE ? take(bytes, &clean) : NULL;

    return memory != NULL ? memory : __real_aligned_alloc(alignment, bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
    bool clean;
    size_t bytes;
    void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes, &clean);

    if (memory == NULL) {
        return __real_calloc(count, size);
    }
    return clean ? memory : memset(memory, 0, bytes);
}

char *__wrap_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = __wrap_malloc(length + 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, SIZE_MAX);
}

/* Those of the C library, such as asprintf()'s, are glibc's. */
void __wrap_free(void *memory)
{
    if (memory == NULL || !is_own(memory)) {
        __real_free(memory);
        return;
    }
    struct block *block = (struct block *)memory - 1;
    size_t size = (size_t)1 << block->kind;
    if (size >= LARGE) {
        int kept_errno = errno;
        uintptr_t page = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
        madvise((void *)page, ((uintptr_t)block + size - page) & ~(uintptr_t)4095, MADV_DONTNEED);
        errno = kept_errno;
    }
    pthread_mutex_lock(&mutex);
    block->next = atomic_load(&unused[block->kind]);
    atomic_store(&unused[block->kind], block);
    pthread_mutex_unlock(&mutex);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (memory == NULL) {
        return __wrap_malloc(bytes);
    }
    if (!is_own(memory)) {
        return __real_realloc(memory, bytes);
    }
    size_t room = ((size_t)1 << ((struct block *)memory - 1)->kind) - sizeof(struct block);
    if (bytes <= room) {
        return memory;
    }
    void *larger = __wrap_malloc(bytes);
    if (larger != NULL) {
        memcpy(larger, memory, room);
        __wrap_free(memory);
    }
    return larger;
}
