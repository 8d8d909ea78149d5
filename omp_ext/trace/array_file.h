/* A file that holds one JSON array, an element on each line, and grows by pieces.
 *
 *   pieces of all processes of a job -> [lock, find the end, write over the bracket] -> file
 *
 * It is valid JSON whenever nobody writes, so it is written to in place: processes add to it while
 * others do, and what a killed one has added stays. What is left by a writer that was killed in the
 * middle is cut off by the next one. A pipe, and a file that the program itself writes to, can't be
 * written over: there the closing bracket comes with the end. One thread at a time. */
#ifndef OMP_EXT_TRACE_ARRAY_FILE_H
#define OMP_EXT_TRACE_ARRAY_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define KEEL_ARRAY_HEAD_MAX 3072
#define KEEL_ARRAY_CLOSE "\n]\n"
#define KEEL_ARRAY_CLOSE_LENGTH (sizeof KEEL_ARRAY_CLOSE - 1)

/* Of this process. */
struct keel_array_file {
    char path[PATH_MAX];
    int descriptor;
    struct stat opened;   /* what it was: the program may close it, and open something else */
    bool is_gone_on_with; /* others have written to it before */
    bool pieces_follow;   /* false: it can't be written over */
    char head[KEEL_ARRAY_HEAD_MAX]; /* the first element, by which a job knows its file */
    size_t head_length;
    size_t identity_length; /* of the head: what is the same for all processes of a job */
};

/* Opens `path`, which stays the same file though the process changes its folder. `head` is an
 * element, and its first `identity_length` bytes are the same for all processes of a job. A file
 * that begins with these is gone on with, and file->head is the element that it has; any other is
 * emptied, and gets `head`. Returns 0, or errno. */
int keel_array_file_open(struct keel_array_file *file, const char *path, const char *head,
                         size_t identity_length);

/* Appends elements: each begins with ",\n". Behind text[length] there is room for
 * KEEL_ARRAY_CLOSE_LENGTH bytes more, which are written to. Returns 0, or errno: EBUSY after
 * waiting for another writer for a second, ESTALE where the file has become another job's, EBADF
 * where the program has closed it and it can't be opened again; after others the file is as it was
 * before, where that is possible. */
int keel_array_file_append(struct keel_array_file *file, char *text, size_t length);

/* Nothing comes behind. Closes the descriptor. */
void keel_array_file_close(struct keel_array_file *file);

#endif
