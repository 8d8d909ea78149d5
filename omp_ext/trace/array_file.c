/* A file that holds one JSON array and grows by pieces. */
#define _GNU_SOURCE
#include "omp_ext/trace/array_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/support/trace_file.h"

#define LOCK_WAIT_NS 1000000 /* between two tries */
#define LOCK_TRIES 1000
#define PATIENCE_MS 5000 /* with the reader of a pipe */
#define LINE_MAX_BYTES 8192
#define PART 256 /* bytes of the first element that are compared at a time */

/* --- the lock --- */

/* Not for ever: whoever has it may have been stopped. 0, or errno. */
static int lock(const struct keel_array_file *file)
{
    const struct timespec step = {.tv_nsec = LOCK_WAIT_NS};

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(file->descriptor, LOCK_EX | LOCK_NB) == 0) {
            return 0;
        }
        if (errno == EWOULDBLOCK) {
            nanosleep(&step, NULL);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return EBUSY;
}

/* Said, not left to the descriptor: a child that was forked meanwhile may have a copy of it. */
static void unlock(const struct keel_array_file *file)
{
    flock(file->descriptor, LOCK_UN);
}

/* --- the end of what is there --- */

static bool reads(const struct keel_array_file *file, char *text, size_t length, off_t offset)
{
    return pread(file->descriptor, text, length, offset) == (ssize_t)length;
}

/* Where the last whole element ends that is followed by a line end, in a file of `size` bytes that
 * ends with `text`; 0: there is none. */
static off_t end_within(const char *text, size_t length, off_t size)
{
    for (size_t i = length; i-- > 1;) {
        if (text[i] == '\n' && text[i - 1] == '}') {
            return size - (off_t)(length - i);
        }
        if (i > 1 && text[i] == '\n' && text[i - 1] == ',' && text[i - 2] == '}') {
            return size - (off_t)(length - i) - 1;
        }
    }
    return 0;
}

/* Where the next element goes in a file that does not end as it should. */
static off_t end_after_repair(const struct keel_array_file *file, off_t size)
{
    size_t length = size < LINE_MAX_BYTES ? (size_t)size : LINE_MAX_BYTES;
    char *text = malloc(length); /* stacks may be small */
    off_t end = 0;

    if (text != NULL && reads(file, text, length, size - (off_t)length)) {
        end = end_within(text, length, size);
    }
    free(text);
    return end > 0 && ftruncate(file->descriptor, end) == 0 ? end : 0;
}

/* 0: the file can't be gone on with. */
static off_t end_of_elements(const struct keel_array_file *file)
{
    char close[KEEL_ARRAY_CLOSE_LENGTH + 1];
    off_t size = lseek(file->descriptor, 0, SEEK_END);

    if (size > (off_t)sizeof close &&
        reads(file, close, sizeof close, size - (off_t)sizeof close) &&
        memcmp(close, "}" KEEL_ARRAY_CLOSE, sizeof close) == 0) {
        return size - (off_t)KEEL_ARRAY_CLOSE_LENGTH;
    }
    return size > 0 ? end_after_repair(file, size) : 0;
}

/* --- writing --- */

/* Of a full disk: the bytes that are there already can be written over. */
static void restore(const struct keel_array_file *file, off_t end)
{
    size_t done;

    if (ftruncate(file->descriptor, end + (off_t)KEEL_ARRAY_CLOSE_LENGTH) == 0) {
        keel_trace_file_write(file->descriptor, KEEL_ARRAY_CLOSE, KEEL_ARRAY_CLOSE_LENGTH, end, -1,
                              &done);
    }
}

/* text[length] is followed by the closing bracket. */
static int write_at(const struct keel_array_file *file, const char *text, size_t length, off_t end)
{
    size_t done;
    int error = keel_trace_file_write(file->descriptor, text, length + KEEL_ARRAY_CLOSE_LENGTH, end,
                                      -1, &done);

    if (error != 0 && done > 0) {
        restore(file, end);
    }
    return error;
}

static bool is_of_this_job(const struct keel_array_file *file)
{
    char text[PART];

    if (!reads(file, text, 2, 0) || memcmp(text, "[\n", 2) != 0) {
        return false;
    }
    for (size_t at = 0; at < file->identity_length; at += sizeof text) {
        size_t left = file->identity_length - at;
        size_t length = left < sizeof text ? left : sizeof text;
        if (!reads(file, text, length, (off_t)at + 2) ||
            memcmp(text, file->head + at, length) != 0) {
            return false;
        }
    }
    return true;
}

/* Another process of the job has begun the file. */
static void take_head(struct keel_array_file *file)
{
    ssize_t length = pread(file->descriptor, file->head, sizeof file->head - 1, 2);
    const char *end = length > 0 ? memchr(file->head, '\n', (size_t)length) : NULL;

    file->head_length = end != NULL ? (size_t)(end - file->head) : 0;
    file->head[file->head_length] = '\0';
}

static int write_begin(const struct keel_array_file *file, const char *text, size_t length)
{
    size_t done;

    if (!file->pieces_follow) {
        return keel_trace_file_write(file->descriptor, text, length, -1, PATIENCE_MS, &done);
    }
    if (ftruncate(file->descriptor, 0) != 0) {
        return errno;
    }
    return keel_trace_file_write(file->descriptor, text, length, 0, -1, &done);
}

/* Begins the file anew, with the lock. */
static int write_head(const struct keel_array_file *file)
{
    char *text;
    int length =
        asprintf(&text, "[\n%s%s", file->head, file->pieces_follow ? KEEL_ARRAY_CLOSE : "");

    if (length < 0) {
        return ENOMEM;
    }
    int error = write_begin(file, text, (size_t)length);
    free(text);
    return error;
}

/* --- opening --- */

static bool is_the_file(const struct keel_array_file *file, const struct stat *status)
{
    return status->st_dev == file->opened.st_dev && status->st_ino == file->opened.st_ino;
}

static bool is_open(const struct keel_array_file *file)
{
    struct stat status;

    return fstat(file->descriptor, &status) == 0 && is_the_file(file, &status);
}

/* What the program has closed is opened again where it is still there by its name. */
static bool opens_again(struct keel_array_file *file)
{
    struct stat status;

    if (!file->pieces_follow || stat(file->path, &status) != 0 || !is_the_file(file, &status)) {
        return false;
    }
    int descriptor = keel_trace_file_open_kept(file->path);
    if (descriptor >= 0) {
        file->descriptor = descriptor;
    }
    return descriptor >= 0;
}

/* The program may change its folder before it is opened again. */
static bool remember_path(struct keel_array_file *file, const char *path)
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

static int begin_or_go_on(struct keel_array_file *file)
{
    int error = file->pieces_follow ? lock(file) : 0;

    if (error != 0) {
        return error;
    }
    if (!file->pieces_follow || !is_of_this_job(file)) {
        error = write_head(file);
    } else {
        file->is_gone_on_with = true;
        take_head(file);
    }
    if (file->pieces_follow) {
        unlock(file);
    }
    return error;
}

/* What the program itself writes to is not written over. */
static bool is_standard(const struct stat *file)
{
    struct stat status;

    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fstat(descriptor, &status) == 0 && status.st_dev == file->st_dev &&
            status.st_ino == file->st_ino) {
            return true;
        }
    }
    return false;
}

int keel_array_file_open(struct keel_array_file *file, const char *path, const char *head,
                         size_t identity_length)
{
    file->head_length = strlen(head);
    file->identity_length = identity_length;
    if (!remember_path(file, path) || file->head_length >= sizeof file->head) {
        return ENAMETOOLONG;
    }
    memcpy(file->head, head, file->head_length + 1);
    file->descriptor = keel_trace_file_open_kept(path);
    if (file->descriptor < 0 || fstat(file->descriptor, &file->opened) != 0) {
        return errno;
    }
    file->pieces_follow = S_ISREG(file->opened.st_mode) && !is_standard(&file->opened);
    int error = begin_or_go_on(file);
    if (error != 0) {
        close(file->descriptor);
    }
    return error;
}

/* --- pieces --- */

static int append_locked(struct keel_array_file *file, char *text, size_t length)
{
    if (!is_of_this_job(file)) {
        return ESTALE;
    }
    off_t end = end_of_elements(file);
    if (end == 0) {
        return ESTALE;
    }
    memcpy(text + length, KEEL_ARRAY_CLOSE, KEEL_ARRAY_CLOSE_LENGTH);
    return write_at(file, text, length, end);
}

int keel_array_file_append(struct keel_array_file *file, char *text, size_t length)
{
    size_t done;

    if (!is_open(file) && !opens_again(file)) {
        return EBADF;
    }
    if (!file->pieces_follow) {
        return keel_trace_file_write(file->descriptor, text, length, -1, PATIENCE_MS, &done);
    }
    int error = lock(file);
    if (error == 0) {
        error = append_locked(file, text, length);
        unlock(file);
    }
    return error;
}

void keel_array_file_close(struct keel_array_file *file)
{
    size_t done;

    if (!is_open(file)) {
        return;
    }
    if (!file->pieces_follow) {
        keel_trace_file_write(file->descriptor, KEEL_ARRAY_CLOSE, KEEL_ARRAY_CLOSE_LENGTH, -1,
                              PATIENCE_MS, &done);
    }
    close(file->descriptor);
}
