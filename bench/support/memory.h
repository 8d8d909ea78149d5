/* Memory for parts that know no MPI; where there is none, the process ends. */
#ifndef BENCH_SUPPORT_MEMORY_H
#define BENCH_SUPPORT_MEMORY_H

#include <stdint.h>
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
        fprintf(stderr, "no memory for %d x %zu bytes\n", *room, size);
        exit(1);
    }
    return array;
}

/* For `count` elements; what is in them is not known. */
static inline void *memory_new(int count, size_t size)
{
    int room = 0;

    return memory_grow(NULL, &room, count > 0 ? count : 1, size);
}

#endif
