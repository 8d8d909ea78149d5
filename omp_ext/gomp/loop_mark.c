/* The mark for `keel run` that a loop came to Keel; and, as the library is loaded, which programs
 * with OpenMP ran at all. */
#define _GNU_SOURCE
#include "omp_ext/gomp/loop_mark.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/trace_file.h"
#include "omp_ext/support/uncancelled.h"

atomic_bool keel_loop_mark_done;

static void write_byte(char byte)
{
    const char *file = keel_settings()->mark_file;
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    int descriptor = file != NULL ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        /* without a mark `keel run` only says that it saw no loop */
        keel_trace_file_write_once(descriptor, &byte, 1, -1);
        close(descriptor);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

void keel_loop_mark_write(void)
{
    /* relaxed: one thread writes, and no other data depends on it */
    if (!atomic_exchange_explicit(&keel_loop_mark_done, true, memory_order_relaxed)) {
        write_byte(KEEL_LOOP_MARK);
    }
}

void keel_loop_mark_foreign(void)
{
    write_byte(KEEL_LOOP_MARK_FOREIGN);
}

/* A line in FILE.programs: a script or a launcher that `keel run` has started says nothing about
 * the loops of what it starts. */
static void note_program(const char *file)
{
    char name[PATH_MAX], program[PATH_MAX + 1];
    ssize_t length = readlink("/proc/self/exe", program, PATH_MAX);

    if (length <= 0 || (size_t)snprintf(name, sizeof name, "%s.programs", file) >= sizeof name) {
        return;
    }
    program[length] = '\n';
    int descriptor = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor >= 0) {
        /* without it what is said is less to the point */
        keel_trace_file_write_once(descriptor, program, (size_t)length + 1, -1);
        close(descriptor);
    }
}

__attribute__((constructor)) static void loaded(void)
{
    const char *file = keel_environment_value("KEEL_SEEN");
    int kept_errno = errno;

    if (file != NULL && dlsym(RTLD_DEFAULT, "omp_get_max_threads") != NULL &&
        !keel_privilege_is_raised()) {
        note_program(file);
    }
    dlerror(); /* a program without OpenMP does not get the reason */
    errno = kept_errno;
}
