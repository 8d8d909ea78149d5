/* libkeel.so, where it is in the process. Looked for anew each time: a program may load it late. */
#define _GNU_SOURCE
#include "mpi_backend/process/mpi_process.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

typedef const struct keel_lending *meeting(uint32_t version, uint32_t *newest);

static meeting *find(void)
{
    return (meeting *)dlsym(RTLD_DEFAULT, "keel_lending_meet");
}

const struct keel_lending *keel_mpi_libkeel(void)
{
    meeting *meet = find();
    uint32_t newest;

    return meet != NULL ? meet(KEEL_LENDING_VERSION, &newest) : NULL;
}

bool keel_mpi_libkeel_is_there(void)
{
    return find() != NULL;
}

uint32_t keel_mpi_libkeel_version(void)
{
    meeting *meet = find();
    uint32_t newest = 0;

    if (meet != NULL) {
        meet(KEEL_LENDING_VERSION, &newest);
    }
    return newest;
}

/* --- names --- */

void keel_mpi_libkeel_loop_name(const void *caller, void (*outlined)(void *), char *text,
                                size_t size)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();
    Dl_info module;

    if (libkeel != NULL) {
        libkeel->loop_name(caller, outlined, text, size);
    } else if (caller != NULL && dladdr(caller, &module) != 0) {
        snprintf(text, size, "%s+0x%zx", keel_text_base_name(module.dli_fname),
                 (size_t)((uintptr_t)caller - (uintptr_t)module.dli_fbase));
    } else {
        snprintf(text, size, "%p", caller);
    }
}

/* --- messages --- */

static bool hand_message(const char *text)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    return libkeel != NULL && libkeel->hand_message(text);
}

/* Before the program's first region: a loop of it may be shared in its course. */
__attribute__((constructor)) static void begin_at_load(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    keel_message_set_forward(hand_message);
    if (libkeel != NULL) {
        libkeel->expect_loans();
    }
}
