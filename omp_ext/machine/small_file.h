/* Files of /proc and /sys, which have no size before they are read. Any thread; errno is kept. */
#ifndef OMP_EXT_MACHINE_SMALL_FILE_H
#define OMP_EXT_MACHINE_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the first `size` - 1 bytes at once, as the kernel makes them, without a line end at the
 * end; size > 0. False: it cannot be read, or it is empty. */
bool keel_small_file_read(const char *path, char *text, size_t size);

#endif
