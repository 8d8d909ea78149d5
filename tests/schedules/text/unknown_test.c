/* Variables that nobody reads: which ones are told of, and what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/text/nearest.h"

static char said[500];

static const char *name_at(size_t i)
{
    static const char *const names[] = {"OUR_FIRST", "OUR_SECOND"};

    return i < 2 ? names[i] : NULL;
}

static bool is_ours(const char *variable)
{
    return strncmp(variable, "OUR_", 4) == 0;
}

static void report(const char *problem)
{
    strcat(said, problem);
    strcat(said, "\n");
}

static const struct keel_unknown_table table = {
    .name = name_at, .is_ours = is_ours, .report = report};

static void each_unknown_variable_is_told(void **state)
{
    char *const environment[] = {"OUR_FIRST=1", "OTHER=2",  "OUR_SECONT=3",
                                 "OUR_SECOND=", "OUR_FIRS", "OUR_FIRSTS=OUR_FIRST",
                                 NULL};

    (void)state;
    keel_unknown_report_all(environment, &table);
    assert_string_equal(said, "OUR_SECONT: no such variable, nearest is 'OUR_SECOND'; ignored\n"
                              "OUR_FIRS: no such variable, nearest is 'OUR_FIRST'; ignored\n"
                              "OUR_FIRSTS: no such variable, nearest is 'OUR_FIRST'; ignored\n");
}

static void no_environment_has_no_variables(void **state)
{
    char *const empty[] = {NULL};

    (void)state;
    said[0] = '\0';
    keel_unknown_report_all(NULL, &table);
    keel_unknown_report_all(empty, &table);
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unknown_variable_is_told),
        cmocka_unit_test(no_environment_has_no_variables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
