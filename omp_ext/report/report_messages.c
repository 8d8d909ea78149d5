/* Messages of libkeel_report.so go where those of libkeel.so go. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message_handler.h"

typedef const struct keel_lending *meeting(uint32_t version, uint32_t *newest);

static bool hand_message(const char *text)
{
    meeting *meet = (meeting *)dlsym(RTLD_DEFAULT, "keel_lending_meet");
    uint32_t newest;
    const struct keel_lending *libkeel = meet != NULL ? meet(KEEL_LENDING_VERSION, &newest) : NULL;

    return libkeel != NULL && libkeel->hand_message(text);
}

__attribute__((constructor)) static void forward_messages(void)
{
    keel_message_set_forward(hand_message);
}
