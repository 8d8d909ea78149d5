/* The only file of the command that reads the environment. libkeel.so has its own,
 * omp_ext/settings/settings.c. */
#define _GNU_SOURCE
#include "omp_ext/support/environment.h"

#include <stdlib.h>

const char *keel_environment_value(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}
