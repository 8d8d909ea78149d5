/* The mark that tells `keel run` that a loop came to Keel; and, as the library is loaded, which
 * programs with OpenMP ran at all, and whether libgomp comes before it. */
#define _GNU_SOURCE
#include "omp_ext/loop/loop_mark.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/privilege.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/text/text.h"

atomic_bool keel_loop_mark_done;

void keel_loop_mark_write(void)
{
    /* relaxed: one thread writes, and nothing else depends on it */
    if (atomic_exchange_explicit(&keel_loop_mark_done, true, memory_order_relaxed)) {
        return;
    }
    const char *file = keel_settings()->mark_file;
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    int descriptor = file != NULL ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        ssize_t written = write(descriptor, "1", 1);
        (void)written; /* without a mark `keel run` only says that it saw no loop */
        close(descriptor);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
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
        ssize_t written = write(descriptor, program, (size_t)length + 1);
        (void)written; /* what is said is less to the point then */
        close(descriptor);
    }
}

static bool is_asked_for_anything(void)
{
    static const char *const asking[] = {"KEEL_SCHEDULE", "KEEL_OVERRIDE", "KEEL_REPORT",
                                         "KEEL_EXPLAIN",  "KEEL_TRACE",    "KEEL_MEMORY"};
    bool asked = false;

    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        asked |= keel_environment_value(asking[i]) != NULL;
    }
    return asked && keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER;
}

/* Linked behind libgomp, the library is never called. */
static void judge_order(const void *region_call)
{
    Dl_info first, own;

    if (dladdr(region_call, &first) != 0 && dladdr(&keel_loop_mark_done, &own) != 0 &&
        first.dli_fbase != own.dli_fbase && first.dli_fname != NULL &&
        strncmp(keel_text_base_name(first.dli_fname), "libgomp.", 8) == 0 &&
        is_asked_for_anything()) {
        keel_message("libgomp (%.300s) comes before libkeel.so in this program, so that no loop "
                     "comes to Keel: link -lkeel before -lgomp (`keel libs`), or use `keel run`",
                     first.dli_fname);
    }
}

__attribute__((constructor)) static void loaded(void)
{
    const char *file = keel_environment_value("KEEL_SEEN");
    int kept_errno = errno;
    const void *region_call = dlsym(RTLD_DEFAULT, "GOMP_parallel");

    if (file != NULL && dlsym(RTLD_DEFAULT, "omp_get_num_threads") != NULL &&
        !keel_privilege_is_raised()) {
        note_program(file);
    }
    if (region_call != NULL) {
        judge_order(region_call);
    }
    errno = kept_errno;
}
