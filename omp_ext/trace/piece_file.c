/* A file that grows by pieces. */
#define _GNU_SOURCE
#include "omp_ext/trace/trace_writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/trace_file.h"

/* --- opening --- */

static int begin(struct keel_piece_file *file, const char *head)
{
    size_t done;

    if (!file->is_own) {
        return keel_trace_file_write(file->descriptor, head, strlen(head), -1, &done);
    }
    int error = keel_trace_file_write(file->descriptor, head, strlen(head), 0, &done);
    if (error == 0) {
        file->end = (off_t)strlen(head);
        error = keel_trace_file_write(file->descriptor, file->close, strlen(file->close), file->end,
                                      &done);
    }
    return error;
}

int keel_piece_file_open(struct keel_piece_file *file, const char *path, const char *head,
                         const char *close_text)
{
    file->close = close_text;
    file->descriptor = keel_trace_file_open(path);
    if (file->descriptor < 0 || fstat(file->descriptor, &file->opened) != 0) {
        return errno;
    }
    file->is_own = S_ISREG(file->opened.st_mode) && !keel_trace_file_is_shared(path);
    int error = begin(file, head);
    if (error != 0) {
        close(file->descriptor);
    }
    return error;
}

/* --- pieces --- */

static bool is_open(const struct keel_piece_file *file)
{
    struct stat status;

    return fstat(file->descriptor, &status) == 0 && status.st_dev == file->opened.st_dev &&
           status.st_ino == file->opened.st_ino;
}

/* Of a full disk: the bytes that are there already can be written over. */
static void restore(const struct keel_piece_file *file)
{
    size_t done, length = strlen(file->close);

    if (ftruncate(file->descriptor, file->end + (off_t)length) == 0) {
        keel_trace_file_write(file->descriptor, file->close, length, file->end, &done);
    }
}

static int write_piece(struct keel_piece_file *file, char *text, size_t length)
{
    struct stat status;
    size_t done, closing = strlen(file->close);

    if (fstat(file->descriptor, &status) != 0 || status.st_size != file->end + (off_t)closing) {
        return ESTALE;
    }
    memcpy(text + length, file->close, closing);
    int error = keel_trace_file_write(file->descriptor, text, length + closing, file->end, &done);
    if (error == 0) {
        file->end += (off_t)length;
    } else if (done > 0) {
        restore(file);
    }
    return error;
}

int keel_piece_file_append(struct keel_piece_file *file, char *text, size_t length)
{
    size_t done;

    if (!is_open(file)) {
        return EBADF;
    }
    return file->is_own ? write_piece(file, text, length)
                        : keel_trace_file_write(file->descriptor, text, length, -1, &done);
}

void keel_piece_file_close(struct keel_piece_file *file)
{
    size_t done;

    if (!is_open(file)) {
        return;
    }
    if (!file->is_own) {
        keel_trace_file_write(file->descriptor, file->close, strlen(file->close), -1, &done);
    }
    close(file->descriptor);
}
