/* Edit distance (Wagner & Fischer 1974, with neighbours exchanged) over short words, upper and
 * lower case alike. */
#include "schedules/text/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BEGINNING_LEAST 2 /* letters that say something */

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

/* row[i][j] = edits that turn the first i characters of a into the first j of b */
static size_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[KEEL_NEAREST_MAX][KEEL_NEAREST_MAX];

    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            size_t replaced = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = smaller(replaced, smaller(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[i][j] = smaller(row[i][j], row[i - 2][j - 2] + 1);
            }
        }
    }
    return row[a_length][b_length];
}

static bool begins_alike(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = smaller(a_length, b_length);

    return shorter >= BEGINNING_LEAST && memcmp(a, b, shorter) == 0;
}

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length)
{
    nearest->wanted_length = copy_lower(nearest->wanted, wanted, length);
    nearest->best[0] = '\0';
    nearest->best_distance = SIZE_MAX;
    nearest->best_edits = SIZE_MAX;
}

void keel_nearest_consider(struct keel_nearest *nearest, const char *word, size_t length)
{
    char lower[KEEL_NEAREST_MAX];
    size_t kept = copy_lower(lower, word, length);
    size_t count = edits(nearest->wanted, nearest->wanted_length, lower, kept);
    size_t distance = begins_alike(nearest->wanted, nearest->wanted_length, lower, kept)
                          ? smaller(count, 1)
                          : count;

    if (distance < nearest->best_distance ||
        (distance == nearest->best_distance && count < nearest->best_edits)) {
        nearest->best_distance = distance;
        nearest->best_edits = count;
        memcpy(nearest->best, word, kept);
        nearest->best[kept] = '\0';
    }
}

const char *keel_nearest_hint(struct keel_nearest *nearest)
{
    size_t best = strlen(nearest->best);
    size_t longer = best > nearest->wanted_length ? best : nearest->wanted_length;
    size_t limit = longer / 3 > 1 ? longer / 3 : 1;

    nearest->hint[0] = '\0';
    if (best > 0 && nearest->wanted_length > 0 && nearest->best_distance <= limit) {
        snprintf(nearest->hint, sizeof nearest->hint, ", nearest is '%s'", nearest->best);
    }
    return nearest->hint;
}

/* Variables that nobody reads. */

static bool is_known(const struct keel_unknown_table *table, const char *name, size_t length)
{
    const char *known;

    for (size_t i = 0; (known = table->name(i)) != NULL; i++) {
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void report(const struct keel_unknown_table *table, const char *name, size_t length)
{
    char problem[KEEL_UNKNOWN_PROBLEM_MAX];
    struct keel_nearest nearest;
    const char *known;

    keel_nearest_begin(&nearest, name, length);
    for (size_t i = 0; (known = table->name(i)) != NULL; i++) {
        keel_nearest_consider(&nearest, known, strlen(known));
    }
    snprintf(problem, sizeof problem, "%.*s: no such variable%s; ignored", (int)length, name,
             keel_nearest_hint(&nearest));
    table->report(problem);
}

void keel_unknown_report_all(char *const *environment, const struct keel_unknown_table *table)
{
    for (; environment != NULL && *environment != NULL; environment++) {
        size_t length = strcspn(*environment, "=");
        if (table->is_ours(*environment) && !is_known(table, *environment, length)) {
            report(table, *environment, length);
        }
    }
}
