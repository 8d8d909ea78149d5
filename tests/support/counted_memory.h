/* A malloc() of the program's own: where another one than glibc's is found, Keel takes its memory
 * from there, so that it counts. In one source of a program, which exports its symbols. */
#ifndef TESTS_SUPPORT_COUNTED_MEMORY_H
#define TESTS_SUPPORT_COUNTED_MEMORY_H

#include <malloc.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);

void *malloc(size_t bytes)
{
    return __libc_malloc(bytes);
}

/* Bytes of the program and of Keel. */
static long in_use(void)
{
    return (long)mallinfo2().uordblks;
}

#endif
