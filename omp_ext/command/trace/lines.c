/* A buffer that is filled again when no whole line is left in it. */
#include "omp_ext/command/trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool keel_lines_begin(struct keel_lines *lines, const char *path)
{
    *lines = (struct keel_lines){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
    if (lines->descriptor < 0) {
        lines->error = errno;
        return false;
    }
    lines->buffer = malloc(KEEL_LINES_LENGTH_MAX + 1);
    if (lines->buffer == NULL) {
        lines->error = ENOMEM;
        keel_lines_end(lines);
        return false;
    }
    return true;
}

/* Moves what is left to the buffer's beginning and reads on behind it. */
static void fill(struct keel_lines *lines)
{
    ssize_t got;

    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
    do {
        got =
            read(lines->descriptor, lines->buffer + lines->end, KEEL_LINES_LENGTH_MAX - lines->end);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        lines->error = errno;
    }
    if (got <= 0) {
        lines->at_the_end = true;
    } else {
        lines->end += (size_t)got;
    }
}

/* The line feed that ends the next line; NULL: it has none. */
static char *next_end(struct keel_lines *lines)
{
    size_t searched = 0;

    for (;;) {
        size_t left = lines->end - lines->begin;
        char *line = lines->buffer + lines->begin;
        char *end = memchr(line + searched, '\n', left - searched);
        if (end != NULL || lines->at_the_end) {
            return end;
        }
        if (left == KEEL_LINES_LENGTH_MAX) {
            lines->too_long = true;
            return NULL;
        }
        searched = left;
        fill(lines);
    }
}

char *keel_lines_next(struct keel_lines *lines, size_t *length)
{
    char *end = next_end(lines);
    char *line = lines->buffer + lines->begin;

    if (lines->too_long || (end == NULL && lines->begin == lines->end)) {
        return NULL;
    }
    lines->cut = end == NULL;
    end = lines->cut ? lines->buffer + lines->end : end;
    *end = '\0';
    *length = (size_t)(end - line);
    lines->begin += *length + (lines->cut ? 0 : 1);
    lines->number++;
    return line;
}

void keel_lines_end(struct keel_lines *lines)
{
    if (lines->descriptor >= 0) {
        close(lines->descriptor);
    }
    free(lines->buffer);
    lines->buffer = NULL;
    lines->descriptor = -1;
}
