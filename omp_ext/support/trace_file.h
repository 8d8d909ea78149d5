/* Where a trace goes: a file, a pipe, or what the program itself writes to.
 *
 *   KEEL_TRACE, KEEL_MPI_TRACE -> [open, once] -> descriptor -> [stream] -> file
 *
 * Any thread. */
#ifndef OMP_EXT_SUPPORT_TRACE_FILE_H
#define OMP_EXT_SUPPORT_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes `name` into path[PATH_MAX], with the number of the process for each %p behind the last
 * slash: folders keep their names. False: it is too long. */
bool keel_trace_file_name(const char *name, char *path);

/* Opens `path` for writing; close the descriptor. A file that the process has open as its standard
 * output or error, and any /dev/fd/N, is shared, and appended to. Other
 * regular files are emptied, or made for their owner alone; safe_file.h says which are refused. A
 * named pipe has to have a reader within a second. -1: it can't be opened;
 * keel_trace_file_reason() says why. */
int keel_trace_file_open(const char *path);

/* Puts the process's folder before a name without one, in path[PATH_MAX], as the program may change
 * it. False: that is too long, or not known; the name stays. */
bool keel_trace_file_absolute(char *path);

/* Gives the descriptor a number out of the program's way, which may count on the first ones, or may
 * have closed one to open another file in its place. -1 stays. */
int keel_trace_file_move(int descriptor);

/* Whether keel_trace_file_open() would share what the process has open. */
bool keel_trace_file_is_shared(const char *path);

/* Whether `path` is no pipe, no device, and nothing that the process has open. It need not exist;
 * a folder counts, which can't be written to. */
bool keel_trace_file_is_plain(const char *path);

/* Text for errno after a failure. */
const char *keel_trace_file_reason(int error);

/* Writes all of it, at `offset` of the file, or behind what is there if that is -1. Waits where the
 * descriptor would block. A reader that has gone, and a file that is as large as it may be, are
 * errors, not signals. Returns 0, or errno and how much was written in *done. */
int keel_trace_file_write(int descriptor, const char *text, size_t length, int64_t offset,
                          size_t *done);

/* The same once, without waiting: returns what write() does, and sets errno. */
ssize_t keel_trace_file_write_once(int descriptor, const char *text, size_t length, int64_t offset);

/* Has the disk keep room for these bytes of a file; returns an errno, too. */
int keel_trace_file_allocate(int descriptor, size_t from, size_t to);

#endif
