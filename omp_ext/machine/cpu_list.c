/* Lists of processors as Linux writes them. */
#include "omp_ext/machine/cpu_list.h"

/* Linux numbers up to 8192 processors; a number of this many digits fits in any case. */
#define DIGITS_MAX 7

static bool take_number(const char **text, unsigned *number)
{
    const char *start = *text;

    *number = 0;
    while (**text >= '0' && **text <= '9' && *text - start < DIGITS_MAX) {
        *number = *number * 10 + (unsigned)(*(*text)++ - '0');
    }
    return *text > start;
}

bool keel_cpu_list_next(const char **list, unsigned *first, unsigned *last)
{
    const char *text = *list;

    if (*text == ',') {
        text++;
    }
    if (!take_number(&text, first)) {
        return false;
    }
    *last = *first;
    if (*text == '-' && (text++, !take_number(&text, last) || *last < *first)) {
        return false;
    }
    *list = text;
    return true;
}

size_t keel_cpu_list_count(const char *list)
{
    size_t count = 0;
    unsigned first, last;

    while (keel_cpu_list_next(&list, &first, &last)) {
        count += last - first + 1;
    }
    return *list == '\0' || *list == '\n' ? count : 0;
}
