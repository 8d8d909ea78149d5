/* Memory; where there is none, the process ends, and with it the job that it is of. */
#ifndef BENCH_SUPPORT_MEMORY_H
#define BENCH_SUPPORT_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* An array of *room elements gets room for `count`, or is left as it is if it has. Returns where it
 * is now. */
static inline void *memory_grow(void *array, int *room, int count, size_t size)
{
    if (count <= *room) {
        return array;
    }
    *room = count > 2 * *room ? count : 2 * *room;
    array = realloc(array, (size_t)*room * size);
    if (array == NULL) {
        fprintf(stderr, "keel: no memory for %d x %zu bytes\n", *room, size);
        exit(1);
    }
    return array;
}

/* For `count` elements, all 0. */
static inline void *memory_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "keel: no memory for %zu x %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

#endif
