/* Files of /proc and /sys. */
#include "omp_ext/machine/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/uncancelled.h"

#define TEXT_MAX (1 << 24) /* no file of the kind is that long */

static ssize_t read_some(int file, char *text, size_t size)
{
    ssize_t got;

    do {
        got = read(file, text, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Fills the text as far as the file goes; returns the length, 0 after an error. */
static size_t read_up_to(int file, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got = 1;

    while (length < size && (got = read_some(file, text + length, size - length)) > 0) {
        length += (size_t)got;
    }
    return got < 0 ? 0 : length;
}

bool keel_small_file_read(const char *path, char *text, size_t size)
{
    int cancel_state = keel_uncancelled_begin();
    int before = errno, file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;

    if (file >= 0) {
        length = read_up_to(file, text, size - 1);
        close(file);
    }
    if (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length] = '\0';
    keel_uncancelled_end(cancel_state);
    errno = before;
    return length > 0;
}

/* Reads into a buffer that doubles until the file has room. */
static char *read_all(int file)
{
    size_t size = 4096, length = 0;
    char *text = malloc(size);

    while (text != NULL) {
        length += read_up_to(file, text + length, size - length - 1);
        if (length < size - 1 || size >= TEXT_MAX) {
            text[length] = '\0';
            return text;
        }
        char *larger = realloc(text, size *= 2);
        if (larger == NULL) {
            free(text);
        }
        text = larger;
    }
    return NULL;
}

char *keel_small_file_text(const char *path)
{
    int cancel_state = keel_uncancelled_begin();
    int before = errno, file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;

    if (file >= 0) {
        text = read_all(file);
        close(file);
    }
    keel_uncancelled_end(cancel_state);
    errno = before;
    return text;
}
