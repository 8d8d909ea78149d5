/* The mark that tells `keel run` that a loop came to Keel. */
#include "omp_ext/support/loop_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"

atomic_bool keel_seen_done;

void keel_seen_mark(void)
{
    const char *file = keel_settings()->seen_file;
    int kept_errno = errno;

    atomic_store_explicit(&keel_seen_done, true, memory_order_relaxed);
    int descriptor = file != NULL ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        ssize_t written = write(descriptor, "1", 1);
        (void)written; /* without a mark `keel run` only says that it saw no loop */
        close(descriptor);
    }
    errno = kept_errno;
}
