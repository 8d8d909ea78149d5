/* Cutting arrays off scratch memory, which the caller brings. */
#ifndef SCHEDULES_ARITHMETIC_SCRATCH_H
#define SCHEDULES_ARITHMETIC_SCRATCH_H

#include <stddef.h>

/* Rounded up, so that what follows may be of any type: 16 is the alignment of malloc. */
static inline size_t scratch_aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Room for `count` values of `bytes` each; moves *scratch behind it. */
static inline void *scratch_take(char **scratch, size_t count, size_t bytes)
{
    char *room = *scratch;

    *scratch += count * bytes;
    return room;
}

#endif
