/* What a text for KEEL_SCHEDULE asks for, told before a program runs with it. The grammar is
 * that of omp_ext/settings/rules.h. */
#ifndef OMP_EXT_COMMAND_PARTS_SCHEDULE_CHECK_H
#define OMP_EXT_COMMAND_PARTS_SCHEDULE_CHECK_H

#include <stdbool.h>

#include "schedules/loop/spec.h"

struct keel_schedule_check {
    bool everywhere;                /* names a schedule of Keel for all loops */
    bool rules;                     /* holds a rule for single loops */
    char problem[KEEL_PROBLEM_MAX]; /* what cannot be used as it is; "": nothing */
};

struct keel_schedule_check keel_schedule_check(const char *text);

/* Cuts what a program would use instead off a problem. */
void keel_schedule_check_problem(char *problem);

#endif
