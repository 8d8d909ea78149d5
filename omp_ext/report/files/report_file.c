/* Replacing and reading files. */
#define _GNU_SOURCE
#include "omp_ext/report/files/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/report/json/report_writer.h"
#include "omp_ext/support/replaced_file.h"
#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/trace_file.h"

#define BYTES_MAX (1024L * 1024 * 1024)

/* --- writing --- */

bool keel_report_file_is_plain(const char *path)
{
    return keel_trace_file_is_plain(path);
}

static int replace(const char *path, const char *text, size_t length)
{
    char *name;
    size_t done;
    int file = keel_replaced_file_begin(path, &name);

    return file < 0 ? errno
                    : keel_replaced_file_end(file, name, path,
                                             keel_trace_file_write(file, text, length, -1, &done));
}

/* A link stays, and what it leads to is replaced. */
static int replace_target(const char *path, const char *text, size_t length)
{
    char *target;
    struct stat before;
    int error = keel_safe_file_resolve(path, &target);

    if (error == 0 && lstat(target, &before) == 0) {
        error = keel_safe_file_check(target, &before);
    }
    error = error == 0 ? replace(target, text, length) : error;
    free(target);
    return error;
}

int keel_report_file_write(const char *path, const char *text, size_t length)
{
    size_t done;

    if (path == NULL) {
        return keel_trace_file_write(STDERR_FILENO, text, length, -1, &done);
    }
    if (keel_report_file_is_plain(path)) {
        return replace_target(path, text, length);
    }
    int file = keel_trace_file_open(path);
    int error = file < 0 ? errno : keel_trace_file_write(file, text, length, -1, &done);
    if (file >= 0 && close(file) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

/* --- reading --- */

static bool explain(char *reason, const char *what)
{
    snprintf(reason, KEEL_REPORT_REASON_MAX, "can't be read: %s", what);
    return false;
}

/* All of it, to be freed; NULL: errno. */
static char *read_all(int file, size_t size, size_t *length)
{
    char *text = malloc(size + 1);
    ssize_t count = 1;

    for (*length = 0; text != NULL && *length < size && count > 0;) {
        count = read(file, text + *length, size - *length);
        *length += count > 0 ? (size_t)count : 0;
    }
    if (count < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool read_open(int file, struct keel_report_document *document, char *reason)
{
    struct stat status;
    size_t length;

    if (fstat(file, &status) != 0) {
        return explain(reason, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return explain(reason, "it is not a regular file");
    }
    if (status.st_size > BYTES_MAX) {
        return explain(reason, "it is too large for a report");
    }
    char *text = read_all(file, (size_t)status.st_size, &length);
    bool good = text != NULL ? keel_report_document_read(text, length, document, reason)
                             : explain(reason, strerror(errno));
    free(text);
    return good;
}

bool keel_report_file_read(const char *path, struct keel_report_document *document, char *reason)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    *document = (struct keel_report_document){{0, NULL}, NULL, NULL};
    if (file < 0) {
        return explain(reason, strerror(errno));
    }
    bool good = read_open(file, document, reason);
    close(file);
    return good;
}

/* --- text or JSON --- */

#define ENDING ".json"

static bool is_json(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;

    return length >= strlen(ENDING) && strcmp(path + length - strlen(ENDING), ENDING) == 0;
}

int keel_report_output(const struct keel_report_process *const *process, size_t count,
                       const char *path, bool json, struct keel_report_text_options options)
{
    size_t length;
    char *text = json || is_json(path) ? keel_report_json(process, count, &length)
                                       : keel_report_text(process, count, options, &length);
    int error = text != NULL ? keel_report_file_write(path, text, length) : ENOMEM;

    free(text);
    return error;
}
