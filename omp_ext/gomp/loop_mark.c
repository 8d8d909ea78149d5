/* The mark that tells `keel run` that a loop came to Keel. */
#include "omp_ext/gomp/loop_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/support/uncancelled.h"

atomic_bool keel_loop_mark_done;

static void write_byte(char byte)
{
    const char *file = keel_settings()->mark_file;
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    int descriptor = file != NULL ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        ssize_t written = write(descriptor, &byte, 1);
        (void)written; /* without a mark `keel run` only says that it saw no loop */
        close(descriptor);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

void keel_loop_mark_write(void)
{
    /* relaxed: one thread writes, and nothing else depends on it */
    if (!atomic_exchange_explicit(&keel_loop_mark_done, true, memory_order_relaxed)) {
        write_byte(KEEL_LOOP_MARK);
    }
}

void keel_loop_mark_foreign(void)
{
    write_byte(KEEL_LOOP_MARK_FOREIGN);
}
