/* Preloaded: the n-th allocation of Keel's libraries fails, or with KEEL_TEST_FAIL_ALL all from it
 * on. KEEL_TEST_FAIL_AT is n, from 1; what libgomp and the C library ask for is given. Libraries
 * inside Keel's, such as the one for JSON, count as Keel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void keel_test_fail_after(long allocations, int all_behind);
int keel_test_has_failed(void);

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static long left = -1;
static int all, failed;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("KEEL_TEST_FAIL_AT");

    all = getenv("KEEL_TEST_FAIL_ALL") != NULL;
    left = number != NULL ? strtol(number, NULL, 10) : -1;
}

/* For programs: so many are given from now on, then one fails, or all do. */
void keel_test_fail_after(long allocations, int all_behind)
{
    all = all_behind;
    __atomic_store_n(&left, allocations + 1, __ATOMIC_RELAXED);
}

int keel_test_has_failed(void)
{
    return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}

static int fails(const void *caller)
{
    Dl_info from;

    if (__atomic_load_n(&left, __ATOMIC_RELAXED) <= 0 || dladdr(caller, &from) == 0 ||
        strstr(from.dli_fname, "libkeel") == NULL) {
        return 0;
    }
    if (__atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) != 0) {
        return 0;
    }
    __atomic_store_n(&left, all, __ATOMIC_RELAXED);
    __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
