/* Reading a text for KEEL_SCHEDULE without acting on it. */
#include "omp_ext/command/choice_check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/policy.h"
#include "omp_ext/source/rule.h"

struct text {
    const char *start;
    size_t length;
};

static struct text trimmed(struct text text)
{
    while (text.length > 0 && isspace((unsigned char)text.start[0])) {
        text.start++;
        text.length--;
    }
    while (text.length > 0 && isspace((unsigned char)text.start[text.length - 1])) {
        text.length--;
    }
    return text;
}

/* NULL: not a schedule, see `problem`. */
static const struct keel_policy *read_schedule(struct text text, char *problem)
{
    bool mended;

    return keel_policy_read(text.start, text.length, 1, &mended, problem);
}

/* Text with a '=' that is not a schedule: PLACE=SCHEDULE. */
static void check_rule(struct keel_choice_check *check, struct text choice, const char *equals)
{
    struct text place = trimmed((struct text){choice.start, (size_t)(equals - choice.start)});
    struct text schedule = {equals + 1, choice.length - (size_t)(equals + 1 - choice.start)};
    char problem[KEEL_PROBLEM_MAX];
    struct keel_rule rule;

    check->rules = true;
    if (!keel_rule_parse(place.start, place.length, &rule)) {
        snprintf(check->problem, sizeof check->problem,
                 "rule '%.*s' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE",
                 (int)(choice.length < 60 ? choice.length : 60), choice.start);
    } else if (read_schedule(schedule, problem) == NULL) {
        memcpy(check->problem, problem, sizeof problem);
    }
}

/* "fac:mu=3" is a schedule although it holds a '=', so schedules come first. */
static void check_choice(struct keel_choice_check *check, struct text choice)
{
    char problem[KEEL_PROBLEM_MAX];
    const struct keel_policy *policy = read_schedule(choice, problem);
    const char *equals = memchr(choice.start, '=', choice.length);

    if (policy != NULL) {
        check->everywhere |= policy != &keel_policy_libgomp;
    } else if (equals != NULL) {
        check_rule(check, choice, equals);
    } else {
        memcpy(check->problem, problem, sizeof problem);
    }
}

struct keel_choice_check keel_choice_check(const char *text)
{
    struct keel_choice_check check = {0};

    for (; check.problem[0] == '\0'; text++) {
        size_t length = strcspn(text, ";");
        struct text choice = trimmed((struct text){text, length});
        if (choice.length > 0) {
            check_choice(&check, choice);
        }
        text += length;
        if (*text == '\0') {
            break;
        }
    }
    return check;
}
