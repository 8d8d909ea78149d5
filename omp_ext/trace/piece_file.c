/* A file that grows by pieces. */
#define _GNU_SOURCE
#include "omp_ext/trace/piece_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/trace_file.h"

#define PATIENCE_MS 5000 /* with the reader of a pipe */

/* --- opening --- */

static bool is_the_file(const struct keel_piece_file *file, const struct stat *status)
{
    return status->st_dev == file->opened.st_dev && status->st_ino == file->opened.st_ino;
}

/* What the program itself writes to is not written over. */
static bool is_standard(const struct keel_piece_file *file)
{
    struct stat status;

    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fstat(descriptor, &status) == 0 && is_the_file(file, &status)) {
            return true;
        }
    }
    return false;
}

/* The program may change its folder before it is opened again. */
static bool remember_path(struct keel_piece_file *file, const char *path)
{
    size_t length = 0;

    if (path[0] != '/' && getcwd(file->path, sizeof file->path - 1) != NULL) {
        length = strlen(file->path);
        file->path[length++] = '/';
    }
    if (length + strlen(path) >= sizeof file->path) {
        return false;
    }
    strcpy(file->path + length, path);
    return true;
}

static int begin(struct keel_piece_file *file, const char *head)
{
    size_t done;

    if (!file->is_own) {
        return keel_trace_file_write(file->descriptor, head, strlen(head), -1, PATIENCE_MS, &done);
    }
    if (ftruncate(file->descriptor, 0) != 0) {
        return errno;
    }
    int error = keel_trace_file_write(file->descriptor, head, strlen(head), 0, -1, &done);
    if (error == 0) {
        file->end = (off_t)strlen(head);
        error = keel_trace_file_write(file->descriptor, file->close, strlen(file->close), file->end,
                                      -1, &done);
    }
    return error;
}

int keel_piece_file_open(struct keel_piece_file *file, const char *path, const char *head,
                         const char *close_text)
{
    file->close = close_text;
    if (!remember_path(file, path)) {
        return ENAMETOOLONG;
    }
    file->descriptor = keel_trace_file_open_kept(path);
    if (file->descriptor < 0 || fstat(file->descriptor, &file->opened) != 0) {
        return errno;
    }
    file->is_own = S_ISREG(file->opened.st_mode) && !is_standard(file);
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

    return fstat(file->descriptor, &status) == 0 && is_the_file(file, &status);
}

/* What the program has closed is opened again where it is still there by its name. */
static bool opens_again(struct keel_piece_file *file)
{
    struct stat status;

    if (!file->is_own || stat(file->path, &status) != 0 || !is_the_file(file, &status)) {
        return false;
    }
    int descriptor = keel_trace_file_open_kept(file->path);
    if (descriptor >= 0) {
        file->descriptor = descriptor;
    }
    return descriptor >= 0;
}

/* Of a full disk: the bytes that are there already can be written over. */
static void restore(const struct keel_piece_file *file)
{
    size_t done, length = strlen(file->close);

    if (ftruncate(file->descriptor, file->end + (off_t)length) == 0) {
        keel_trace_file_write(file->descriptor, file->close, length, file->end, -1, &done);
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
    int error =
        keel_trace_file_write(file->descriptor, text, length + closing, file->end, -1, &done);
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

    if (!is_open(file) && !opens_again(file)) {
        return EBADF;
    }
    return file->is_own
               ? write_piece(file, text, length)
               : keel_trace_file_write(file->descriptor, text, length, -1, PATIENCE_MS, &done);
}

void keel_piece_file_close(struct keel_piece_file *file)
{
    size_t done;

    if (!is_open(file)) {
        return;
    }
    if (!file->is_own) {
        keel_trace_file_write(file->descriptor, file->close, strlen(file->close), -1, PATIENCE_MS,
                              &done);
    }
    close(file->descriptor);
}
