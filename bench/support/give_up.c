/* How a report ends that can't be made. */
#define _GNU_SOURCE
#include "bench/support/give_up.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last folder and the file: most of these programs are called `report`. */
static const char *program_name(void)
{
    const char *name = program_invocation_name;

    for (const char *next = name; (next = strchr(next, '/')) != NULL; next++) {
        if (strchr(next + 1, '/') != NULL) {
            name = next + 1;
        }
    }
    return name;
}

void give_up(const char *why)
{
    fprintf(stderr, "keel: %s: %s; no report\n", program_name(), why);
    exit(1);
}
