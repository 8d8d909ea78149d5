/* The loops of the program, as libkeel.so has reported them (omp_ext/check/check_site.h). */
#ifndef OMP_EXT_COMMAND_CHECK_LOOPS_H
#define OMP_EXT_COMMAND_CHECK_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* A loop begins with no barrier since another one has ended; numbers of loops. */
struct keel_open_end {
    size_t before, after;
};

struct keel_loops {
    size_t count;
    char **name;      /* sorted by file and line */
    unsigned threads; /* of the largest team; 0: no loop */
    size_t open_ends;
    struct keel_open_end *open_end;
    size_t regions;
    char **region;    /* names of parallel regions, "parallel region ..." */
    size_t unreached; /* the first of them, in which no loop has come to Keel */
};

/* Number `member` counts loops, then regions. */
const char *keel_loops_name(const struct keel_loops *loops, size_t member);

/* Reads the report. False: no memory. What has been read is to be freed in either case. */
bool keel_loops_read(const char *path, struct keel_loops *loops);

void keel_loops_free(struct keel_loops *loops);

#endif
