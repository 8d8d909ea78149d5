/* Files of /proc and /sys. */
#include "omp_ext/machine/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "omp_ext/support/uncancelled.h"

bool keel_small_file_read(const char *path, char *text, size_t size)
{
    int cancel_state = keel_uncancelled_begin();
    int before = errno, file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : 0;

    if (file >= 0) {
        close(file);
    }
    if (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length > 0 ? length : 0] = '\0';
    keel_uncancelled_end(cancel_state);
    errno = before;
    return length > 0;
}
