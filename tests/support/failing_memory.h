/* Memory that fails, for tests linked with --wrap of malloc, calloc or realloc: the linker sends
 * the calls of the code under test here. One thread. */
#ifndef TESTS_SUPPORT_FAILING_MEMORY_H
#define TESTS_SUPPORT_FAILING_MEMORY_H

#include <stdbool.h>

/* After so many more calls, each one fails. */
void memory_fails_after(unsigned calls);

/* After so many more calls, one fails. */
void memory_fails_once_after(unsigned calls);

/* No call fails any more. Returns whether one has failed since the last word. */
bool memory_works(void);

#endif
