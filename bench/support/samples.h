/* Samples on their way into a report: lines on standard input -> a read function such as that of
 * sample.h -> one array, from which a report selects by the names of names.h. */
#ifndef BENCH_SUPPORT_SAMPLES_H
#define BENCH_SUPPORT_SAMPLES_H

#include <stddef.h>
#include <stdio.h>

/* Ends the program with exit status 1 and the message `keel: FOLDER/PROGRAM: WHY; no
 * report`. */
void samples_give_up(const char *why) __attribute__((noreturn));

/* Reads all samples of `file`, of `size` bytes each. read(): one sample; 1: done, 0: end of file,
 * -1: not a sample. Returns an array of `*count` samples, to be freed by the caller.
 *
 * Gives up without samples, and where one can't be read: the input is then not what `origin`, for
 * example "bench/rows collects", says. */
void *samples_read(FILE *file, size_t size, int (*read)(void *sample, FILE *file),
                   const char *origin, size_t *count);

#endif
