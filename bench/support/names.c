/* Names that samples bear. */
#include "bench/support/names.h"

#include <stdlib.h>
#include <string.h>

#include "bench/support/give_up.h"

size_t names_add(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return i;
        }
    }
    if (names->count == NAMES_MAX) {
        give_up("too many cases or variants");
    }
    names->name[names->count] = name;
    return names->count++;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void names_sort_by_text(struct names *names)
{
    qsort(names->name, names->count, sizeof *names->name, by_text);
}

static int by_number(const void *a, const void *b)
{
    double x = atof(*(const char *const *)a), y = atof(*(const char *const *)b);

    return (x > y) - (x < y);
}

void names_sort_by_number(struct names *names)
{
    qsort(names->name, names->count, sizeof *names->name, by_number);
}
