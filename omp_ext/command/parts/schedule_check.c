/* Reading a text for KEEL_SCHEDULE without acting on it. */
#include "omp_ext/command/parts/schedule_check.h"

#include <stdio.h>
#include <string.h>

#include "omp_ext/settings/rules.h"

/* In "chunk '0' is not a whole number; using 1", what is used does not matter. */
void keel_choice_problem(char *problem)
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
    struct keel_choice_check *check = context;

    if (check->problem[0] == '\0') {
        snprintf(check->problem, sizeof check->problem, "%s", problem);
        if (instead == NULL) {
            keel_choice_problem(check->problem);
        }
    }
}

struct keel_choice_check keel_choice_check(const char *text)
{
    struct keel_choice_check check = {0};
    struct keel_choices choices = {0};

    keel_choices_read(&choices, text, &(struct keel_unstated){0}, keep_first, &check);
    check.everywhere = choices.standard != NULL && choices.standard != &keel_policy_libgomp;
    check.rules = choices.rules > 0;
    return check;
}
