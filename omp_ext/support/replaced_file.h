/* Files that are put in place as a whole: nobody sees half of one, and a full disk leaves what was
 * there.
 *
 *   begin -> [new file beside it] -> written by the caller -> end: it takes the place
 *
 * For what one process writes alone. Any thread. */
#ifndef OMP_EXT_SUPPORT_REPLACED_FILE_H
#define OMP_EXT_SUPPORT_REPLACED_FILE_H

/* Opens a new file beside `path` for writing, with the rights of the one that is there, else its
 * owner's alone; *name is its name. -1: errno. */
int keel_replaced_file_begin(const char *path, char **name);

/* Closes it, and has it take the place of `path`; or removes it where writing it had the given
 * error. Returns that, or the errno of what could not be done, or 0. Frees the name. */
int keel_replaced_file_end(int file, char *name, const char *path, int error);

#endif
