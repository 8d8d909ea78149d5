/* Replacing and reading files. */
#define _GNU_SOURCE
#include "omp_ext/report/report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/trace_file.h"

#define BYTES_MAX (1024L * 1024 * 1024)

/* --- writing --- */

static int replace(const char *path, const char *text, size_t length)
{
    char *name;
    size_t done;
    int file = keel_replaced_file_begin(path, &name);

    return file < 0 ? errno
                    : keel_replaced_file_end(file, name, path,
                                             keel_trace_file_write(file, text, length, -1, &done));
}

/* Keeps a symbolic link and replaces its target. */
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
    if (keel_trace_file_is_plain(path)) {
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

/* Returns NULL with errno on failure. */
static char *read_all(int file, size_t size, size_t *length)
{
    char *bytes = aligned_alloc(64, size / 64 * 64 + 64);
    ssize_t count = 1;

    for (*length = 0; bytes != NULL && *length < size && count > 0;) {
        count = read(file, bytes + *length, size - *length);
        *length += count > 0 ? (size_t)count : 0;
    }
    if (count < 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

char *keel_report_file_contents(const char *path, size_t *length, char *reason)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *problem = NULL;
    struct stat status;
    char *bytes = NULL;

    if (file < 0 || fstat(file, &status) != 0) {
        problem = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        problem = "it is not a regular file";
    } else if (status.st_size > BYTES_MAX) {
        problem = "it is too large for a report";
    } else if ((bytes = read_all(file, (size_t)status.st_size, length)) == NULL) {
        problem = strerror(errno);
    }
    if (file >= 0) {
        close(file);
    }
    if (problem != NULL) {
        snprintf(reason, KEEL_REPORT_REASON_MAX, "can't be read: %s", problem);
    }
    return bytes;
}

bool keel_report_file_read(const char *path, struct keel_report_document *document, char *reason)
{
    size_t length;
    char *text = keel_report_file_contents(path, &length, reason);
    bool good = text != NULL && keel_report_read(text, length, document, reason);

    free(text);
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

/* --- folders --- */

void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context)
{
    DIR *stream = opendir(folder);
    const struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        char *path;
        if (entry->d_name[0] != '.' && asprintf(&path, "%s/%s", folder, entry->d_name) >= 0) {
            take(path, entry->d_name, context);
            free(path);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
}

static void remove_file(const char *path, const char *name, void *context)
{
    (void)name;
    (void)context;
    if (unlink(path) != 0 && errno == EISDIR) {
        keel_report_folder_remove(path);
    }
}

void keel_report_folder_remove(const char *folder)
{
    keel_report_folder_each(folder, remove_file, NULL);
    rmdir(folder);
}
