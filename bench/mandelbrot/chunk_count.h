/* Counts the chunks that a program's loops over long are given: those with schedule(runtime),
 * whoever gives them, and under Keel those that were built with the plugin.
 *
 * Linking this in is enough: the program's own calls of the runtime find the functions here, which
 * ask the next library that has them, Keel's or libgomp's, and count each "yes". Nothing else tells
 * chunks exactly: two chunks of neighbouring rows that go to one thread look like one to the loop
 * body. */
#ifndef BENCH_MANDELBROT_CHUNK_COUNT_H
#define BENCH_MANDELBROT_CHUNK_COUNT_H

#include <stdint.h>

/* Chunks since the last call. No loop may be running. */
uint64_t chunk_count_take(void);

#endif
