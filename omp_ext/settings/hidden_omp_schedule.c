/* libkeel_early.so: hides a Keel schedule in OMP_SCHEDULE from libgomp. libc is not initialised yet
 * when the constructor runs: it uses its arguments and string functions only. */
#include "omp_ext/settings/settings.h"

#include <string.h>

#define VARIABLE "OMP_SCHEDULE="

/* What libgomp sees instead; it also decides about loops that Keel passes on, such as doacross
 * loops. */
static char shown[] = VARIABLE "dynamic";

static char **slot;  /* the entry of the environment that was replaced */
static char *hidden; /* the former value */

__attribute__((constructor)) static void hide(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    for (char **entry = environment; *entry != NULL; entry++) {
        if (strncmp(*entry, VARIABLE, strlen(VARIABLE)) == 0 &&
            keel_omp_schedule_is_ours(*entry + strlen(VARIABLE))) {
            slot = entry;
            hidden = *entry;
            *slot = shown;
            return;
        }
    }
}

__attribute__((visibility("default"))) const char *keel_hidden_omp_schedule(void)
{
    return hidden != NULL ? hidden + strlen(VARIABLE) : NULL;
}

/* The slot is only written while it still holds our text: the program may have changed its
 * environment meanwhile. */
__attribute__((visibility("default"))) void keel_hidden_omp_schedule_restore(void)
{
    if (slot != NULL && *slot == shown) {
        *slot = hidden;
    }
    slot = NULL;
}
