/* A file of one process that grows by pieces.
 *
 *   pieces -> [written over what closes the file] -> file
 *
 * It is whole after each piece: what a killed process has written stays, and can be read. A pipe,
 * and a file that the program itself writes to, can't be written over: there what closes the file
 * comes with the end. One thread at a time. */
#ifndef OMP_EXT_TRACE_PIECE_FILE_H
#define OMP_EXT_TRACE_PIECE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define KEEL_PIECE_CLOSE_MAX 8 /* bytes of what closes a file */

struct keel_piece_file {
    int descriptor;
    struct stat opened; /* what it was: the program may close it, and open something else */
    bool is_own;        /* false: it can't be written over */
    const char *close;  /* what comes behind the last piece */
    off_t end;          /* of the pieces */
};

/* Opens `path`, and empties a file of its own. `head` is what the file begins with, `close` a
 * literal of at most KEEL_PIECE_CLOSE_MAX bytes. Returns 0, or errno. */
int keel_piece_file_open(struct keel_piece_file *file, const char *path, const char *head,
                         const char *close);

/* Appends a piece. Behind text[length] there is room for KEEL_PIECE_CLOSE_MAX bytes more, which are
 * written to. Returns 0, or errno: ESTALE where another process has written to the file, EBADF
 * where the program has closed it; after others the file is as it was before, where that is
 * possible. */
int keel_piece_file_append(struct keel_piece_file *file, char *text, size_t length);

/* Nothing comes behind. Closes the descriptor. */
void keel_piece_file_close(struct keel_piece_file *file);

#endif
