/* Edit distance (Wagner & Fischer 1974) over short words, upper and lower case alike. */
#include "schedules/loop/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t copy_lower(char *to, const char *from, size_t length)
{
    size_t kept = smaller(length, KEEL_NEAREST_MAX - 1);

    for (size_t i = 0; i < kept; i++) {
        to[i] = (char)tolower((unsigned char)from[i]);
    }
    to[kept] = '\0';
    return kept;
}

/* row[j] = edits that turn the first i characters of a into the first j of b */
static size_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[KEEL_NEAREST_MAX];

    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length)
{
    nearest->wanted_length = copy_lower(nearest->wanted, wanted, length);
    nearest->best[0] = '\0';
    nearest->best_distance = SIZE_MAX;
}

void keel_nearest_offer(struct keel_nearest *nearest, const char *word, size_t length)
{
    char lower[KEEL_NEAREST_MAX];
    size_t kept = copy_lower(lower, word, length);
    size_t distance = edits(nearest->wanted, nearest->wanted_length, lower, kept);

    if (distance < nearest->best_distance) {
        nearest->best_distance = distance;
        memcpy(nearest->best, word, kept);
        nearest->best[kept] = '\0';
    }
}
