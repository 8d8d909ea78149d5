/* Why something about a memory file failed: words to be put behind the name of the file. */
#ifndef OMP_EXT_MEMORY_REASON_H
#define OMP_EXT_MEMORY_REASON_H

#include <stdbool.h>

#define KEEL_MEMORY_REASON_MAX 192

/* Writes the reason, KEEL_MEMORY_REASON_MAX bytes, and returns false. */
__attribute__((format(printf, 2, 3))) bool keel_memory_reason(char *reason, const char *format,
                                                              ...);

#endif
