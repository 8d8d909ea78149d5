/* The only file of the command that reads the environment. libkeel.so has its own,
 * omp_ext/settings/settings.c. */
#define _GNU_SOURCE
#include "omp_ext/support/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "omp_ext/support/message.h"

const char *keel_environment_value(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* --- what the kernel says of a program's rights --- */

bool keel_privilege_is_raised(void)
{
    return getauxval(AT_SECURE) != 0;
}

bool keel_privilege_forbids(const char *name)
{
    if (!keel_privilege_is_raised()) {
        return false;
    }
    keel_message("%s: ignored, as it names a file, and this program has rights that its caller "
                 "need not have (setuid, setgid or capabilities)",
                 name);
    return true;
}
