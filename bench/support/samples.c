/* Reads all samples of a report. */
#define _GNU_SOURCE
#include "bench/support/samples.h"

#include <errno.h>
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

void samples_give_up(const char *why)
{
    fprintf(stderr, "keel: %s: %s; no report\n", program_name(), why);
    exit(1);
}

static void __attribute__((noreturn)) give_up_input(const char *origin)
{
    char why[128];

    snprintf(why, sizeof why, "the input is not what %s", origin);
    samples_give_up(why);
}

void *samples_read(FILE *file, size_t size, int (*read)(void *sample, FILE *file),
                   const char *origin, size_t *count)
{
    char *samples = NULL;
    size_t room = 0;
    int result;

    *count = 0;
    for (;;) {
        if (*count == room) {
            room = 2 * room + 256;
            samples = realloc(samples, room * size);
            if (samples == NULL) {
                samples_give_up("no memory for the samples");
            }
        }
        result = read(samples + *count * size, file);
        if (result != 1) {
            break;
        }
        ++*count;
    }
    if (result != 0 || *count == 0) {
        free(samples);
        give_up_input(origin);
    }
    return samples;
}
