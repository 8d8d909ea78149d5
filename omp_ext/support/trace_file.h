/* Where a trace goes: a file, a pipe, or what the program itself writes to.
 *
 *   KEEL_TRACE, KEEL_MPI_TRACE -> [open, once] -> descriptor -> [stream] -> file
 *
 * Any thread. */
#ifndef OMP_EXT_SUPPORT_TRACE_FILE_H
#define OMP_EXT_SUPPORT_TRACE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens `path` for writing; close the descriptor. A file that the process has open as its standard
 * output or error, and any /dev/fd/N, is shared: what is written follows what is there. Other
 * regular files are emptied, or made. A named pipe has to have a reader within a second. -1: it
 * can't be opened; keel_trace_file_reason() says why. */
int keel_trace_file_open(const char *path);

/* Whether keel_trace_file_open() would share what the process has open. */
bool keel_trace_file_is_shared(const char *path);

/* Text for errno after a failure. */
const char *keel_trace_file_reason(int error);

struct keel_trace_file {
    int descriptor;
    int error; /* errno of what could not be written; 0: nothing */
};

/* A stream that writes to file->descriptor, which it does not close. Waits where the descriptor
 * would block. A reader that has gone is an error of the stream, EPIPE, not a signal. NULL: there
 * is no memory. */
FILE *keel_trace_file_stream(struct keel_trace_file *file);

#endif
