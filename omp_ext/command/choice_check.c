/* Reading a text for KEEL_SCHEDULE without acting on it. */
#include "omp_ext/command/choice_check.h"

#include <stdio.h>

#include "omp_ext/choices.h"

/* Keeps the first part that cannot be used at all. */
static void keep_first(void *context, const char *problem, const char *instead)
{
    struct keel_choice_check *check = context;

    if (instead != NULL && check->problem[0] == '\0') {
        snprintf(check->problem, sizeof check->problem, "%s", problem);
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
