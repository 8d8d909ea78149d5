/* Replacements of functions that a test is linked with --wrap of: the linker sends the calls of the
 * code under test here. */
#ifndef TESTS_SUPPORT_WRAPPED_H
#define TESTS_SUPPORT_WRAPPED_H

#include <stdbool.h>

/* --- malloc, calloc and realloc: memory that fails. One thread. --- */

/* After so many more calls, each one fails. */
void memory_fails_after(unsigned calls);

/* After so many more calls, one fails. */
void memory_fails_once_after(unsigned calls);

/* No call fails any more. Returns whether one has failed since the last word. */
bool memory_works(void);

/* --- keel_message and keel_mpi_misuse --- */

struct messages {
    unsigned count;
    char last[512];
};

/* Those since the test began, or since it has cleared them. */
extern struct messages messages;

#endif
