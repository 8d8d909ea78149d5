/* Files whose names come from the environment, opened so that no other user can choose the
 * file that is written to, by a link or a file in its place.
 *
 *   KEEL_TRACE, KEEL_REPORT, KEEL_MEMORY -> [resolve, check] -> [open] -> descriptor
 *
 * A symbolic link counts if it is root's or that of the user whose rights the process has. What is
 * in a folder that all may write to, such as /tmp, has to be that user's or the folder's owner's,
 * and must have no second name. Devices are written to wherever they are. Any thread. */
#ifndef OMP_EXT_SUPPORT_SAFE_FILE_H
#define OMP_EXT_SUPPORT_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Errors beside those of errno, which have smaller numbers. */
enum {
    KEEL_SAFE_FILE_LINK = 100001, /* a symbolic link of another user */
    KEEL_SAFE_FILE_OTHERS,        /* another user's, in a folder that all may write to */
};

/* What `path` means, its links followed, to be freed; it need not exist. 0, or an error and NULL.
 */
int keel_safe_file_resolve(const char *path, char **target);

/* Whether a file that is at `path`, of this status, may be written or replaced: 0 or an error. */
int keel_safe_file_check(const char *path, const struct stat *status);

/* As open() with these flags, O_CREAT among them or not, for a file that is written to; a new one
 * is its owner's alone (0600). O_TRUNC empties regular files, once they have been looked at. -1:
 * errno is an error as above. */
int keel_safe_file_open(const char *path, int flags);

/* Text for an error. */
const char *keel_safe_file_reason(int error);

/* --- files that are put in place as a whole ---
 *
 * No reader gets half of one, and a full disk leaves the file before.
 *
 *   begin -> [new file beside it] -> written by the caller -> end: it takes the place
 *
 * For what one process writes alone. Any thread. */

/* Opens a new file beside `path` for writing, with the rights of the one that is there, else its
 * owner's alone; *name is its name. -1: errno. */
int keel_replaced_file_begin(const char *path, char **name);

/* Closes it, and has it take the place of `path`; or removes it where writing it had the given
 * error. Returns that, or the errno of what could not be done, or 0. Frees the name. */
int keel_replaced_file_end(int file, char *name, const char *path, int error);

/* --- files of /proc and /sys, which have no size before they are read --- */

/* Reads the first `size` - 1 bytes at once, as the kernel makes them, without a line end at the
 * end; size > 0. False: it cannot be read, or it is empty. */
bool keel_small_file_read(const char *path, char *text, size_t size);

#endif
