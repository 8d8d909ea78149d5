/* Variables that nobody reads. */
#include "schedules/text/unknown.h"

#include <stdio.h>
#include <string.h>

#include "schedules/text/nearest.h"

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
