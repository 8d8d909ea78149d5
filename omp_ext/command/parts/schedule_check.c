/* Reading a text for KEEL_SCHEDULE without acting on it. */
#include "omp_ext/command/parts/schedule_check.h"

#include <stdio.h>
#include <string.h>

#include "omp_ext/settings/rules.h"

/* In "chunk '0' is not a whole number; using 1", what is used does not matter. */
void keel_schedule_check_problem(char *problem)
{
    char *end = problem + strlen(problem);

    while (end > problem && strncmp(end, "; ", 2) != 0) {
        end--;
    }
    if (end > problem) {
        *end = '\0';
    }
}

/* Keeps the first part that cannot be used as it is. */
static void keep_first(void *context, const char *problem, const char *instead)
{
    struct keel_schedule_check *check = context;

    if (check->problem[0] == '\0') {
        snprintf(check->problem, sizeof check->problem, "%s", problem);
        if (instead == NULL) {
            keel_schedule_check_problem(check->problem);
        }
    }
}

struct keel_schedule_check keel_schedule_check(const char *text)
{
    struct keel_schedule_check check = {0};
    struct keel_rules schedules = {0};

    keel_rules_read(&schedules, text, &(struct keel_spec_defaults){0}, keep_first, &check);
    check.everywhere = schedules.standard != NULL && schedules.standard != &keel_policy_libgomp;
    check.rules = schedules.rules > 0;
    return check;
}
